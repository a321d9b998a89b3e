/** `agent stop`, and what `agent kill` shares with it: ends a run or an agent, and names what could not be ended. */
import type { Command } from "../../config/command-table.ts";
import { type AgentId, isOver, isWithin, ROOT } from "../../core/agent.ts";
import { parseCookie } from "../../core/cookie.ts";
import { AgentreeError } from "../../core/errors.ts";
import { EMPTY_RUN, livingAgents, type RunState, reduce } from "../../core/run-state.ts";
import type { RunFile } from "../../core/transcript.ts";
import { isRecordedSuspended, killRecorded, openProcessTable } from "../../processes/open-table.ts";
import type { ProcessRef } from "../../processes/process-table.ts";
import { connectAsWatcher, type WatcherConnection } from "../../protocol/watcher-connection.ts";
import { supervisorOf } from "../../store/load-run.ts";
import { newestRuns, readRunFile } from "../../store/read-run.ts";
import { runDirectory } from "../../store/run-directory.ts";
import { describeEnding } from "../../text/states.ts";
import { oneLine } from "../../text/terminal-safe.ts";
import { findRunFor, type Io, isProcessAlive, stateDirectoryFor } from "../io/io.ts";
import { withProcessIo } from "../io/process-io.ts";
import { endLeftovers, newestAbandoned } from "../start/leftovers.ts";

export const command: Command = ([ref]) => withProcessIo((io) => stop({ ref, isKill: false }, io));

export interface StopOptions {
	/** Undefined: the newest living run of this directory; when none lives, one whose supervisor left something alive. */
	ref: string | undefined;
	/** `agent kill`: at once, without SIGTERM and grace. */
	isKill: boolean;
}

const LOOK_MS = 500;

export async function stop({ ref, isKill }: StopOptions, io: Io): Promise<number> {
	const home = stateDirectoryFor(io);
	const found = ref === undefined ? newestAlive(home, io) : findRunFor(io, home, ref);
	const { run, directory, agent = ROOT } = found;
	const file = readRunFile(directory);
	if (file.endedAt !== undefined) return isOverAlready(run, file, io);
	const supervisor = supervisorOf(file);
	if (!isProcessAlive(supervisor)) {
		const left = await endLeftovers(run, openProcessTable(io.env), isKill);
		return report(io, `run ${run}, whose supervisor is dead`, left);
	}
	if (isRecordedSuspended(supervisor)) return meetSuspended({ run, agent, isKill, ...supervisor }, io);
	const connection = await connectAsWatcher(file.socket).catch((error: Error) => {
		throw new AgentreeError(
			"out_of_reach",
			`the supervisor of run ${run} (pid ${file.supervisor.pid}) does not answer: ${error.message}`,
		);
	});
	const words = isKill ? "agent kill" : "agent stop";
	const how = { reason: words, signal: isKill ? 9 : 15, isHurry: isKill };
	const outcome = await Promise.race([askToStop(connection, agent, how), suspension(supervisor)]);
	connection.close();
	if (outcome.is === "suspended") return meetSuspended({ run, agent, isKill, ...supervisor }, io);
	if (outcome.is === "unknown")
		throw new AgentreeError("not_found", `run ${run} has no agent ${agent}: agent ps ${run}`);
	const name = agent === ROOT ? `run ${run}` : `agent ${run}/${agent}`;
	if (outcome.is === "over") {
		io.stderr(`${name} is over already: ${outcome.how}\n`);
		return 0;
	}
	return report(io, `${name} (${outcome.agents} ${outcome.agents === 1 ? "agent" : "agents"})`, outcome.survivors);
}

type Outcome =
	| { is: "unknown" }
	| { is: "over"; how: string }
	| { is: "stopped"; agents: number; survivors: readonly number[] };

/** Resolves when the supervisor says that the stop is done, or has gone with the run. */
function askToStop(
	connection: WatcherConnection,
	agent: AgentId,
	how: { reason: string; signal: number; isHurry: boolean },
): Promise<Outcome> {
	return new Promise((resolve) => {
		let state: RunState = EMPTY_RUN;
		let agents = 0;
		connection.onClose(() => resolve({ is: "stopped", agents, survivors: state.ended?.survivors ?? [] }));
		connection.onMessage((message) => {
			if (message.say === "event") state = reduce(state, message.event);
			if (message.say === "stopped") resolve({ is: "stopped", agents, survivors: message.survivors });
			if (message.say !== "snapshot") return;
			state = message.state;
			const found = state.agents[agent];
			if (found === undefined && agent !== ROOT) return resolve({ is: "unknown" });
			if (found !== undefined && isOver(found) && agent !== ROOT)
				return resolve({ is: "over", how: describeEnding(found.state.ending) });
			agents = livingAgents(state).filter((id) => isWithin(id, agent)).length;
			connection.send({ say: "stop_agent", agent, ...how });
		});
		connection.send({ say: "watch" });
	});
}

/** Resolves when two looks in a row find the supervisor suspended: a single look may see a debugger, or a short stop. */
function suspension(supervisor: ProcessRef): Promise<{ is: "suspended" }> {
	return new Promise((resolve) => {
		let looks = 0;
		const timer = setInterval(() => {
			looks = isRecordedSuspended(supervisor) ? looks + 1 : 0;
			if (looks === 2) resolve({ is: "suspended" });
		}, LOOK_MS);
		timer.unref(); // the connection is what we wait for
	});
}

/** A suspended supervisor answers nobody. It is killed only to end the whole run, never to end one agent. */
async function meetSuspended(suspended: { run: string; agent: AgentId; isKill: boolean } & ProcessRef, io: Io) {
	const { run, agent, isKill, pid, startTime } = suspended;
	if (!isKill || agent !== ROOT) {
		io.stderr(`the supervisor of run ${run} (pid ${pid}) is suspended: kill -CONT ${pid}, or agent kill ${run}\n`);
		return 1;
	}
	const alive = (await killRecorded({ pid, startTime })).map((survivor) => survivor.pid);
	const left = await endLeftovers(run, openProcessTable(io.env), true);
	return report(io, `run ${run}, whose suspended supervisor (pid ${pid}) was killed`, [...alive, ...left]);
}

function newestAlive(home: string, io: Io): { run: string; directory: string; agent?: AgentId } {
	if (parseCookie(io.env) !== undefined) return findRunFor(io, home, undefined);
	for (const { run, directory, file } of newestRuns(home))
		if (file.cwd === io.cwd && file.endedAt === undefined && isProcessAlive(supervisorOf(file)))
			return { run, directory };
	const abandoned = newestAbandoned(home, io.cwd, openProcessTable(io.env));
	if (abandoned !== undefined) return { run: abandoned, directory: runDirectory(home, abandoned) };
	throw new AgentreeError("not_found", "no run of this directory is alive; all that are: agent ps");
}

function isOverAlready(run: string, { ending }: RunFile, io: Io): number {
	io.stderr(`run ${run} is over already${ending === undefined ? "" : `: ${describeEnding(ending)}`}\n`);
	return 0;
}

function report(io: Io, name: string, survivors: readonly number[]): number {
	if (survivors.length === 0) io.stdout(`stopped ${oneLine(name)}\n`);
	else io.stderr(`stopped ${name}, but still alive, and could not be ended: ${survivors.join(", ")}\n`);
	return survivors.length === 0 ? 0 : 1;
}
