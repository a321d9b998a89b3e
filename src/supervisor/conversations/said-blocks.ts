/**
 * What an agent and its model have said, as digests: so an agent's request can be held against it, while the messages
 * themselves are held by the agent alone. A block counts in the form in which it is sent.
 */
import { hash } from "node:crypto";
import { commandLog } from "../../core/command.ts";
import {
	type AssistantBlock,
	answeredIdsIn,
	callIdsIn,
	type Message,
	type UserBlock,
} from "../../core/model/message.ts";
import { GO_ON, INTERRUPTED, LEFT_OUT, pathInDropped, SUMMARY_FOLLOWS } from "../../core/model/placeholder-texts.ts";
import { sentAssistantBlock, sentUserBlock } from "../../core/model/sent-block.ts";
import type { TranscriptEntry } from "../../core/model/transcript.ts";

export class SaidBlocks {
	/** The model's, in their order. */
	private readonly answers: string[] = [];
	private readonly own = new Set<string>();
	private readonly summaries = new Set<string>();
	private readonly logs: string;

	/** `directory`: the agent's, in which its logs lie. */
	constructor(task: string, directory: string) {
		this.logs = `${directory}/`;
		this.addOwn([{ type: "text", text: task }]); // a resumed agent says it anew when its line was lost
	}

	add(entry: TranscriptEntry): void {
		if (entry.role === "user") this.addOwn(entry.content);
		else if (entry.role === "assistant") this.addAnswer(entry.content);
		else if (entry.note === "compaction" && entry.how === "summary") this.summaries.add(digest(entry.summary));
	}

	/** What is wrong with the messages of a request; undefined when they are in order, and nobody has said anything else. */
	fault(messages: readonly Message[]): string | undefined {
		let next = 0; // of the model's blocks
		for (const [n, message] of messages.entries()) {
			const wrong = orderFault(messages, n) ?? (message.role === "user" ? this.ownFault(message.content) : undefined);
			if (wrong !== undefined) return `message ${n} of a request ${wrong}`;
			if (message.role === "assistant") next = this.afterAnswer(message.content, next);
			if (next < 0) return `message ${n} of a request has an answer that the model has not given`;
		}
		return messages.length % 2 === 1 ? undefined : "a request that does not end with a user message";
	}

	/** The index after these blocks, of which each stands after the one before; -1 when one does not. */
	private afterAnswer(content: readonly AssistantBlock[], from: number): number {
		let next = from;
		for (const block of content) {
			const at = this.answers.indexOf(digestOf(block), next);
			if (at < 0) return -1;
			next = at + 1;
		}
		return next;
	}

	private ownFault(content: readonly UserBlock[]): string | undefined {
		return content.every((block) => this.isOwn(block)) ? undefined : "has what was not recorded";
	}

	private addOwn(content: readonly UserBlock[]): void {
		for (const block of content) {
			const sent = sentUserBlock(block);
			if (sent !== undefined) this.own.add(digestOf(sent));
		}
	}

	private addAnswer(content: readonly AssistantBlock[]): void {
		for (const block of content) {
			const sent = sentAssistantBlock(block);
			if (sent !== undefined) this.answers.push(digestOf(sent));
		}
	}

	private isOwn(block: UserBlock): boolean {
		if (this.own.has(digestOf(block))) return true;
		if (hasOtherKeys(block)) return false;
		return block.type === "text" ? this.isTextInPlace(block.text) : this.isResultInPlace(block.content);
	}

	private isTextInPlace(text: string): boolean {
		if (text === GO_ON) return true;
		if (!text.startsWith(SUMMARY_FOLLOWS)) return false;
		let summary = text.slice(SUMMARY_FOLLOWS.length);
		for (const words of LEFT_OUT) if (summary.endsWith(words)) summary = summary.slice(0, -words.length).trimEnd();
		return summary === "" || this.summaries.has(digest(summary));
	}

	private isResultInPlace(content: string): boolean {
		if (content === INTERRUPTED) return true;
		const path = pathInDropped(content);
		if (path === undefined || path === null) return path === null;
		const command = Number(/\d+/.exec(path.slice(this.logs.length))?.[0]);
		return path === `${this.logs}${commandLog(command)}`;
	}
}

function orderFault(messages: readonly Message[], n: number): string | undefined {
	const message = messages[n];
	if (message === undefined || (message.role === "user") !== (n % 2 === 0)) return "is not in turn";
	if (message.content.length === 0) return "is empty";
	return message.role === "assistant" || answersAll(messages[n - 1], message.content)
		? undefined
		: "does not answer each call before it once";
}

/** The results answer the calls, each once, in their order, ahead of any text. */
function answersAll(before: Message | undefined, content: readonly UserBlock[]): boolean {
	const answer = before?.role === "assistant" ? before.content : [];
	const calls = callIdsIn(answer);
	const results = answeredIdsIn(content);
	const areAhead = content.slice(0, results.length).every(({ type }) => type === "tool_result");
	return areAhead && calls.length === results.length && calls.every((id, at) => id === results[at]);
}

const KEYS = { text: ["type", "text"], tool_result: ["type", "tool_use_id", "content", "is_error"] };

/** True for a block with a key, or of a type, that no agent writes. */
export function hasOtherKeys(block: UserBlock): boolean {
	const keys: readonly string[] | undefined = Object.hasOwn(KEYS, block.type) ? KEYS[block.type] : undefined;
	return keys === undefined || Object.keys(block).some((key) => !keys.includes(key));
}

function digestOf(block: UserBlock | AssistantBlock): string {
	return digest(JSON.stringify(block));
}

/** 20 characters of one byte each, since many are held. */
function digest(text: string): string {
	return hash("sha1", text, "latin1" as "hex");
}
