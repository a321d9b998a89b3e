/** The messages that an agent has not got yet, as events tell of them. Pure. */

import { defined } from "../defined.ts";
import type { Agent } from "../model/agent.ts";
import { preview } from "../preview.ts";
import type { RunEvent } from "../schemas/run-event.ts";
import type { WaitingMessage } from "../schemas/run-state.ts";

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

const UNHEARD_PREVIEW = 200;

/** The events that tell of the messages that an agent has not got which has ended. */
export function unheardBy(agent: Agent | undefined, at: number): RunEvent[] {
	const { id: to = "", messages = [] } = agent ?? {};
	return messages.map(({ from, text }) => {
		return { event: "message_unheard", at, agent: to, from, text: preview(text, UNHEARD_PREVIEW) };
	});
}

/** The index of the newest message that a person has sent; -1 when there is none. */
export function newestOfPerson(messages: readonly Pick<WaitingMessage, "from">[]): number {
	return messages.findLastIndex(({ from }) => from === null);
}
