/** run.json anew, from the event log or the root's agent.json, where a power cut or a person has taken it. */
import { basename } from "node:path";
import { defined } from "../../core/defined.ts";
import { ROOT } from "../../core/model/agent.ts";
import type { RunFile } from "../../core/model/transcript.ts";
import { NO_PROCESS } from "../../core/no-process.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { RUN_FORMAT } from "../../core/schemas/run-files.ts";
import { forEachEvent } from "../read-events.ts";
import { readableAgentFile } from "../read-run.ts";

type Of<E extends RunEvent["event"]> = Extract<RunEvent, { event: E }>;

/** `socket` is in no other file. Undefined where neither file tells of the run that the directory is named after. */
export function rebuiltRunFile(directory: string, socket: string): RunFile | undefined {
	let started: Of<"run_started"> | undefined;
	let newest: Of<"run_started" | "run_resumed"> | undefined;
	let ended: Of<"run_ended"> | undefined;
	let forkedFrom: string | undefined;
	let name: string | undefined;
	let isConversation: true | undefined;
	forEachEvent(directory, (event) => {
		if (event.event === "run_started") started = event;
		if (event.event === "run_ended") ended = event;
		if (event.event === "run_named") name = event.name === "" ? undefined : event.name;
		if (event.event === "run_forked") {
			if (started !== undefined) started = { ...started, run: event.run, at: event.at };
			if (newest !== undefined) newest = { ...newest, ...NO_PROCESS };
			forkedFrom = event.from;
			ended = undefined;
		}
		if (event.event !== "run_started" && event.event !== "run_resumed") return;
		newest = event;
		isConversation ??= event.isConversation;
		ended = undefined;
	});
	const known = started === undefined ? fromRoot(directory) : fromStart(started);
	if (known?.run !== basename(directory)) return undefined;
	const { pid, startTime, version } = { ...NO_PROCESS, version: "", ...newest };
	const { limits, model, cwd } = newest ?? {};
	const now = defined({ limits, model, cwd });
	const supervisor = { pid, startTime };
	const { origin, skipsPermissions, noSandbox } = newest ?? {};
	const told = defined({ name, isConversation, skipsPermissions, noSandbox, forkedFrom, origin });
	return { format: RUN_FORMAT, ...known, ...now, supervisor, socket, version, ...told, ...endOf(ended) };
}

type Known = Pick<RunFile, "run" | "task" | "cwd" | "model" | "limits" | "startedAt">;

function fromStart({ run, task, cwd, model, limits, at }: Of<"run_started">): Known {
	return { run, task, cwd, model, limits, startedAt: at };
}

function fromRoot(directory: string): Known | undefined {
	const root = readableAgentFile(directory, ROOT);
	if (root === undefined) return undefined;
	const { run, task, cwd, model, limits, joinedAt } = root;
	return { run, task, cwd, model, limits, startedAt: joinedAt };
}

function endOf(ended: Of<"run_ended"> | undefined): Partial<RunFile> {
	if (ended === undefined) return {};
	return { endedAt: ended.at, ending: ended.ending, exitCode: ended.exitCode };
}
