/** The messages that an agent has not got yet, as events tell of them. Pure. */
import type { Agent } from "./agent.ts";
import { defined } from "./defined.ts";
import type { RunEvent } from "./run-event.ts";
import type { WaitingMessage } from "./schemas/agent.ts";

export type MessageEvent = Extract<RunEvent, { event: "message_sent" | "message_delivered" | "message_withdrawn" }>;

export function afterMessageEvent(agent: Agent, event: MessageEvent): Agent {
	const { messages = [], ...rest } = agent;
	const left = leftAfter(messages, event);
	return { ...rest, ...defined({ messages: left.length === 0 ? undefined : left }) };
}

function leftAfter(messages: readonly WaitingMessage[], event: MessageEvent): readonly WaitingMessage[] {
	switch (event.event) {
		case "message_sent": {
			const { from, text, at } = event;
			return [...messages, { from, text, at }];
		}
		case "message_delivered":
			return messages.slice(event.messages);
		case "message_withdrawn": {
			const at = newestOfPerson(messages);
			return at < 0 ? messages : messages.toSpliced(at, 1);
		}
	}
}

/** The index of the newest message that a person has sent; -1 when there is none. */
export function newestOfPerson(messages: readonly Pick<WaitingMessage, "from">[]): number {
	return messages.findLastIndex(({ from }) => from === null);
}
