/** Events as sentences, for people. Pure; what agents wrote is made safe for a terminal. */

import { describeCommandEnd } from "../core/command.ts";
import { type AgentId, isWithin, parentOf } from "../core/model/agent.ts";
import type { RunFile } from "../core/model/transcript.ts";
import { totalTokens, type Usage } from "../core/model/usage.ts";
import { foldedMiddle } from "../core/preview.ts";
import { isFilesEvent } from "../core/run/files-event.ts";
import { isQuestionEvent } from "../core/run/questions.ts";
import type { RunEvent } from "../core/run/run-event.ts";
import { formatDuration, formatWait } from "../text/durations.ts";
import { formatCost } from "../text/money.ts";
import { formatTokens, ordinal } from "../text/numbers.ts";
import { oneLine } from "../text/safe/terminal-safe.ts";
import { describeEnding } from "../text/states.ts";
import { describeAct } from "./agent-actions.ts";
import { clockTime } from "./clock-time.ts";
import type { EventFacts } from "./event-facts.ts";
import { describeFiles } from "./files-text.ts";
import { describeQuestionEvent } from "./question-text.ts";
import { describeUsage } from "./words/usage.ts";

const MAX_LINE = 2_000;

/** `20:15:30.123  1.2     turn 3 ended after 12s: tool_use, 1.2k in / 80 out, $0.0100`. The time is local. */
export function eventLine(event: RunEvent, facts?: EventFacts): string {
	return `${eventHead(event)}${foldedMiddle(oneLine(describeEvent(event, facts)), MAX_LINE)}`;
}

/** The time and the agent, in front of what happened. */
export function eventHead(event: RunEvent): string {
	return `${clockTime(event.at)}  ${(subjectOf(event) ?? "run").padEnd(6)}  `;
}

/** The agent that the event happened to; undefined for an event of the whole run. */
export function subjectOf(event: RunEvent): AgentId | undefined {
	if (event.event === "child_refused") return event.parent ?? undefined;
	return "agent" in event ? event.agent : undefined;
}

/** False for events of the whole run and of agents elsewhere. */
export function isAbout(event: RunEvent, root: AgentId): boolean {
	const subject = subjectOf(event);
	return subject !== undefined && isWithin(subject, root);
}

export function describeEvent(event: RunEvent, facts: EventFacts = {}): string {
	if (isFilesEvent(event)) return describeFiles(event);
	if (isQuestionEvent(event)) return describeQuestionEvent(event);
	switch (event.event) {
		case "run_started":
		case "run_resumed":
		case "run_forked":
		case "run_named":
		case "run_stopping":
		case "run_ended":
		case "calls_slowed":
		case "shortage_began":
		case "shortage_ended":
			return describeRun(event, facts);
		case "turn_queued":
		case "turn_started":
		case "turn_retrying":
		case "turn_ended":
		case "turn_failed":
		case "turn_cancelled":
		case "turn_refused":
		case "budget_noticed":
		case "history_compacted":
			return describeTurn(event, facts);
		case "agent_joined":
		case "agent_resumed":
		case "agent_stopping":
		case "agent_ended":
			return describeLife(event, facts);
		case "child_refused":
		case "client_refused":
		case "host_refused":
			return describeRefusal(event);
		case "command_started":
		case "command_ended":
			return describeCommand(event, facts);
		case "agent_repeats":
		case "agent_paused":
		case "agent_continued":
		case "message_sent":
		case "message_delivered":
		case "message_withdrawn":
		case "message_unheard":
		case "agent_listening":
		case "agent_interrupted":
		case "agent_changed":
		case "todo_changed":
		case "aside_ended":
			return describeAct(event);
	}
}

type LifeEvent = Extract<RunEvent, { event: `agent_${"joined" | "resumed" | "stopping" | "ended"}` }>;

function describeLife(event: LifeEvent, facts: EventFacts): string {
	switch (event.event) {
		case "agent_joined":
			return `${joinedHow(event.agent, event.command)}${event.role === undefined ? "" : `, role ${event.role}`}, pid ${event.pid}: ${event.task}`;
		case "agent_resumed":
			return `resumed${event.command === undefined ? "" : ` by command ${event.command}`}, pid ${event.pid}`;
		case "agent_stopping":
			return `is being stopped: ${event.reason}`;
		case "agent_ended":
			return `ended${after(facts)}: ${describeEnding(event.ending)}${spent(facts)}`;
	}
}

function describeRefusal(
	event: Extract<RunEvent, { event: "child_refused" | "client_refused" | "host_refused" }>,
): string {
	switch (event.event) {
		case "child_refused":
			return `refused a child: ${event.code}: ${event.reason}; its task: ${event.task}`;
		case "client_refused":
			return `closed a connection: ${event.reason}${event.others === undefined ? "" : `, and ${event.others} before it`}`;
		case "host_refused":
			return `was refused a host: ${event.reason}${event.others === undefined ? "" : `; and ${event.others} more before it`}`;
	}
}

type CommandEvent = Extract<RunEvent, { event: `command_${string}` }>;

function describeCommand(event: CommandEvent, facts: EventFacts): string {
	switch (event.event) {
		case "command_started":
			return `command ${event.command} started, pid ${event.pid}: ${event.text}`;
		case "command_ended":
			return `command ${event.command} ended${after(facts)}: ${describeCommandEnd(event.end)}, ${event.outputBytes} bytes${leftRunning(event.leftRunning)}`;
	}
}

function skipping({ skipsPermissions, noSandbox }: Pick<RunFile, "skipsPermissions" | "noSandbox">): string {
	if (skipsPermissions) return ", without a sandbox and without questions";
	return noSandbox === undefined ? "" : `, without a sandbox: ${noSandbox}`;
}

type EventOfRun = Extract<RunEvent, { event: `run_${string}` | "calls_slowed" | `shortage_${string}` }>;

function describeRun(event: EventOfRun, facts: EventFacts): string {
	switch (event.event) {
		case "run_started":
			return `started by supervisor ${event.pid}, model ${event.model}${skipping(event)}: ${event.task}`;
		case "run_resumed":
			return `resumed by supervisor ${event.pid}${skipping(event)}`;
		case "run_named":
			return event.name === "" ? "has no name any more" : `is called ${event.name}`;
		case "run_forked":
			return `copied from run ${event.from}, which has spent all of before; this is run ${event.run}`;
		case "calls_slowed":
			return `no calls to the model for ${formatWait(event.waitMs)}: ${event.reason}; then ${event.maxCalls} at once`;
		case "shortage_began":
			return `short of ${event.what}: ${event.reason}`;
		case "shortage_ended":
			return `no longer short of ${event.what}`;
		case "run_stopping":
			return `is being stopped: ${event.reason}`;
		case "run_ended":
			return `ended${after(facts)}: ${describeEnding(event.ending)}, exit code ${event.exitCode}${survived(event.survivors)}${kept(event.leftRunning)}`;
	}
}

type TurnEvent = Extract<RunEvent, { event: `turn_${string}` | "budget_noticed" | "history_compacted" }>;

function describeTurn(event: TurnEvent, facts: EventFacts): string {
	switch (event.event) {
		case "turn_queued":
			return event.reason === undefined ? "waits for a slot" : `waits: ${event.reason}`;
		case "turn_started":
			if (event.purpose === "compaction") return "summarises its older rounds";
			return `turn ${event.turn} started${event.isLast ? ", the last" : ""}${waited(facts)}`;
		case "turn_retrying":
			return `turn ${event.turn}: ${retryingHow(event)}: ${event.reason}${charged(event)}`;
		case "turn_ended":
			return `${event.purpose === undefined ? `turn ${event.turn} ended` : "its summary ended"}${after(facts)}: ${event.stopReason}, ${describeUsage(event.usage, event.costUsd)}`;
		case "turn_failed":
			return `${event.purpose === undefined ? `turn ${event.turn}` : "its summary"} failed${after(facts)}: ${event.reason}${charged(event)}`;
		case "turn_cancelled":
			return `turn ${event.turn} was cancelled${after(facts)}${charged(event)}`;
		case "turn_refused":
			return `refused a turn: ${event.reason}`;
		case "budget_noticed":
			return `was told of its limits: ${event.reason}`;
		case "history_compacted":
			return `replaced older rounds (${event.how === "summary" ? "by a summary" : "old results dropped"}): ${formatTokens(event.tokensBefore)} to ${formatTokens(event.tokensAfter)} tokens`;
	}
}

/** What needs no wait is no retry of the same: another model or another key is asked. */
function retryingHow({ attempt, waitMs }: { attempt: number; waitMs: number }): string {
	return waitMs === 0 ? "retrying at once" : `retrying ${ordinal(attempt)} time in ${formatWait(waitMs)}`;
}

function after({ tookMs }: EventFacts): string {
	return tookMs === undefined ? "" : ` after ${formatDuration(tookMs)}`;
}

const WORTH_SAYING_MS = 1_000;

function waited({ tookMs = 0 }: EventFacts): string {
	return tookMs < WORTH_SAYING_MS ? "" : `, after ${formatDuration(tookMs)} in the queue`;
}

function spent({ spent: total }: EventFacts): string {
	if (total === undefined || total.turns === 0) return "";
	const turns = total.turns === 1 ? "1 turn" : `${total.turns} turns`;
	if (total.costUsd === 0) return `; ${turns}`;
	return `; ${turns}, ${total.costUsd === null ? "cost unknown" : formatCost(total.costUsd)}`;
}

/** What a call without an answer has used. */
function charged({ usage, costUsd }: { usage: Usage; costUsd: number | null }): string {
	return totalTokens(usage) === 0 && costUsd === 0 ? "" : ` (${describeUsage(usage, costUsd)})`;
}

/** Whose child it is stands in its id. */
function joinedHow(agent: AgentId, command: number | undefined): string {
	if (parentOf(agent) === undefined) return "joined as the root";
	return command === undefined ? "joined" : `joined by command ${command}`;
}

function leftRunning(processes: readonly { pid: number; name: string }[]): string {
	if (processes.length === 0) return "";
	return `, left running: ${processes.map(({ pid, name }) => `${name} (${pid})`).join(", ")}`;
}

function kept(left: readonly { pid: number; name: string }[] = []): string {
	return left.length === 0 ? "" : `, left running: ${left.map(({ pid, name }) => `${pid} (${name})`).join(", ")}`;
}

function survived(pids: readonly number[]): string {
	return pids.length === 0 ? "" : `, still alive: ${pids.join(", ")}`;
}
