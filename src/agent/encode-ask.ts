/**
 * The line of an ask. It has the whole history, so the JSON of each message is made once and kept beside it: a message
 * is never altered.
 */
import type { Message } from "../core/message.ts";
import type { AskKind, ModelRequest } from "../core/model.ts";

const texts = new WeakMap<Message, string>();

/** The line that `encode` makes of the message, except for the order of the keys. */
export function encodeAsk({ messages, ...rest }: ModelRequest, kind: AskKind): string {
	const head = JSON.stringify({ say: "ask", kind });
	const request = `{"messages":[${messages.map(textOf).join(",")}],${JSON.stringify(rest).slice(1)}`;
	return `${head.slice(0, -1)},"request":${request}}\n`;
}

function textOf(message: Message): string {
	const text = texts.get(message) ?? JSON.stringify(message);
	texts.set(message, text);
	return text;
}
