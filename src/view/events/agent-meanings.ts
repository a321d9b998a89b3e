/** Events of an agent beside its turns: its begin and end, and what people and other agents do to it. */

import { depthOf, type Ending, parentOf, ROOT } from "../../core/model/agent.ts";
import { senderName } from "../../core/model/told-message.ts";
import { preview } from "../../core/preview.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatCost } from "../../text/money.ts";
import { counted } from "../../text/numbers.ts";
import { describeEnding } from "../../text/states.ts";
import { describeTodo } from "../../text/todo.ts";
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
		...{ isInHistory: true },
	}),
	agent_paused: ({ isHard, from }) => ({
		text: `was paused${isHard ? " and frozen" : ""} by ${senderName(from)}, with all agents below it`,
		...{ news: "person", isInHistory: true },
	}),
	agent_continued: ({ from }) => ({
		text: `was continued by ${senderName(from)}, with all agents below it`,
		...{ news: "person", isInHistory: true },
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
		...warning(`was refused a child: ${code}: ${reason}; task: ${task}`),
		brief: `was refused a child: ${reason || code}`,
	}),
	host_refused: ({ reason, others }) => ({
		...warning(`was refused a host: ${reason}${others === undefined ? "" : `; after ${others} others`}`),
		news: "person",
	}),
	todo_changed: ({ items }) => ({ text: describeTodo(items) ?? "cleared its plan" }),
	aside_ended: ({ usage, costUsd }) => ({
		text: `was asked a side question: ${describeUsage(usage, costUsd)}`,
	}),
};

/** For those who look after the run. */
export function news(text: string) {
	return { text, news: "run", isInHistory: true } as const;
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
export function shortReason(reason: string): string {
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
