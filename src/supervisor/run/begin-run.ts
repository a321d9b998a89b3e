/** The beginning of a run, or of its resumption: its lock, its files, and the events with which this supervisor begins. */
import { rmSync } from "node:fs";
import { defined } from "../../core/defined.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { LockOwner, RunFile } from "../../core/model/transcript.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { agentsInOrder, EMPTY_RUN, type RunState, reduce } from "../../core/run/run-state.ts";
import { ownPidNamespace } from "../../processes/table/pid-namespace.ts";
import { directoryId } from "../../record/files/regular-file.ts";
import { replayRun } from "../../record/load-run.ts";
import { readableAgentFile } from "../../record/read-run.ts";
import { lostAgents } from "../../record/repair.ts";
import { runDirectory } from "../../record/run-directory.ts";
import { type RunLock, takeRunLock } from "../../record/run-lock.ts";
import { createRun, type RunWriter, reopenRun } from "../../record/run-writer.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";
import { endAfterCrash } from "./crash-recovery.ts";
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
