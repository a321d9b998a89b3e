/**
 * The history of one agent: the messages that its requests carry. It is a fold over the entries of the transcript, so a
 * living agent and one that is resumed from its transcript have the same. Only the current context is held, so that a long
 * transcript needs no more memory than its newest part. No other process has it in memory.
 */

import {
	type AssistantBlock,
	BYTES_A_TOKEN,
	callsIn,
	isOfAnyModel,
	isThought,
	type Message,
	sentAssistantBlock,
	sentUserBlock,
	type ToolResultBlock,
	type UserBlock,
} from "../../core/model/message.ts";
import { droppedResult, GO_ON, INTERRUPTED, SUMMARY_FOLLOWS } from "../../core/model/placeholder-texts.ts";
import { totalTokens, type Usage } from "../../core/model/usage.ts";
import type { CommandRecord, CompactionNote, NoteEntry } from "../../core/schemas/transcript.ts";
import { jsonOf } from "../supervisor-client.ts";

export type HistoryEntry =
	| { role: "user"; content: UserBlock[]; commands?: readonly CommandRecord[] }
	| { role: "assistant"; content: AssistantBlock[]; usage?: Usage }
	| Exclude<NoteEntry, CompactionNote>
	| Compaction;

/** The part of a compaction's note that changes the history. */
export type Compaction = Pick<CompactionNote, "role" | "note" | "how" | "summary" | "keptMessages" | "keptResults"> &
	Partial<Pick<CompactionNote, "tokensAfter">>;

/** The part of the history that the next request has. */
export interface Context {
	/** The task, then the rounds that follow it or the summary. */
	readonly messages: readonly HistoryMessage[];
	/** The summary of the rounds that compactions have removed; empty when there are none. */
	readonly summary: string;
}

export class History {
	private messages: HistoryMessage[] = [];
	private summary = "";
	/** Tokens of the context when the service last counted them, and the bytes added since. */
	private known: { tokens: number; newBytes: number } | undefined;
	readonly pathOf: (log: string) => string;

	/** `pathOf` gives the path by which the model finds a command's log (`out/0003.log`). */
	constructor(pathOf: (log: string) => string = (log) => log) {
		this.pathOf = pathOf;
	}

	add(entry: HistoryEntry): void {
		if (entry.role === "note") return this.addNote(entry);
		const message = { role: entry.role, content: entry.content } as Message;
		const commands = entry.role === "user" ? (entry.commands ?? []) : [];
		const bytes = bytesOf(message.content);
		this.messages.push({ message, commands, bytes });
		if (entry.role === "user") {
			if (this.known !== undefined) this.known.newBytes += bytes;
			return;
		}
		const tokens = entry.usage === undefined ? 0 : totalTokens(entry.usage);
		this.known = tokens === 0 ? undefined : { tokens, newBytes: 0 }; // some models count no tokens
	}

	/** The context that a compaction would leave. */
	compacted({ how, summary, keptMessages, keptResults }: Compaction): Context {
		const from = how === "summary" ? Math.max(1, this.messages.length - keptMessages) : 1;
		const kept = [...this.messages.slice(0, 1), ...this.messages.slice(from)];
		return {
			messages: keptResults === undefined ? kept : dropResults(kept, keptResults, this.pathOf),
			summary: how === "summary" ? summary : this.summary,
		};
	}

	/** Drops the thinking blocks, for a service that refuses its own. False when there are none. `isKept`: those that stay. */
	dropThinking(isKept: (block: AssistantBlock) => boolean = () => false): boolean {
		let hasDropped = false;
		this.messages = this.messages.map((one): HistoryMessage => {
			if (one.message.role === "user") return one;
			const content = one.message.content.filter((block) => !isThought(block) || isKept(block));
			if (content.length === one.message.content.length) return one;
			hasDropped = true;
			return { ...one, message: { role: "assistant", content }, bytes: bytesOf(content) };
		});
		return hasDropped;
	}

	/** Another model goes on, which takes no thoughts of the one before, but such as are bound to none. */
	changeModel(): void {
		this.dropThinking(isOfAnyModel);
	}

	/** As `requestMessages`, without an answer whose commands are under way: its results are still to come. */
	get messagesSoFar(): Message[] {
		const { messages, summary } = this.context;
		const last = messages.at(-1)?.message;
		const isOpen = last?.role === "assistant" && last.content.some(({ type }) => type === "tool_use");
		return requestMessagesOf({ messages: isOpen ? messages.slice(0, -1) : messages, summary });
	}

	/** The messages of the next request, in an order that the service accepts. */
	get requestMessages(): Message[] {
		return requestMessagesOf(this.context);
	}

	get context(): Context {
		return { messages: this.messages, summary: this.summary };
	}

	/** Tokens of the next request: what the service counted for the newest answer, and an estimate of the rest. */
	tokens(fixedBytes: number): number {
		const { tokens, newBytes } = this.known ?? { tokens: 0, newBytes: fixedBytes + contextBytes(this.context) };
		return tokens + Math.ceil(newBytes / BYTES_A_TOKEN);
	}

	private addNote(note: Extract<HistoryEntry, { role: "note" }>): void {
		if (note.note === "compaction") this.compact(note);
		else if (note.note === "changed") this.changeModel();
	}

	private compact(compaction: Compaction): void {
		const { messages, summary } = this.compacted(compaction);
		this.messages = [...messages];
		this.summary = summary;
		const { tokensAfter: tokens } = compaction;
		this.known = tokens === undefined ? undefined : { tokens, newBytes: 0 };
	}
}

/** The messages of a request. The summary joins the task in one message: roles alternate, since a kept round begins with an answer. */
export function requestMessagesOf({ messages, summary }: Context): Message[] {
	const [task, ...rest] = messages.map(({ message }) => message);
	const first: Message[] = task === undefined ? [] : [task];
	if (summary !== "") first.push({ role: "user", content: [{ type: "text", text: `${SUMMARY_FOLLOWS}${summary}` }] });
	return validHistory([...first, ...rest]);
}

export function contextBytes({ messages, summary }: Context): number {
	const extra = summary === "" ? 0 : bytesOf(SUMMARY_FOLLOWS) + bytesOf(summary);
	return messages.reduce((sum, { bytes }) => sum + bytes, extra);
}

/**
 * Turns any messages into a history that the service accepts: a user message first and last, alternating roles, nothing
 * empty, and for each call one result, in the order of the calls and ahead of text. Valid messages stay as they are, and the
 * same messages always give the same history, so what was sent once is sent again byte for byte. Pure. A message is never
 * altered once it is in a history, so what was made of it is kept: a turn costs what it adds, however long the history is.
 */

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

/** Joins neighbors of one role. Drops empty messages and those before the first user message. */
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
	const calls = before?.role === "assistant" ? callsIn(before.content) : [];
	const results = calls.map(({ id }): ToolResultBlock => {
		const given = content.find((block) => block.type === "tool_result" && block.tool_use_id === id);
		if (given?.type === "tool_result") return given;
		return { type: "tool_result", tool_use_id: id, content: INTERRUPTED, is_error: true };
	});
	const texts = content.filter((block) => block.type === "text");
	const blocks = [...results, ...texts];
	return blocks.length === 0 ? [{ type: "text", text: GO_ON }] : blocks;
}

/** Old tool results are what a full context can best do without: a line that names the log stands in place of each. Pure. */

type PathOf = (log: string) => string;

/** Drops all results but the newest `kept`. A result that is not longer than the line in its place stays. */
export function dropResults(messages: readonly HistoryMessage[], kept: number, pathOf: PathOf): HistoryMessage[] {
	let older = messages.reduce((sum, { message }) => sum + message.content.filter(isResult).length, 0) - kept;
	return messages.map((one): HistoryMessage => {
		const { message, commands } = one;
		if (older <= 0 || message.role === "assistant") return one;
		const content = message.content.map((block): UserBlock => {
			if (block.type !== "tool_result") return block;
			older -= 1;
			return older < 0 ? block : shorter(block, lineFor(block, commands, pathOf));
		});
		if (content.every((block, n) => block === message.content[n])) return one;
		return { ...one, message: { role: "user", content }, bytes: bytesOf(content) };
	});
}

/** How many of the newest results may stay so that all messages together have at most `bytes`. */
export function resultsWithin(messages: readonly HistoryMessage[], bytes: number, pathOf: PathOf): number {
	let all = messages.reduce((sum, one) => sum + one.bytes, 0);
	let kept = messages.reduce((sum, { message }) => sum + message.content.filter(isResult).length, 0);
	for (const { message, commands } of messages)
		for (const block of message.content) {
			if (all <= bytes) return kept;
			if (block.type !== "tool_result") continue;
			all -= bytesOf(block) - bytesOf(shorter(block, lineFor(block, commands, pathOf)));
			kept -= 1;
		}
	return kept;
}

function isResult(block: { type: string }): boolean {
	return block.type === "tool_result";
}

function shorter(block: ToolResultBlock, line: string): ToolResultBlock {
	return bytesOf(block.content) <= bytesOf(line) ? block : { ...block, content: line };
}

function lineFor(block: ToolResultBlock, commands: readonly CommandRecord[], pathOf: PathOf): string {
	const record = commands.find(({ toolUseId }) => toolUseId === block.tool_use_id);
	const path = record?.log === undefined ? undefined : pathOf(record.log);
	return droppedResult(record?.outputBytes ?? block.content.length, path);
}

/** A message of the history, with the records of its commands and its size. */
export interface HistoryMessage {
	readonly message: Message;
	/** The commands whose results are in the message. */
	readonly commands: readonly CommandRecord[];
	/** The size of its content in a request. */
	readonly bytes: number;
}

export function bytesOf(content: object | string): number {
	return Buffer.byteLength(typeof content === "string" ? JSON.stringify(content) : jsonOf(content));
}
