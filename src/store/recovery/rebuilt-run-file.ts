/** run.json anew, from the event log or the root's agent.json, where a power cut or a person has taken it. */
import { basename } from "node:path";
import { ROOT } from "../../core/agent.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { RunEvent } from "../../core/run-event.ts";
import type { AgentFile, RunFile } from "../../core/transcript.ts";
import { forEachEvent } from "../read-events.ts";
import { readAgentFile } from "../read-run.ts";

type Of<E extends RunEvent["event"]> = Extract<RunEvent, { event: E }>;

/** `socket` is in no other file. Undefined where neither file tells of the run that the directory is named after. */
export function rebuiltRunFile(directory: string, socket: string): RunFile | undefined {
	let started: Of<"run_started"> | undefined;
	let newest: Of<"run_started" | "run_resumed"> | undefined;
	let ended: Of<"run_ended"> | undefined;
	forEachEvent(directory, (event) => {
		if (event.event === "run_started") started = event;
		if (event.event === "run_ended") ended = event;
		if (event.event !== "run_started" && event.event !== "run_resumed") return;
		newest = event;
		ended = undefined;
	});
	const known = started === undefined ? fromRoot(directory) : fromStart(started);
	if (known?.run !== basename(directory)) return undefined;
	const { pid = 1, startTime = "", version = "" } = newest ?? {}; // no process has such a start time
	const now = newest === undefined ? {} : { limits: newest.limits, ...(newest.model && { model: newest.model }) };
	return { ...known, ...now, supervisor: { pid, start_time: startTime }, socket, version, ...endOf(ended) };
}

type Known = Pick<RunFile, "run" | "task" | "cwd" | "model" | "limits" | "started_at">;

function fromStart({ run, task, cwd, model, limits, at }: Of<"run_started">): Known {
	return { run, task, cwd, model, limits, started_at: at };
}

function fromRoot(directory: string): Known | undefined {
	let root: AgentFile;
	try {
		root = readAgentFile(directory, ROOT);
	} catch (error) {
		if (error instanceof AgentreeError) return undefined;
		throw error;
	}
	const { run, task, cwd, model, limits, joined_at } = root;
	return { run, task, cwd, model, limits, started_at: joined_at };
}

function endOf(ended: Of<"run_ended"> | undefined): Partial<RunFile> {
	if (ended === undefined) return {};
	return { ended_at: ended.at, ending: ended.ending, exit_code: ended.exitCode };
}
