/**
 * The line of an ask. It has the whole history, so the JSON of each message is made once and kept beside it: a message
 * is never altered.
 */
import type { Message } from "../core/message.ts";
import type { AskKind } from "../core/model.ts";

const texts = new WeakMap<Message, string>();

/** The line that `encode` makes of the message. */
export function encodeAsk(messages: readonly Message[], kind: AskKind): string {
	return `{"say":"ask","kind":${JSON.stringify(kind)},"messages":[${messages.map(textOf).join(",")}]}\n`;
}

function textOf(message: Message): string {
	const text = texts.get(message) ?? JSON.stringify(message);
	texts.set(message, text);
	return text;
}
