/**
 * The history of one agent: the messages that its requests carry. It is a fold over the entries of the transcript, so a
 * living agent and one that is resumed from its transcript have the same. Only the current context is held, so that a long
 * transcript needs no more memory than its newest part. No other process has it in memory.
 */
import {
	type AssistantBlock,
	isOfAnyModel,
	isThought,
	type Message,
	type UserBlock,
} from "../../core/model/message.ts";
import { SUMMARY_FOLLOWS } from "../../core/model/placeholder-texts.ts";
import type { CommandRecord, CompactionNote, NoteEntry } from "../../core/model/transcript.ts";
import { totalTokens, type Usage } from "../../core/model/usage.ts";
import { dropResults } from "./drop-results.ts";
import { bytesOf, type HistoryMessage } from "./history-message.ts";
import { validHistory } from "./valid-history.ts";

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

export const BYTES_A_TOKEN = 3; // in code and logs; in prose a token has more, so the estimate is rather too high

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

	/** As \`requestMessages\`, without an answer whose commands are under way: its results are still to come. */
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
