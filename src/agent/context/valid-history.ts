/**
 * Turns any messages into a history that the service accepts: a user message first and last, alternating roles, nothing
 * empty, and for each call one result, in the order of the calls and ahead of text. Valid messages stay as they are, and the
 * same messages always give the same history, so what was sent once is sent again byte for byte. Pure. A message is never
 * altered once it is in a history, so what was made of it is kept: a turn costs what it adds, however long the history is.
 */
import {
	type AssistantBlock,
	isThought,
	type Message,
	type ToolResultBlock,
	type UserBlock,
} from "../../core/model/message.ts";
import { GO_ON, INTERRUPTED } from "../../core/model/placeholder-texts.ts";
import { sentAssistantBlock, sentUserBlock } from "../../core/model/sent-block.ts";

export function validHistory(messages: readonly Message[]): Message[] {
	const grouped = inTurns(messages.map((message) => kept(cleaned, message, withoutEmpty)));
	if (grouped.at(-1)?.role !== "user") grouped.push({ role: "user", content: [] });
	return grouped.map((message, at) => (message.role === "user" ? answering(message, grouped[at - 1]) : message));
}

const cleaned = new WeakMap<Message, Message>();
const answered = new WeakMap<Message, { before: Message | undefined; answer: Message }>();

function kept<K extends object, V>(known: WeakMap<K, V>, key: K, make: (key: K) => V): V {
	const value = known.get(key) ?? make(key);
	known.set(key, value);
	return value;
}

function withoutEmpty(message: Message): Message {
	if (message.role === "assistant") return withContent(message, withoutLastThoughts(message.content));
	return withContent(
		message,
		message.content.flatMap((block) => sentUserBlock(block) ?? []),
	);
}

/** The message itself where its content is that already: its JSON has been made. */
function withContent(message: Message, content: readonly (UserBlock | AssistantBlock)[]): Message {
	const isSame = content.length === message.content.length && content.every((block, n) => block === message.content[n]);
	return isSame ? message : ({ role: message.role, content } as Message);
}

/** Drops trailing thinking: the service refuses an assistant message that ends with it, as one that was cut does. */
function withoutLastThoughts(content: readonly AssistantBlock[]): AssistantBlock[] {
	const said = content.flatMap((block) => sentAssistantBlock(block) ?? []);
	const last = said.findLastIndex((block) => !isThought(block));
	return said.slice(0, last + 1);
}

/** Joins neighbours of one role. Drops empty messages and those before the first user message. */
function inTurns(messages: readonly Message[]): Message[] {
	const grouped: Message[] = [];
	for (const message of messages) {
		const { role, content } = message;
		const last = grouped.at(-1);
		if (content.length === 0 || (last === undefined && role === "assistant")) continue;
		if (last?.role !== role) grouped.push(message);
		else grouped[grouped.length - 1] = { role, content: [...last.content, ...content] } as Message;
	}
	return grouped;
}

function answering(message: Extract<Message, { role: "user" }>, before: Message | undefined): Message {
	const known = answered.get(message);
	if (known !== undefined && known.before === before) return known.answer;
	const answer = withContent(message, answerTo(before, message.content));
	answered.set(message, { before, answer });
	return answer;
}

function answerTo(before: Message | undefined, content: readonly UserBlock[]): UserBlock[] {
	const calls = before?.role === "assistant" ? before.content.filter((block) => block.type === "tool_use") : [];
	const results = calls.map(({ id }): ToolResultBlock => {
		const given = content.find((block) => block.type === "tool_result" && block.tool_use_id === id);
		if (given?.type === "tool_result") return given;
		return { type: "tool_result", tool_use_id: id, content: INTERRUPTED, is_error: true };
	});
	const texts = content.filter((block) => block.type === "text");
	const blocks = [...results, ...texts];
	return blocks.length === 0 ? [{ type: "text", text: GO_ON }] : blocks;
}
