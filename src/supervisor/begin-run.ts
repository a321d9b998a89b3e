/** The beginning of a run, or of its going on: its lock, its files, and the events with which this supervisor begins. */
import { rmSync } from "node:fs";
import { type Agent, type AgentId, type Ending, isOver } from "../core/agent.ts";
import { AgentreeError } from "../core/errors.ts";
import type { RunEvent } from "../core/run-event.ts";
import { agentsInOrder, EMPTY_RUN, type RunState, reduce } from "../core/run-state.ts";
import type { AgentFile, AssistantEntry, RunFile } from "../core/transcript.ts";
import { isInTurn } from "../core/turn-state.ts";
import { ownPidNamespace } from "../processes/pid-namespace.ts";
import { replayRun } from "../store/load-run.ts";
import { lostAgents } from "../store/lost-agents.ts";
import { readAgentFile } from "../store/read-run.ts";
import { runDirectory } from "../store/run-directory.ts";
import { type LockOwner, type RunLock, takeRunLock } from "../store/run-lock.ts";
import { createRun, type RunWriter, reopenRun } from "../store/run-writer.ts";
import { endedFileOf, type RunSettings, resumedRunFileOf, runFileOf, runStartedOf } from "./admit.ts";
import { lastAnswerOf } from "./again.ts";
import type { SupervisorHost } from "./host.ts";

/** A run that is over goes on. */
export interface Resumption {
	lock: RunLock;
	/** Said to the root. */
	message?: string;
}

export interface BegunRun {
	writer: RunWriter;
	lock: RunLock;
	file: RunFile;
	/** Before `events`, which are still to be written. */
	state: RunState;
	events: RunEvent[];
}

/** Throws AgentreeError when the directory cannot be made. */
export function beginRun(settings: RunSettings, { now, table }: Pick<SupervisorHost, "now" | "table">): BegunRun {
	const owner = lockOwner(table);
	const supervisor = { pid: owner.pid, startTime: owner.start_time, startedAt: now() };
	const file = runFileOf(settings, supervisor);
	const writer = createRun(settings.home, file);
	const lock = takeRunLock(writer.directory, owner, undefined);
	return { writer, lock, file, state: EMPTY_RUN, events: [runStartedOf(file)] };
}

/** Throws AgentreeError when its files cannot be read or written. The agents that were alive are written down as dead. */
export function resumeRun(
	settings: RunSettings,
	{ lock }: Resumption,
	{ now, table }: Pick<SupervisorHost, "now" | "table">,
): BegunRun {
	const directory = runDirectory(settings.home, settings.run);
	const { file: before, state: recorded, unwritten, lastAt } = replayRun(directory);
	const known = [...unwritten, ...lostAgents(directory, recorded)];
	const state = known.reduce(reduce, recorded);
	const { pid, start_time: startTime } = lockOwner(table);
	const file = resumedRunFileOf(before, settings, { pid, startTime });
	const writer = reopenRun(directory);
	const ends = agentsInOrder(state).flatMap((agent) => endOf(agent, { directory, at: lastAt, state }));
	const ended = ends.reduce(reduce, state);
	for (const event of ends) if (event.event === "agent_ended") writeEnd(writer, event.agent, ended);
	writer.writeRun(file);
	rmSync(settings.socket, { force: true }); // a supervisor that was killed has left it, and nobody listens on it
	const { limits, model, version } = settings;
	const changed = model === state.model ? {} : { model };
	const resumed: RunEvent = { event: "run_resumed", at: now(), limits, ...changed, pid, startTime, version };
	return { writer, lock, file, state: recorded, events: [...known, ...ends, resumed] };
}

export function lockOwner(table: SupervisorHost["table"]): LockOwner {
	const { pid } = process;
	return { pid, start_time: table.read(pid)?.startTime ?? "", pid_namespace: ownPidNamespace() };
}

/** Of an agent that was alive when the record stopped. Its answer may have been written down just before its turn's end. */
function endOf(agent: Agent, { directory, at, state }: { directory: string; at: number; state: RunState }): RunEvent[] {
	if (isOver(agent)) return [];
	const reason = state.ended === undefined ? "its supervisor died" : "its run ended";
	const ending: Ending = { by: "crashed", reason };
	const ended: RunEvent = { event: "agent_ended", at, agent: agent.id, ending };
	const answer = isInTurn(agent) ? lastAnswerOf(directory, agent.id) : undefined;
	return answer?.turn === agent.turns ? [turnEndedBy(answer, agent.id, at), ended] : [ended];
}

function turnEndedBy({ turn, stop_reason, usage, cost_usd }: AssistantEntry, agent: AgentId, at: number): RunEvent {
	return { event: "turn_ended", at, agent, turn, stopReason: stop_reason, usage, costUsd: cost_usd };
}

function writeEnd(writer: RunWriter, agent: AgentId, state: RunState): void {
	const file = readableFile(writer.directory, agent);
	if (file !== undefined) writer.writeAgent(endedFileOf(file, state));
}

/** A damaged one is written anew when its agent goes on. */
function readableFile(directory: string, agent: AgentId): AgentFile | undefined {
	try {
		return readAgentFile(directory, agent);
	} catch (error) {
		if (error instanceof AgentreeError) return undefined;
		throw error;
	}
}
