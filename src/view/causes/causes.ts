/**
 * Why an agent has ended, or has not: the chain of causes in the event log, nearest first. Where an agent was stopped because
 * of another, the chain continues with that other one. A signal counts as one from outside only when nothing that agentree
 * did can explain it.
 */

import type { CommandEnd } from "../../core/bash-call.ts";
import { defined } from "../../core/defined.ts";
import { limitOfFlag } from "../../core/limits/limits.ts";
import {
	type Agent,
	type AgentId,
	compareAgentIds,
	type Ending,
	isWithin,
	parentOf,
	ROOT,
	type RunningCommand,
} from "../../core/model/agent.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import { pauseOf } from "../../core/run/pause.ts";
import { EMPTY_RUN, type RunState, reduceInPlace } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { Cause } from "./cause.ts";

// The end of a command whose shell was killed is reported when its processes are gone: after the grace, at the latest.
const SETTLES_WITHIN_MS = 6_000;
const NOTICED_WITHIN_MS = 1_000; // the cause of an agent's death is looked for during half a second; its parent's shell may report first

const UNSEEN = { by: "killed", isInferred: true } as const;

type EventOf<E extends RunEvent["event"]> = Extract<RunEvent, { event: E }>;

export interface Log {
	/** All of the run, or those since some time before the end of the agent that is asked about. */
	readonly events: readonly RunEvent[];
	/** As it is after them. */
	readonly run: RunState;
	/** The run's supervisor lives. */
	readonly isSupervised: boolean;
}

/** The causes for `id`; none when the log does not know the agent. `isSupervised`: the run's supervisor lives. */
export function causesOf(events: readonly RunEvent[], agent: AgentId, isSupervised: boolean): Cause[] {
	const nothing: RunState = { ...EMPTY_RUN, agents: {} };
	return causesIn({ events, run: events.reduce(reduceInPlace, nothing), isSupervised }, agent);
}

/** As `causesOf`, for who knows the run's state already. */
export function causesIn(log: Log, id: AgentId): Cause[] {
	const { run, isSupervised, events } = log;
	const agent = run.agents[id];
	if (agent?.state.is === "ended") return causesOfEnd(log, agent, agent.state);
	if (run.ended !== undefined && id === ROOT) {
		const { at, ending } = run.ended;
		return [{ is: "ended", at, agent: id, pid: agent?.pid ?? 0, ending }];
	}
	if (agent === undefined) return [];
	if (run.ended !== undefined) {
		const ending: Ending = { by: "crashed", reason: "its run ended before its own end was recorded" };
		return [{ is: "ended", at: run.ended.at, agent: id, pid: agent.pid, ending }, ...causesIn(log, ROOT)];
	}
	if (isSupervised) return causesOfLife(run, agent);
	return [{ is: "supervisor_died", at: events.at(-1)?.at ?? 0, pid: run.pid }];
}

function causesOfEnd(log: Log, agent: Agent, { at, ending }: { at: number; ending: Ending }): Cause[] {
	const end: Cause = { is: "ended", at, agent: agent.id, pid: agent.pid, ending };
	switch (ending.by) {
		case "answer":
			return [end, ...lastCommandOf(log, agent)];
		case "failure":
			return [end, ...failedTurn(log, agent, ending.reason), ...lastCommandOf(log, agent)];
		case "limit":
			return [end, ...limitSet(log.run, agent, ending.limit)];
		case "crashed":
			return [end, ...(stopOf(log, agent, at) ?? [])];
		case "stopped":
		case "killed":
			return causesOfSignal(log, agent, { ...end, ending, at });
	}
}

function causesOfSignal(log: Log, agent: Agent, end: Extract<Cause, { is: "ended" }>): Cause[] {
	const stop = stopOf(log, agent, end.at);
	if (stop !== undefined) return [end, ...stop];
	const command = commandAround(log, agent, end.at);
	if (command === undefined) return [{ ...end, isFromOutside: true }];
	const { ending } = end;
	const signal = ending.by === "killed" && ending.isInferred ? signalOfCommand(command.end) : undefined;
	const corrected: typeof end = signal === undefined ? end : { ...end, ending: { ...UNSEEN, signal } };
	if (command.end.by !== "exit")
		return [corrected, commandEnded(log.events, command), ...endOfStopper(log, agent, command.end)];
	const isSameDeath = signal !== undefined && command.at >= end.at - NOTICED_WITHIN_MS;
	if (!isSameDeath) return [{ ...end, isFromOutside: true }];
	return [{ ...corrected, isFromOutside: true }, commandEnded(log.events, command)];
}

/** The causes for the parent's end, for a command that ended because its agent, the parent of `agent`, did. None while the parent lives. */
function endOfStopper(log: Log, { id }: Agent, { by }: CommandEnd): Cause[] {
	const parent = parentOf(id);
	if (by !== "stopped" || parent === undefined) return [];
	return log.run.agents[parent]?.state.is === "ended" ? causesIn(log, parent) : [];
}

/** The first request to stop that covered the agent; undefined when there was none. */
function stopOf(log: Log, { id }: Agent, endedAt: number): Cause[] | undefined {
	const { events, run } = log;
	const stop = events.find(
		(event): event is EventOf<"agent_stopping"> =>
			event.event === "agent_stopping" && isWithin(id, event.agent) && event.at <= endedAt,
	);
	if (stop === undefined) return undefined;
	const above = run.agents[parentOf(stop.agent) ?? ""]?.state;
	if (above?.is === "ended" && above.at <= stop.at) return causesIn(log, parentOf(stop.agent) ?? ROOT);
	const stopped = run.agents[stop.agent]?.state;
	const isTold = stop.agent !== id && stopped?.is === "ended" && "reason" in stopped.ending;
	if (isTold && stopped.ending.reason === stop.reason) return causesIn(log, stop.agent);
	return [{ is: "stop_asked", at: stop.at, agent: stop.agent, reason: stop.reason }];
}

/** The end of the parent's command in which the agent ran, unless it came much later. */
function commandAround({ events }: Log, agent: Agent, endedAt: number): EventOf<"command_ended"> | undefined {
	const parent = parentOf(agent.id);
	const end = events.find(
		(event): event is EventOf<"command_ended"> =>
			event.event === "command_ended" && event.agent === parent && event.command === agent.command,
	);
	return end !== undefined && end.at <= endedAt + SETTLES_WITHIN_MS ? end : undefined;
}

/** The end of the agent's own newest command, unless the command ended by itself. */
function lastCommandOf({ events }: Log, { id }: Agent): Cause[] {
	const end = events.findLast(
		(event): event is EventOf<"command_ended"> => event.event === "command_ended" && event.agent === id,
	);
	return end === undefined || end.end.by === "exit" ? [] : [commandEnded(events, end)];
}

function commandEnded(events: readonly RunEvent[], { at, agent, command, end }: EventOf<"command_ended">): Cause {
	const started = events.find(
		(event): event is EventOf<"command_started"> =>
			event.event === "command_started" && event.agent === agent && event.command === command,
	);
	const isFromOutside = end.by === "signal" ? { isFromOutside: true as const } : {};
	return { is: "command_ended", at, agent, command, commandText: started?.text ?? "", end, ...isFromOutside };
}

function failedTurn({ events }: Log, { id, model }: Agent, because: string): Cause[] {
	const failed = events.findLast(
		(event): event is EventOf<"turn_failed"> => event.event === "turn_failed" && event.agent === id,
	);
	if (failed?.reason !== because) return [];
	return [{ is: "turn_failed", at: failed.at, agent: id, turn: failed.turn, model, reason: because }];
}

/** The agent for which the limit was set. None for a limit that a subtree shares: the ending's reason names its holder. */
function limitSet(run: RunState, agent: Agent, limit: string): Cause[] {
	const { key, isShared = false } = limitOfFlag(limit) ?? {};
	if (key === undefined || isShared) return [];
	const value = agent.limits[key];
	if (value === undefined) return [];
	let holder = agent;
	for (let above = run.agents[parentOf(agent.id) ?? ""]; above?.limits[key] === value; ) {
		holder = above;
		above = run.agents[parentOf(above.id) ?? ""];
	}
	return [{ is: "limit_set", at: holder.joinedAt, agent: holder.id, limit, value }];
}

/** The signal behind a command's end: bash exits with 128 plus the number when a program that it ran died by a signal. */

const MAX_SIGNAL = 64;
// Only the numbers that mean the same signal on every system.
const NAMES: Readonly<Record<number, string>> = {
	1: "SIGHUP",
	2: "SIGINT",
	3: "SIGQUIT",
	4: "SIGILL",
	5: "SIGTRAP",
	6: "SIGABRT",
	8: "SIGFPE",
	9: "SIGKILL",
	11: "SIGSEGV",
	13: "SIGPIPE",
	14: "SIGALRM",
	15: "SIGTERM",
	24: "SIGXCPU",
	25: "SIGXFSZ",
};

/** `SIGSEGV`, or `signal 7` where systems differ; undefined for a command that did not end by a signal. */
function signalOfCommand(end: CommandEnd): string | undefined {
	if (end.by === "signal") return end.signal;
	return end.by === "exit" ? signalOfStatus(end.code) : undefined;
}

function signalOfStatus(code: number): string | undefined {
	const signal = code - 128;
	return signal > 0 && signal <= MAX_SIGNAL ? (NAMES[signal] ?? `signal ${signal}`) : undefined;
}

/** Why an agent still lives: what it does, and when it waits, what the agents do that it waits for. */
function causesOfLife(run: RunState, agent: Agent): Cause[] {
	const pause = pauseOf(agent);
	if (pause === undefined) return causesOfDoing(run, agent);
	const { by, since: at, from, isHard } = pause;
	return [{ is: "paused", at, agent: agent.id, by, from, ...defined({ isHard }) }, ...causesOfDoing(run, agent)];
}

function causesOfDoing(run: RunState, agent: Agent): Cause[] {
	const { id, state, asking } = agent;
	if (asking !== undefined && state.is !== "ended")
		return [{ is: "asks", at: asking.since, agent: id, questions: asking.questions }];
	switch (state.is) {
		case "queued":
			return [{ is: "queued", at: state.since, agent: id, ...defined({ reason: state.reason }) }];
		case "thinking":
			return [{ is: "thinks", at: state.since, agent: id, turn: state.turn, ...whyItWaits(run, state.retry) }];
		case "running":
		case "waiting":
			if (agent.running.length === 0) return [{ is: "between_turns", at: state.since, agent: id }];
			return agent.running.flatMap((command) => causesOfCommand(run, agent, command));
		case "listening":
			return [{ is: "listens", at: state.since, agent: id, ...defined({ reason: state.reason }) }];
		case "ended":
			return [];
	}
}

type Thinks = Extract<Cause, { is: "thinks" }>;

function whyItWaits({ slowed }: RunState, retry: Thinks["retry"]): Pick<Thinks, "retry" | "slowed"> {
	if (retry !== undefined || slowed === undefined) return defined({ retry });
	return { slowed: { reason: slowed.reason, until: slowed.until } };
}

function causesOfCommand(run: RunState, { id }: Agent, { command, since, pid, text }: RunningCommand): Cause[] {
	const children = livingChildren(run, id).filter((child) => child.command === command);
	if (children.length === 0) return [{ is: "runs", at: since, agent: id, command, pid, commandText: text }];
	return children.flatMap((child): Cause[] => [
		{ is: "waits_for", at: child.joinedAt, agent: id, child: child.id },
		...causesOfLife(run, child),
	]);
}

function livingChildren({ agents }: RunState, id: AgentId): Agent[] {
	const ids = [...branchOf(agents, id).livingChildren].sort(compareAgentIds);
	return ids.flatMap((child) => agents[child] ?? []);
}
