/** Events of an agent: its begin and end, what people and other agents do to it, its turns and commands. */

import { type CommandEnd, describeCommandEnd } from "../../core/bash-call.ts";
import { depthOf, type Ending, parentOf, ROOT } from "../../core/model/agent.ts";
import { senderName } from "../../core/model/message-marks.ts";
import { totalTokens, type Usage } from "../../core/model/usage.ts";
import { preview } from "../../core/preview.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { describeTodo } from "../../core/todo.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import { formatDuration, formatWait } from "../../text/durations.ts";
import { counted, formatCost, formatTokens, ordinal } from "../../text/numbers.ts";
import { describeUsage } from "../words/usage.ts";
import type { EventFacts } from "./event-facts.ts";
import type { Meaning, Meanings } from "./meaning.ts";

const MESSAGE_PREVIEW = 200;

type AgentEvents = Extract<
	RunEvent["event"],
	`agent_${string}` | `message_${string}` | "child_refused" | "host_refused" | "todo_changed" | "aside_ended"
>;

export const AGENT_MEANINGS: Meanings<AgentEvents> = {
	agent_joined: ({ agent, command, role, task, pid }) => ({
		text: `${joinedHow(agent, command)}${role === undefined ? "" : `, role ${role}`}, pid ${pid}: ${task}`,
		...{ news: agent === ROOT ? undefined : "step" },
		brief: `started${role === undefined ? "" : ` as ${role}`}: ${task}`,
	}),
	agent_resumed: ({ command, pid }) => ({
		text: `resumed${command === undefined ? "" : ` by command ${command}`}, pid ${pid}`,
		news: "step",
	}),
	agent_ended: endMeaning,
	agent_stopping: ({ agent, reason }) => ({
		text: `is stopping: ${reason}`,
		...{ tone: "warn", news: agent === ROOT ? undefined : "run" }, // that of the root is the run's
		...{ isInTranscript: true },
	}),
	agent_paused: ({ isHard, from }) => ({
		text: `was paused${isHard ? " and frozen" : ""} by ${senderName(from)}, with all agents below it`,
		...{ news: "person", isInTranscript: true },
	}),
	agent_continued: ({ from }) => ({
		text: `was continued by ${senderName(from)}, with all agents below it`,
		...{ news: "person", isInTranscript: true },
	}),
	agent_interrupted: ({ from }) => ({ ...news(`was interrupted by ${senderName(from)}`), brief: "interrupted" }),
	agent_listening: ({ reason }) =>
		reason === undefined
			? { text: "waiting for you", news: "step" }
			: { text: `waiting for you: ${reason}`, tone: "warn", news: "run", brief: reason },
	agent_changed: (event) => news(describeChange(event)),
	agent_repeats: ({ command, times }) =>
		warning(`is repeating itself: command ${command} gave the same result ${times} times in a row`),
	message_sent: ({ from, text }) =>
		news(`was sent a message by ${senderName(from)}: ${preview(text, MESSAGE_PREVIEW)}`),
	message_delivered: ({ messages }) => ({
		text: messages === 1 ? "received the message" : `received ${messages} messages`,
	}),
	message_withdrawn: ({ text }) => news(`will not get the withdrawn message: ${preview(text, MESSAGE_PREVIEW)}`),
	message_unheard: ({ from, text }) => ({
		...warning(`ended before it received the message from ${senderName(from)}: ${text}`),
		news: from === null ? "person" : "run",
	}),
	child_refused: ({ code, reason, task }) => ({
		...warning(`could not start a child: ${reason || code}; task: ${task}`),
		brief: `could not start a child: ${reason || code}`,
	}),
	host_refused: ({ reason, others }) => ({
		...warning(`could not reach a host: ${reason}${others === undefined ? "" : `; after ${others} others`}`),
		news: "person",
	}),
	todo_changed: ({ items }) => ({ text: describeTodo(items) ?? "cleared its plan" }),
	aside_ended: ({ usage, costUsd }) => ({
		text: `was asked a side question: ${describeUsage(usage, costUsd)}`,
	}),
};

/** For those who look after the run. */
export function news(text: string) {
	return { text, news: "run", isInTranscript: true } as const;
}

function warning(text: string) {
	return { ...news(text), tone: "warn" } as const;
}

/** Whose child it is stands in its id. */
function joinedHow(agent: string, command: number | undefined): string {
	if (parentOf(agent) === undefined) return "joined as the root";
	return command === undefined ? "joined" : `joined by command ${command}`;
}

/** The root's end is that of the run. That an agent ended because one above it did is no news. */
function endMeaning({ agent, ending }: Extract<RunEvent, { event: "agent_ended" }>, facts: EventFacts): Meaning {
	const isAnswer = ending.by === "answer";
	const isUsual = isAnswer && depthOf(agent) > 1;
	const isByOther = ending.by === "stopped" && /^agent \S+ above it /.test(ending.reason);
	return {
		text: `ended${after(facts)}: ${describeEnding(ending)}${spent(facts)}`,
		tone: isAnswer && !isUsual && agent !== ROOT ? "good" : toneOfEnding(ending),
		news: agent === ROOT || isByOther ? undefined : isUsual || ending.by === "stopped" ? "step" : "run",
		brief: endBrief(ending, facts),
	};
}

/** `FAILED after 5s, $0.0400: no such file`, `answered`. */
function endBrief(ending: Ending, facts: EventFacts): string {
	const { costUsd = 0 } = facts.spent ?? {};
	const how = `${after(facts)}${costUsd === 0 ? "" : `, ${formatCost(costUsd)}`}`;
	switch (ending.by) {
		case "answer":
			return `answered${how}`;
		case "failure":
			return `FAILED${how}: ${shortReason(ending.reason)}`;
		case "limit":
			return `LIMIT${how}: ${ending.reason}`;
		case "crashed":
			return `CRASHED${how}: ${ending.reason}`;
		case "stopped":
			return `stopped${how}: ${ending.reason}`;
		case "killed":
			return `KILLED by ${ending.signal}${how}`;
	}
}

/** The reason without the service's own name of the error behind it. */
function shortReason(reason: string): string {
	return reason.replace(/ \([^()]*\)$/, "");
}

export function toneOfEnding({ by }: Ending): "bad" | "warn" | undefined {
	if (by === "answer") return undefined;
	return by === "stopped" ? "warn" : "bad";
}

export function after({ tookMs }: EventFacts): string {
	return tookMs === undefined ? "" : ` after ${formatDuration(tookMs)}`;
}

function spent({ spent: total }: EventFacts): string {
	if (total === undefined || total.turns === 0) return "";
	const turns = counted(total.turns, "turn");
	if (total.costUsd === 0) return `; ${turns}`;
	return `; ${turns}, ${total.costUsd === null ? "cost unknown" : formatCost(total.costUsd)}`;
}

type Changed = Extract<RunEvent, { event: "agent_changed" }>;

/** The service has told that the model's context is smaller than was known. */
export function isSmallerContext({ model, reason, windowTokens }: Changed): boolean {
	return model === undefined && reason !== undefined && windowTokens !== undefined;
}

/** `changed to model claude-x, effort high; limits updated`. A reason is that its call has failed, which another event tells. */
function describeChange(event: Changed): string {
	const { model, effort, limits, windowTokens, reason } = event;
	if (isSmallerContext(event)) return `has a context of only ${windowTokens} tokens: ${reason}`;
	const to = [
		...(model === undefined ? [] : [`model ${model}`]),
		...(effort === undefined ? [] : [`effort ${effort}`]),
	];
	const parts = [
		...(to.length === 0 ? [] : [`changed to ${to.join(", ")}`]),
		...(limits === undefined ? [] : ["limits updated"]),
	];
	return parts.length === 0 ? "settings unchanged" : parts.join("; ");
}

/** Events of the turns and commands of an agent. */

type TurnEvents = Extract<
	RunEvent["event"],
	`turn_${string}` | `command_${string}` | "budget_noticed" | "history_compacted"
>;

export const TURN_MEANINGS: Meanings<TurnEvents> = {
	turn_queued: ({ reason }) => ({
		text: reason === undefined ? "waiting for a slot" : `waiting: ${reason}`,
		isInTranscript: reason !== undefined,
	}),
	turn_started: ({ purpose, turn, isLast }, facts) => ({
		text:
			purpose === "compaction"
				? "is summarizing older messages"
				: `turn ${turn} started${isLast ? ", the last" : ""}${waited(facts)}`,
	}),
	turn_retrying: (event) => ({
		text: `turn ${event.turn}: ${retryingHow(event)}: ${event.reason}${charged(event)}`,
		...{ tone: "warn", news: "run", isInTranscript: true },
		brief: `${retryingHow(event)}: ${shortReason(event.reason)}`,
	}),
	turn_ended: ({ purpose, turn, stopReason, usage, costUsd }, facts) => ({
		text: `${purpose === undefined ? `turn ${turn} ended` : "its summary ended"}${after(facts)}: ${stopReason}, ${describeUsage(usage, costUsd)}`,
	}),
	turn_failed: (event, facts) => {
		const isTurn = event.purpose === undefined; // then its agent ends, or waits for the person
		return {
			text: `${isTurn ? `turn ${event.turn}` : "its summary"} failed${after(facts)}: ${event.reason}${charged(event)}`,
			...{ tone: "bad", news: isTurn ? "conversation" : "run", isInTranscript: !isTurn },
		};
	},
	turn_cancelled: (event, facts) => ({ text: `turn ${event.turn} was canceled${after(facts)}${charged(event)}` }),
	turn_refused: ({ reason }) => ({
		text: `cannot take another turn: ${reason}`,
		...{ tone: "warn", news: "conversation", isInTranscript: true }, // others are told that its agent has ended for that
	}),
	budget_noticed: ({ reason }) => ({
		text: `was warned about its limits: ${reason}`,
		...{ tone: "warn", news: "run", isInTranscript: true },
	}),
	history_compacted: ({ how, tokensBefore, tokensAfter }) => ({
		text: `replaced older messages (${how === "summary" ? "with a summary" : "old results dropped"}): ${formatTokens(tokensBefore)} to ${formatTokens(tokensAfter)} tokens`,
		news: "step",
	}),
	command_started: ({ command, pid, text }) => ({
		text: `command ${command} started, pid ${pid}: ${text}`,
		...{ news: "step", brief: `$ ${text}` },
	}),
	command_ended: commandEnd,
};

/** An exit status is for the model to judge: `grep` that finds nothing has one, too. What a stop ends is told by the stop. */
function commandEnd(event: Extract<RunEvent, { event: "command_ended" }>, facts: EventFacts): Meaning {
	const { command, end, outputBytes, leftRunning } = event;
	const how = `command ${command} ended${after(facts)}: ${describeCommandEnd(end)}`;
	const left = leftRunning.map(({ pid, name }) => `${name} (${pid})`).join(", ");
	const isUsual = end.by === "exit" || end.by === "stopped";
	return {
		text: `${how}, ${outputBytes} bytes${left === "" ? "" : `, left running: ${left}`}`,
		tone: toneOfCommand(end),
		news: isUsual ? (left === "" ? undefined : "step") : "run",
		brief: `${how}${left === "" ? "" : `, left running: ${left}`}`,
	};
}

function toneOfCommand(end: CommandEnd): "bad" | "warn" | undefined {
	switch (end.by) {
		case "exit":
			return end.code === 0 ? undefined : "warn";
		case "stopped":
			return "warn";
		case "signal":
		case "timeout":
		case "not_started":
			return "bad";
	}
}

/** What needs no wait is no retry of the same: another model or another key is asked. */
function retryingHow({ attempt, waitMs }: { attempt: number; waitMs: number }): string {
	return waitMs === 0 ? "retrying immediately" : `${ordinal(attempt)} retry in ${formatWait(waitMs)}`;
}

const WORTH_SAYING_MS = 1_000;

function waited({ tookMs = 0 }: EventFacts): string {
	return tookMs < WORTH_SAYING_MS ? "" : `, after ${formatDuration(tookMs)} in the queue`;
}

/** What a call without an answer has used. */
function charged({ usage, costUsd }: { usage: Usage; costUsd: number | null }): string {
	return totalTokens(usage) === 0 && costUsd === 0 ? "" : ` (${describeUsage(usage, costUsd)})`;
}
