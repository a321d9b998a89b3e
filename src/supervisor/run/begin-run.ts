/** The beginning of a run, or of its resumption: its lock, its files, and the events with which this supervisor begins. */

import { rmSync } from "node:fs";
import { defined } from "../../core/defined.ts";
import { type Agent, type AgentId, type Ending, isOver, ROOT } from "../../core/model/agent.ts";
import { addDollars, addUsage, NO_USAGE, type Usage, uncountedOf } from "../../core/model/usage.ts";
import { agentsInOrder, EMPTY_RUN, type RunState, reduce } from "../../core/run/run-state.ts";
import { isInTurn } from "../../core/run/turn-state.ts";
import { unheardBy } from "../../core/run/waiting-messages.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { AgentFile, LockOwner, RunFile } from "../../core/schemas/run-files.ts";
import type { AssistantEntry } from "../../core/schemas/transcript.ts";
import { ownPidNamespace } from "../../processes/table/pid-namespace.ts";
import { directoryId } from "../../record/files/regular-file.ts";
import { replayRun } from "../../record/load-run.ts";
import { forEachEntry, lastAnswerOf } from "../../record/read-events.ts";
import { readableAgentFile } from "../../record/read-run.ts";
import { lostAgents } from "../../record/repair.ts";
import { runDirectory } from "../../record/run-directory.ts";
import { type RunLock, takeRunLock } from "../../record/run-lock.ts";
import { createRun, type RunWriter, reopenRun } from "../../record/run-writer.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";
import type { SupervisorHost } from "./run-core.ts";
import { endedFileOf, resumedRunFileOf, runFileOf, runStartedOf, skips } from "./run-files.ts";

/** What resumes a run that is over. */
export interface Resumption {
	lock: RunLock;
	/** The message to the root agent. */
	message?: string;
}

interface BegunRun {
	writer: RunWriter;
	lock: RunLock;
	file: RunFile;
	/** The state before `events`, which are still to be written. */
	state: RunState;
	events: RunEvent[];
}

/** Makes the directory of a new run. Throws AgentreeError when that fails. */
export function beginRun(settings: RunSettings, { now, table }: Pick<SupervisorHost, "now" | "table">): BegunRun {
	const owner = lockOwner(table);
	const supervisor = { pid: owner.pid, startTime: owner.startTime, startedAt: now() };
	const begun = withDirectoryId(runFileOf(settings, supervisor));
	const writer = createRun(settings.home, begun);
	const file = { ...begun, origin: writer.origin };
	const lock = takeRunLock(writer.directory, owner, undefined);
	return { writer, lock, file, state: EMPTY_RUN, events: [runStartedOf(file), ...namings(settings, now())] };
}

/**
 * Opens the directory of a run that is over. Agents that were alive when its supervisor died get an end in the event log.
 * Throws AgentreeError when its files cannot be read or written.
 */
export function resumeRun(
	settings: RunSettings,
	{ lock }: Resumption,
	{ now, table }: Pick<SupervisorHost, "now" | "table">,
): BegunRun {
	const directory = runDirectory(settings.home, settings.run);
	const { file: before, state: recorded, unwritten, lastAt } = replayRun(directory);
	const known = [...unwritten, ...lostAgents(directory, recorded)];
	const state = known.reduce(reduce, recorded);
	const { pid, startTime } = lockOwner(table);
	const writer = reopenRun(directory);
	const { origin } = writer;
	const file = withDirectoryId({ ...resumedRunFileOf(before, settings, { pid, startTime }), origin });
	const ends = agentsInOrder(state).flatMap((agent) => endAfterCrash(agent, { directory, at: lastAt, state }));
	const ended = ends.reduce(reduce, state);
	for (const event of [...known, ...ends]) if (event.event === "agent_ended") writeEnd(writer, event.agent, ended);
	writer.writeRun(file);
	rmSync(settings.socket, { force: true }); // left by a supervisor that was killed; nobody listens on it
	const { limits, model, cwd, version, isConversation } = settings;
	const changed = defined({
		model: model === state.model ? undefined : model,
		cwd: cwd === state.cwd ? undefined : cwd,
		isConversation,
		skipsPermissions: skips(settings),
		noSandbox: settings.noSandbox,
	});
	const resumed: RunEvent = { event: "run_resumed", at: now(), limits, ...changed, pid, startTime, version, origin };
	const events = [...known, ...ends, resumed, ...namings(settings, now())];
	return { writer, lock, file, state: recorded, events };
}

function namings({ name }: RunSettings, at: number): RunEvent[] {
	return name === undefined ? [] : [{ event: "run_named", at, name }];
}

function withDirectoryId({ cwdId: _, ...file }: RunFile): RunFile {
	return { ...file, ...defined({ cwdId: directoryId(file.cwd) }) };
}

/** This process, as the run's lock names it. */
export function lockOwner(table: SupervisorHost["table"]): LockOwner {
	const { pid } = process;
	return { pid, startTime: table.read(pid)?.startTime ?? "", pidNamespace: ownPidNamespace() };
}

/** Writes the agent's end into its agent.json, unless that has this end already: it was written by the supervisor that saw it. */
function writeEnd(writer: RunWriter, agent: AgentId, state: RunState): void {
	const file = readableAgentFile(writer.directory, agent);
	const agentEnd = state.agents[agent]?.state;
	if (file === undefined || agentEnd?.is !== "ended" || file.endedAt === agentEnd.at) return;
	writer.writeAgent(endedFileOf(file, state));
}

/** The events missing from an event log that stopped while an agent was alive: what its own files tell beyond the log, and its end. */

/** The missing events of the agent; none for an agent that is over. */
function endAfterCrash(agent: Agent, { directory, at, state }: LoggedRun): RunEvent[] {
	if (isOver(agent)) return [];
	const file = readableAgentFile(directory, agent.id);
	const turns = unwrittenTurns(agent, lastAnswerOf(directory, agent.id), at);
	const after = turns.reduce(reduce, state).agents[agent.id] ?? agent;
	const charges = unwrittenCharges(after, totalOf(directory, agent.id, file), at);
	const unheard = agent.id === ROOT ? [] : unheardBy(agent, at); // the root goes on, and gets what waits
	return [...turns, ...charges, endOf(agent, file, { at, state }), ...unheard];
}

/** A run up to the end of its event log. */
interface LoggedRun {
	/** The directory of the run. */
	directory: string;
	/** When the last event happened. */
	at: number;
	state: RunState;
}

/** The agent's end. agent.json may have one that the event log lost; an end from before the agent was last resumed does not count. */
function endOf(agent: Agent, file: AgentFile | undefined, { at, state }: { at: number; state: RunState }): RunEvent {
	const { endedAt, ending } = file ?? {};
	const since = "since" in agent.state ? agent.state.since : 0;
	if (endedAt !== undefined && ending !== undefined && endedAt >= since)
		return { event: "agent_ended", at: endedAt, agent: agent.id, ending };
	const reason = state.ended === undefined ? "its supervisor died" : "its run ended";
	const crashed: Ending = { by: "crashed", reason };
	return { event: "agent_ended", at, agent: agent.id, ending: crashed };
}

/** The turns that only the transcript has: an answer is written just before its turn's end, and the event log may have lost turns. */
function unwrittenTurns(agent: Agent, answer: AssistantEntry | undefined, at: number): RunEvent[] {
	if (answer === undefined) return [];
	const { turn, stopReason, usage, costUsd } = answer;
	const ended: RunEvent = { event: "turn_ended", at, agent: agent.id, turn, stopReason, usage, costUsd };
	if (isInTurn(agent) && turn === agent.turns) return [ended];
	const isReport = agent.state.is === "thinking" && agent.state.turn === turn; // the last call at a limit is not counted
	if (turn <= agent.turns || isReport) return [];
	const lost = Array.from({ length: turn - agent.turns }, (_, index) => agent.turns + index + 1);
	const started = lost.map(
		(number): RunEvent => ({ event: "turn_started", at, agent: agent.id, turn: number, isLast: false }),
	);
	return [...started, ended];
}

interface Total {
	usage: Usage;
	costUsd: number | null;
}

/** What the agent has cost beyond what the event log tells, as one charge. */
function unwrittenCharges(agent: Agent, total: Total, at: number): RunEvent[] {
	const usage = eachOf((key) => Math.max(0, (total.usage[key] ?? 0) - (agent.usage[key] ?? 0)));
	const known = addDollars(total.costUsd, agent.costUsd === null ? null : -agent.costUsd);
	const costUsd = known === null ? null : Math.max(0, known);
	if (Object.values(usage).every((tokens) => tokens === 0) && (costUsd === null || costUsd === 0)) return [];
	return [{ event: "turn_cancelled", at, agent: agent.id, turn: agent.turns, usage, costUsd }];
}

/** What the agent has used in its whole life, or since it was copied from another run, by agent.json or its transcript, whichever has more. */
function totalOf(directory: string, agent: AgentId, file: AgentFile | undefined): Total {
	let told: Total = { usage: NO_USAGE, costUsd: 0 };
	forEachEntry(directory, agent, (entry) => {
		if (entry.role === "note" && entry.note === "forked") told = { usage: NO_USAGE, costUsd: 0 };
		if (entry.role === "user" || (entry.role === "note" && entry.note !== "call")) return;
		told = { usage: addUsage(told.usage, entry.usage), costUsd: addDollars(told.costUsd, entry.costUsd) };
	});
	const { usage = NO_USAGE, costUsd = 0 } = file ?? {};
	const most = told.costUsd === null || costUsd === null ? null : Math.max(told.costUsd, costUsd);
	return { usage: eachOf((key) => Math.max(told.usage[key] ?? 0, usage[key] ?? 0)), costUsd: most };
}

function eachOf(tokens: (key: keyof Usage) => number): Usage {
	const [input, output] = [tokens("input"), tokens("output")];
	const cache = { cacheRead: tokens("cacheRead"), cacheWrite: tokens("cacheWrite") };
	return { input, output, ...cache, ...uncountedOf(tokens("uncounted")) };
}
