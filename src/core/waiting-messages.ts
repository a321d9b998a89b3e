/** The messages that an agent has not got yet, as events tell of them. Pure. */
import type { Agent } from "./agent.ts";
import { defined } from "./defined.ts";
import type { RunEvent } from "./run-event.ts";

export type MessageEvent = Extract<RunEvent, { event: "message_sent" | "message_delivered" }>;

export function afterMessageEvent(agent: Agent, event: MessageEvent): Agent {
	const { messages = [], ...rest } = agent;
	if (event.event === "message_sent") {
		const { from, text, at } = event;
		return { ...rest, messages: [...messages, { from, text, at }] };
	}
	const left = messages.slice(event.messages);
	return { ...rest, ...defined({ messages: left.length === 0 ? undefined : left }) };
}
