/** What people and other agents do to an agent, and what it does beside its turns, as sentences. Pure. */

import { senderName } from "../core/model/told-message.ts";
import { preview } from "../core/preview.ts";
import type { RunEvent } from "../core/run/run-event.ts";
import type { TodoItem } from "../core/schemas/agent.ts";
import { ordinal } from "../text/numbers.ts";
import { describeUsage } from "./words/usage.ts";

const MESSAGE_PREVIEW = 200;

type Act = Extract<
	RunEvent,
	{
		event:
			| `agent_${"repeats" | "paused" | "continued" | "listening" | "interrupted" | "changed"}`
			| `message_${string}`
			| "todo_changed"
			| "aside_ended";
	}
>;

export function describeAct(event: Act): string {
	switch (event.event) {
		case "agent_repeats":
			return `repeats itself: command ${event.command} gave the same result for the ${ordinal(event.times)} time in a row`;
		case "agent_paused":
			return `was paused${event.isHard ? " and frozen" : ""}, with all below it, by ${senderName(event.from)}`;
		case "agent_continued":
			return `goes on, with all below it: ${senderName(event.from)} let it`;
		case "message_sent":
			return `was sent a message by ${senderName(event.from)}: ${preview(event.text, MESSAGE_PREVIEW)}`;
		case "message_delivered":
			return event.messages === 1 ? "gets the message" : `gets ${event.messages} messages`;
		case "message_withdrawn":
			return `does not get the message that was taken back: ${preview(event.text, MESSAGE_PREVIEW)}`;
		case "message_unheard":
			return `ended before it got the message of ${senderName(event.from)}: ${event.text}`;
		case "agent_interrupted":
			return `was interrupted by ${senderName(event.from)}`;
		case "agent_changed":
			return `goes on with ${describeChange(event)}`; // for the reason that its call has failed, which is told
		case "agent_listening":
			return event.reason === undefined ? "waits for you" : `waits for you: ${event.reason}`;
		case "todo_changed":
			return describeTodo(event.items);
		case "aside_ended":
			return `was asked a question beside the conversation: ${describeUsage(event.usage, event.costUsd)}`;
	}
}

/** The service has told that the model's context is smaller than was known. */
export function isSmallerContext({
	model,
	reason,
	windowTokens,
}: Extract<RunEvent, { event: "agent_changed" }>): boolean {
	return model === undefined && reason !== undefined && windowTokens !== undefined;
}

/** `model claude-x, effort high, other limits` */
function describeChange(event: Extract<RunEvent, { event: "agent_changed" }>): string {
	const { model, effort, limits, windowTokens, reason } = event;
	if (isSmallerContext(event)) return `a context of ${windowTokens} tokens: ${reason}`;
	const parts = [
		...(model === undefined ? [] : [`model ${model}`]),
		...(effort === undefined ? [] : [`effort ${effort}`]),
		...(limits === undefined ? [] : ["other limits"]),
	];
	return parts.length === 0 ? "what it had" : parts.join(", ");
}

/** `plans: 2 of 5 done, now: write the test` */
function describeTodo(items: readonly TodoItem[]): string {
	if (items.length === 0) return "has put its plan away";
	const done = items.filter(({ is }) => is === "done").length;
	const now = items.filter(({ is }) => is === "doing").map(({ text }) => preview(text, MESSAGE_PREVIEW));
	return `plans: ${done} of ${items.length} done${now.length === 0 ? "" : `, now: ${now.join("; ")}`}`;
}
