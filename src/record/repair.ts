/** Runs whose files are damaged or lost: what the other files still tell, and what keeps a run from going on. */

import { lstatSync, readdirSync, type Stats } from "node:fs";
import { basename, join } from "node:path";
import { defined } from "../core/defined.ts";
import { AgentreeError } from "../core/errors.ts";
import { ifThere } from "../core/if-there.ts";
import { type AgentId, type Ending, NO_PROCESS, ROOT } from "../core/model/agent.ts";
import { NO_USAGE } from "../core/model/usage.ts";
import { preview, TASK_PREVIEW } from "../core/preview.ts";
import type { RunState } from "../core/run/run-state.ts";
import type { RunEvent } from "../core/schemas/run-event.ts";
import { type AgentFile, RUN_FORMAT, type RunFile } from "../core/schemas/run-files.ts";
import type { TranscriptEntry } from "../core/schemas/transcript.ts";
import { forEachEntry, forEachEvent } from "./read-events.ts";
import { readableAgentFile } from "./read-run.ts";
import { agentDirectory, agentFilePath, eventsPath, runFilePath, transcriptPath } from "./run-directory.ts";

/**
 * Agents whose directories are there and of whom the event log says nothing, since it is damaged or lost: the events that
 * their own files tell. So no number is used twice, no budget is forgotten, and no work is started a second time.
 */
const UNKNOWN_END: Ending = { by: "crashed", reason: "its end was not recorded" };

/** The events of all lost agents; those of an agent come before those of the agents below it. */
export function lostAgents(directory: string, run: RunState): RunEvent[] {
	return agentsOnDisk(directory, ROOT).flatMap((id) =>
		run.agents[id] === undefined ? eventsOf(directory, id, run) : [],
	);
}

/** `id` and those below it that have a directory; none when it has none. */
export function agentsOnDisk(directory: string, id: AgentId): AgentId[] {
	const names = directoriesIn(agentDirectory(directory, id));
	if (names === undefined) return [];
	const children = names.filter(isAgentName).sort((a, b) => Number(a) - Number(b));
	return [id, ...children.flatMap((name) => agentsOnDisk(directory, `${id}.${name}`))];
}

/** True for the name of an agent's directory: its number among its parent's children. */
function isAgentName(name: string): boolean {
	return /^[1-9]\d*$/.test(name);
}

/** Without links: one that leads up again would make the tree endless. */
function directoriesIn(path: string): string[] | undefined {
	try {
		if (!lstatSync(path).isDirectory()) return undefined;
		const entries = readdirSync(path, { withFileTypes: true });
		return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
	} catch {
		return undefined; // not there
	}
}

function eventsOf(directory: string, id: AgentId, run: RunState): RunEvent[] {
	const file: Partial<AgentFile> = readableAgentFile(directory, id) ?? {};
	const { joinedAt = run.startedAt, endedAt, ending, task = run.task } = file;
	const { model = run.model, limits = run.limits, role, windowTokens } = file;
	const { pid, startTime } = run; // its own are not known, and it is not alive
	const joined: RunEvent = {
		...{ event: "agent_joined", at: joinedAt, agent: id, pid: Math.max(1, pid), startTime, model, limits },
		task: preview(task, TASK_PREVIEW),
		...defined({ role, windowTokens }),
	};
	const events: RunEvent[] = [joined];
	forEachEntry(directory, id, (entry) => {
		if (entry.role === "note" && entry.note === "forked") for (const event of events) forget(event);
		events.push(...spentBy(entry, id));
	});
	const at = endedAt ?? events.at(-1)?.at ?? joinedAt;
	events.push({ event: "agent_ended", at, agent: id, ending: ending ?? UNKNOWN_END });
	return events;
}

/** What was spent before the agent was copied is another run's. */
function forget(event: RunEvent): void {
	if ("usage" in event) Object.assign(event, { usage: NO_USAGE, costUsd: 0 });
}

function spentBy(entry: TranscriptEntry, agent: AgentId): RunEvent[] {
	if (entry.role === "user") return [];
	if (entry.role === "note" && entry.note !== "call") return [];
	const { at, turn, usage, costUsd } = entry;
	const spent = { at, agent, turn, usage, costUsd };
	if (entry.role === "note") return [{ event: "turn_cancelled", ...spent }];
	return [
		{ event: "turn_started", at, agent, turn, isLast: false },
		{ event: "turn_ended", ...spent, stopReason: entry.stopReason },
	];
}

/**
 * Is what lies in a run's directory of the right kind? Opening a FIFO would wait forever, a directory takes no line, and a
 * link leads to files that are not the run's.
 */

/** A missing file or directory is valid. Throws AgentreeError("not_found") with the first path of another kind, and what it should be. */
export function requireValid(directory: string): void {
	const agents = agentsOnDisk(directory, ROOT);
	const locks = readdirSync(directory).filter((name) => name.startsWith(".lock."));
	const files = [runFilePath(directory), eventsPath(directory), ...locks.map((name) => join(directory, name))];
	const ofAgents = agents.flatMap((id) => [transcriptPath(directory, id), agentFilePath(directory, id)]);
	for (const path of [...files, ...ofAgents]) requireKind(path, "a regular file", (found) => found.isFile());
	const directories = [directory, ...agents.map((id) => agentDirectory(directory, id))].flatMap(agentsIn);
	const outputs = agents.map((id) => join(agentDirectory(directory, id), "out"));
	for (const path of [join(directory, "bin"), ...directories, ...outputs])
		requireKind(path, "a directory", (found) => found.isDirectory());
}

/** What has the name of an agent's directory: links are among them, which `agentsOnDisk` leaves out. */
function agentsIn(directory: string): string[] {
	return readdirSync(directory)
		.filter(isAgentName)
		.map((name) => join(directory, name));
}

function requireKind(path: string, kind: string, isOfKind: (found: Stats) => boolean): void {
	const found = statOf(path);
	if (found === undefined || isOfKind(found)) return;
	throw new AgentreeError("not_found", `this run cannot be resumed: ${path} is not ${kind}; move it away`);
}

function statOf(path: string): Stats | undefined {
	return ifThere(() => lstatSync(path)); // missing, or who reads it says more
}

/** A new run.json from the event log or the root's agent.json, where a power cut or a person has removed the old one. */

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

/** What could not be read, for people: a line for each kind, however many lines of a file are of it. */

const LINE = /^(\S+) line (\d+): (.*)$/s;

/** `events.jsonl line 7: not valid JSON, skipped` and two more → `events.jsonl: 3 lines: not valid JSON, skipped (the first: line 7)`. */
export function damageByKind(damage: readonly string[]): string[] {
	const kinds = new Map<string, { first: string; count: number }>();
	for (const what of damage) {
		const [, file, , how] = LINE.exec(what) ?? [];
		const kind = file === undefined ? what : `${file}: ${how}`;
		const known = kinds.get(kind);
		if (known === undefined) kinds.set(kind, { first: what, count: 1 });
		else known.count++;
	}
	return [...kinds.values()].map(({ first, count }) => (count === 1 ? first : counted(first, count)));
}

function counted(first: string, count: number): string {
	const [, file, line, how] = LINE.exec(first) ?? [];
	return file === undefined ? `${first} (${count} times)` : `${file}: ${count} lines: ${how} (the first: line ${line})`;
}
