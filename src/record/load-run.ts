/** The state of a run as its files tell it, corrected by what is a fact now: the dead are never shown as running. */

import { defined } from "../core/defined.ts";
import { type Agent, type Ending, isOver, ROOT } from "../core/model/agent.ts";
import { EMPTY_RUN, type RunState, reduceInPlace } from "../core/run/run-state.ts";
import type { RunEvent } from "../core/schemas/run-event.ts";
import type { RunFile } from "../core/schemas/run-files.ts";
import { isRecordedAlive } from "../processes/table/open-table.ts";
import type { ProcessRef } from "../processes/table/process-table.ts";
import { statsOf } from "./files/regular-file.ts";
import { forEachEvent } from "./read-events.ts";
import { readableAgentFile, readRunFile } from "./read-run.ts";
import { eventsPath } from "./run-directory.ts";

type IsAlive = (process: ProcessRef) => boolean;

interface LoadedRun {
	readonly file: RunFile;
	readonly state: RunState;
	/** One line each, for people: what of the files could not be read. */
	readonly damage: string[];
}

interface LoadOptions {
	/** What takes the place of run.json. */
	readonly readFile?: RunFile;
	/** Whether a process is stopped by a signal; absent: none is. */
	readonly isSuspended?: (process: ProcessRef) => boolean;
}

/** Throws AgentreeError("not_found") when run.json is missing or damaged. */
export function loadRunState(directory: string, isAlive: IsAlive, options: LoadOptions = {}): LoadedRun {
	const { file, state: recorded, unwritten, lastAt, damage } = replayRun(directory, options.readFile);
	const supervisor = supervisorOf(file);
	const state = correct(unwritten.reduce(reduceInPlace, recorded), supervisor, isAlive, lastAt);
	const isRecordHalted = state.ended === undefined && options.isSuspended?.(supervisor) === true;
	return { file, state: isRecordHalted ? withoutDead(state, isAlive, lastAt) : state, damage };
}

interface Replay extends LoadedRun {
	/** Ends that `state` does not have, since the event log has not. */
	readonly unwritten: RunEvent[];
	/** The time of the newest event. */
	readonly lastAt: number;
}

/** The run as its event log tells it: agents that were alive when the record stopped are alive in it. */
export function replayRun(directory: string, file = readRunFile(directory)): Replay {
	let state = fromFile(file);
	let lastAt = file.startedAt;
	const damage = forEachEvent(directory, (event) => {
		state = reduceInPlace(state, event);
		lastAt = event.at;
	});
	const empty = isEmpty(eventsPath(directory)) ? [`events.jsonl is empty (${eventsPath(directory)})`] : [];
	return {
		file,
		state,
		unwritten: unwrittenEnds(directory, state, file),
		lastAt,
		damage: [...damage, ...empty],
	};
}

/** True for an event log that lost all: its first line is written when the file is made. */
function isEmpty(path: string): boolean {
	return statsOf(path)?.size === 0;
}

/** Whether the run goes on: its end is not recorded, and its supervisor lives. */
export function isRunning(file: Pick<RunFile, "supervisor" | "endedAt">): boolean {
	return file.endedAt === undefined && isRecordedAlive(supervisorOf(file));
}

export function supervisorOf(file: Pick<RunFile, "supervisor">): ProcessRef {
	return { pid: file.supervisor.pid, startTime: file.supervisor.startTime };
}

/** A run has ended when it says so, or when its supervisor is dead: nothing of it continues without one. */
function correct(state: RunState, supervisor: ProcessRef, isAlive: IsAlive, lastAt: number): RunState {
	if (state.ended === undefined && isAlive(supervisor)) return state;
	const ending: Ending = { by: "crashed", reason: "its supervisor died" };
	const unwritten: Ending = state.ended === undefined ? ending : { by: "crashed", reason: "its run ended" };
	const at = state.ended?.at ?? lastAt;
	const agents = Object.values(state.agents).map((agent): Agent => {
		if (isOver(agent)) return agent;
		const hadListened = agent.state.is === "listening" || undefined;
		return { ...agent, state: { is: "ended", at, ending: unwritten }, running: [], ...defined({ hadListened }) };
	});
	const ended = state.ended ?? { at, ending, exitCode: 70, survivors: [] };
	return { ...state, ended, agents: Object.fromEntries(agents.map((agent) => [agent.id, agent])) };
}

/** A suspended supervisor notices no death, and writes none down. */
function withoutDead(state: RunState, isAlive: IsAlive, at: number): RunState {
	const ending: Ending = { by: "crashed", reason: "its process is gone, and its supervisor is suspended" };
	const agents = Object.values(state.agents).map((agent): Agent => {
		if (isOver(agent) || isAlive(agent)) return agent;
		return { ...agent, state: { is: "ended", at, ending }, running: [] };
	});
	return { ...state, agents: Object.fromEntries(agents.map((agent) => [agent.id, agent])) };
}

/** The state before the first event, from run.json: a run whose event log lost its first line still has a name. */
function fromFile(file: RunFile): RunState {
	const { run, task, cwd, model, limits, startedAt, name } = file;
	const known = { run, task, cwd, model, limits, startedAt, ...defined({ name }) };
	return { ...EMPTY_RUN, agents: {}, ...known, ...supervisorOf(file) };
}

/**
 * The ends that an event log could not take any more, from the small files: on a full disk there is room for those, and
 * where files may not grow (EFBIG) these are new ones.
 */

type EndOfAgent = Extract<RunEvent, { event: "agent_ended" }>;
type EndOfRun = Extract<RunEvent, { event: "run_ended" }>;

/**
 * In the order of their times; nothing for a run whose event log has its end, or that has none. `state`: as the event
 * log tells it.
 */
export function unwrittenEnds(directory: string, state: RunState, file: RunFile): RunEvent[] {
	const run = state.ended === undefined ? endOfRun(file) : undefined;
	if (run === undefined) return [];
	const agents = Object.values(state.agents).flatMap((agent) => {
		if (isOver(agent)) return [];
		return endOfAgent(directory, agent.id) ?? (agent.id === ROOT ? endOfRoot(run) : []);
	});
	return [...agents.sort((a, b) => a.at - b.at), run];
}

function endOfAgent(directory: string, agent: string): EndOfAgent | undefined {
	const { endedAt: at, ending } = readableAgentFile(directory, agent) ?? {};
	return at === undefined || ending === undefined ? undefined : { event: "agent_ended", at, agent, ending };
}

/** The root's own end is its run's. */
function endOfRoot({ at, ending }: EndOfRun): EndOfAgent {
	return { event: "agent_ended", at, agent: ROOT, ending };
}

function endOfRun({ endedAt: at, ending, exitCode }: RunFile): EndOfRun | undefined {
	if (at === undefined || ending === undefined) return undefined;
	return { event: "run_ended", at, ending, exitCode: exitCode ?? 70, survivors: [] };
}
