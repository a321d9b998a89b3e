/** The state of a run as its files tell it, corrected by what is a fact now: the dead are never shown as running. */

import { defined } from "../core/defined.ts";
import { type Agent, type Ending, isOver } from "../core/model/agent.ts";
import type { RunFile } from "../core/model/transcript.ts";
import type { RunEvent } from "../core/run/run-event.ts";
import { EMPTY_RUN, type RunState, reduceInPlace } from "../core/run/run-state.ts";
import { statsOf } from "./files/stats-of.ts";
import { forEachEvent } from "./read-events.ts";
import { readRunFile } from "./read-run.ts";
import { unwrittenEnds } from "./recovery/unwritten-ends.ts";
import { eventsPath } from "./run-directory.ts";

/** A process: with its start time a pid names it for ever. */
export interface ProcessRef {
	readonly pid: number;
	readonly startTime: string;
}
export type IsAlive = (process: ProcessRef) => boolean;

export interface LoadedRun {
	readonly file: RunFile;
	readonly state: RunState;
	/** One line each, for people: what of the files could not be read. */
	readonly damage: string[];
}

export interface LoadOptions {
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

export interface Replay extends LoadedRun {
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

export function supervisorOf(file: Pick<RunFile, "supervisor">): ProcessRef {
	return { pid: file.supervisor.pid, startTime: file.supervisor.startTime };
}

/** A run has ended when it says so, or when its supervisor is dead: nothing of it goes on without one. */
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
