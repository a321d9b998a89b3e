/**
 * An agent that goes on: its history is what its transcript makes, but a command whose result is not there is never run
 * again. However long the transcript is, only what a request may carry is held: of one that no compaction has cut, the
 * task and the newest rounds.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type AssistantBlock, textOf, type UserBlock } from "../../core/model.ts";
import type { AssistantEntry, TranscriptEntry } from "../../core/transcript.ts";
import type { ChildBefore, Joined, Resumed } from "../../protocol/agent-messages.ts";
import { forEachEntry } from "../../store/read-events.ts";
import { damageByKind } from "../../store/recovery/damage.ts";
import type { UserContent } from "../user-content.ts";
import { bytesInForce, type History } from "./history.ts";
import { INTERRUPTED } from "./valid-history.ts";

export interface Restored {
	/** What is said first. */
	firstMessage: UserContent;
	/** Of before: its newest text. */
	lastWords: string;
	/** It had answered, and was ended before it could say so: there is nothing more to do. */
	answer?: string;
	/** The highest number that a command of it has had. */
	commands: number;
	/** One line each, for people. */
	damage: string[];
}

const BYTES_A_TOKEN = 4;
const LEAST_BYTES = 2 * 1024 * 1024;
const MAX_WORDS = 50_000; // characters of a child's words
const LEAST_WORDS = 4_000; // also where all children's together are more than a quarter of the context
const LEFT_OUT =
	"[Messages of before were left out when this agent was resumed, since they are more than a request may carry; its transcript has them all.]";

/** Adds to `history`, which is empty, what is in force of the transcript. */
export function restore(history: History, joined: Joined, resumed: Resumed): Restored {
	const before = new Before(history, joined);
	const damage = forEachEntry(runDirectoryOf(joined), joined.agent, (entry) => before.add(entry));
	const content = before.isEmpty ? [text(joined.task)] : [];
	const isReport = resumed.reason.startsWith("limit:"); // what it said last was what it had, not what it was asked for
	const hasMore = isReport || resumed.message !== undefined;
	const words = wordsOf(resumed, before.recorded, joined.contextTokens);
	return {
		firstMessage: { content: [...content, ...before.closing(), text(words)] },
		lastWords: before.lastWords,
		...(before.answer === undefined || hasMore ? {} : { answer: before.answer }),
		commands: Math.max(0, ...before.recorded, ...loggedCommands(joined.directory)),
		damage: [...resumed.damage, ...damageByKind(damage)],
	};
}

class Before {
	isEmpty = true;
	lastWords = "";
	/** Of its newest message, when that is one. */
	answer: string | undefined;
	/** The commands whose results it has. */
	readonly recorded = new Set<number>();
	private open: string[] = [];
	private newBytes = 0;
	private readonly history: History;
	private readonly task: string;
	private readonly maxBytes: number;

	constructor(history: History, { task, contextTokens }: Joined) {
		this.history = history;
		this.task = task;
		this.maxBytes = Math.max(LEAST_BYTES, contextTokens * BYTES_A_TOKEN);
	}

	add(entry: TranscriptEntry): void {
		if (this.isEmpty && entry.role === "assistant") this.history.add({ role: "user", content: [text(this.task)] }); // the line with it was lost
		if (entry.role !== "note") this.isEmpty = false;
		if (entry.role === "assistant") {
			this.lastWords = textOf(entry.content) || this.lastWords;
			this.open = callsIn(entry.content);
			this.answer = answerIn(entry);
		}
		if (entry.role === "user") {
			this.open = [];
			this.answer = undefined;
			for (const { command } of entry.commands ?? []) this.recorded.add(command);
		}
		this.history.add(entry);
		this.newBytes += this.history.inForce.held.at(-1)?.bytes ?? 0;
		if (this.newBytes > this.maxBytes / 2) this.fit();
	}

	/** Nobody knows what the calls under way have done. */
	closing(): UserBlock[] {
		return this.open.map((id) => ({ type: "tool_result", tool_use_id: id, content: INTERRUPTED, is_error: true }));
	}

	/** Leaves whole rounds out, the oldest first: what is kept begins with an answer. */
	private fit(): void {
		this.newBytes = 0;
		const { held, summary } = this.history.inForce;
		if (bytesInForce({ held, summary }) <= this.maxBytes) return;
		let bytes = 0;
		let kept = 0;
		for (let at = held.length - 1; at > 0; at--) {
			bytes += held[at]?.bytes ?? 0;
			if (bytes > this.maxBytes / 2) break;
			if (held[at]?.message.role === "assistant") kept = held.length - at;
		}
		const said = summary.includes(LEFT_OUT) ? summary : `${summary}\n\n${LEFT_OUT}`.trim();
		this.history.add({ role: "note", note: "compaction", how: "summary", summary: said, keptMessages: kept });
	}
}

function wordsOf({ reason, message, children }: Resumed, recorded: ReadonlySet<number>, contextTokens: number): string {
	if (reason === "answer" && message !== undefined) return message;
	const unknown = children.filter(({ command }) => command === undefined || !recorded.has(command));
	const share = Math.min(MAX_WORDS, Math.max(LEAST_WORDS, Math.floor(contextTokens / unknown.length)));
	const words = [
		`You were interrupted (${reason}) and go on now. No command was run again, and what was under way may have done a part of its work: look before you repeat anything.`,
		...unknown.map((child) => childWords(child, share)),
	];
	if (message !== undefined) words.push(`Also: ${message}`);
	return words.join("\n\n");
}

function childWords(child: ChildBefore, share: number): string {
	const { agent, task, lastWords, hasAnswered, command } = child;
	const known =
		command === undefined ? " (perhaps you have seen it: by which command it was started is not known)" : "";
	if (hasAnswered) return `Your agent ${agent} (${task}) had answered${known}:\n${partOf(child, share)}`;
	const said = lastWords === "" ? "It had said nothing." : `Its last words: ${partOf(child, share)}`;
	const how = `To take it up, run in bash: agent resume ${agent} - it goes on with its own history, and its stdout is its answer.`;
	return `Your agent ${agent} (${task}) had not answered. ${said}\n${how}`;
}

function partOf({ agent, lastWords, transcript, characters = lastWords.length }: ChildBefore, share: number): string {
	const part = lastWords.slice(0, share).toWellFormed();
	if (part.length === characters) return part;
	return `${part}…\n[cut: ${part.length} of ${characters} characters; the whole text: agent show ${agent}, or the last line of ${transcript}]`;
}

function answerIn({ content, stopReason }: AssistantEntry): string | undefined {
	const words = textOf(content);
	const isAnswer = stopReason === "end_turn" || stopReason === "stop_sequence";
	return isAnswer && words.trim() !== "" && callsIn(content).length === 0 ? words : undefined;
}

function callsIn(content: readonly AssistantBlock[]): string[] {
	return content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
}

/** Also of commands whose end was never written down: their logs must not be written over. */
function loggedCommands(directory: string): number[] {
	try {
		return readdirSync(join(directory, "out"))
			.flatMap((name) => /^(\d+)\.log$/.exec(name)?.[1] ?? [])
			.map(Number);
	} catch {
		return []; // made when it is needed
	}
}

/** The agent's directory lies as deep in it as its path is long. */
function runDirectoryOf({ directory, agent }: Joined): string {
	return join(directory, ...agent.split(".").map(() => ".."));
}

function text(words: string): UserBlock {
	return { type: "text", text: words };
}
