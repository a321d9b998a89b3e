/**
 * The messages of one agent that are in force, as each request carries them; in no other process's memory. They are what
 * the entries of its transcript make, added one by one: the same while it lives and when its transcript is read again.
 * Only what is in force is held, so a long transcript needs no more memory than its newest part.
 */
import type { AssistantBlock, Message, UserBlock } from "../../core/model.ts";
import type { CommandRecord, CompactionNote, NoteEntry } from "../../core/transcript.ts";
import { totalTokens, type Usage } from "../../core/usage.ts";
import { dropResults } from "./drop-results.ts";
import { bytesOf, type HeldMessage } from "./held-message.ts";
import { validHistory } from "./valid-history.ts";

export type HistoryEntry =
	| { role: "user"; content: readonly UserBlock[]; commands?: readonly CommandRecord[] }
	| { role: "assistant"; content: readonly AssistantBlock[]; usage?: Usage }
	| Exclude<NoteEntry, CompactionNote>
	| Compaction;

/** What of a compaction's note changes the history. */
export type Compaction = Pick<CompactionNote, "role" | "note" | "how" | "summary" | "keptMessages" | "keptResults"> &
	Partial<Pick<CompactionNote, "tokensAfter">>;

export interface InForce {
	/** The task, then the rounds that follow it, or that follow the summary. */
	readonly held: readonly HeldMessage[];
	readonly summary: string;
}

export const BYTES_A_TOKEN = 3; // of code and logs; more in prose, so that the estimate is rather too high

export class History {
	private held: HeldMessage[] = [];
	private summary = "";
	/** Tokens of the context when it was last known, and the bytes that were added since. */
	private known: { tokens: number; newBytes: number } | undefined;
	readonly pathOf: (log: string) => string;

	/** `pathOf`: of a command's log (`out/0003.log`), for the model. */
	constructor(pathOf: (log: string) => string = (log) => log) {
		this.pathOf = pathOf;
	}

	add(entry: HistoryEntry): void {
		if (entry.role === "note") return entry.note === "compaction" ? this.compact(entry) : undefined;
		const message = { role: entry.role, content: [...entry.content] } as Message;
		const commands = entry.role === "user" ? (entry.commands ?? []) : [];
		const bytes = bytesOf(message.content);
		this.held.push({ message, commands, bytes });
		if (entry.role === "user") {
			if (this.known !== undefined) this.known.newBytes += bytes;
			return;
		}
		const tokens = entry.usage === undefined ? 0 : totalTokens(entry.usage);
		this.known = tokens === 0 ? undefined : { tokens, newBytes: 0 }; // a service that counts nothing says nothing
	}

	/** What would be in force after it. */
	after({ how, summary, keptMessages, keptResults }: Compaction): InForce {
		const from = how === "summary" ? Math.max(1, this.held.length - keptMessages) : 1;
		const kept = [...this.held.slice(0, 1), ...this.held.slice(from)];
		return {
			held: keptResults === undefined ? kept : dropResults(kept, keptResults, this.pathOf),
			summary: how === "summary" ? summary : this.summary,
		};
	}

	/** For a service that takes its own thinking no more. False when there is none. */
	dropThinking(): boolean {
		let hasDropped = false;
		this.held = this.held.map((one): HeldMessage => {
			if (one.message.role === "user") return one;
			const content = one.message.content.filter(({ type }) => type !== "thinking" && type !== "redacted_thinking");
			if (content.length === one.message.content.length) return one;
			hasDropped = true;
			return { ...one, message: { role: "assistant", content }, bytes: bytesOf(content) };
		});
		return hasDropped;
	}

	/** Always in the order that the service asks for. */
	get messages(): Message[] {
		return messagesOf(this.inForce);
	}

	get inForce(): InForce {
		return { held: this.held, summary: this.summary };
	}

	/** Of the next request: what the service counted for the newest answer, and an estimate of the rest. */
	tokens(fixedBytes: number): number {
		const { tokens, newBytes } = this.known ?? { tokens: 0, newBytes: fixedBytes + bytesInForce(this.inForce) };
		return tokens + Math.ceil(newBytes / BYTES_A_TOKEN);
	}

	private compact(compaction: Compaction): void {
		const { held, summary } = this.after(compaction);
		this.held = [...held];
		this.summary = summary;
		const { tokensAfter: tokens } = compaction;
		this.known = tokens === undefined ? undefined : { tokens, newBytes: 0 };
	}
}

/** The summary stands behind the task, in the same message: roles stay in turn, since a kept round begins with an answer. */
export function messagesOf({ held, summary }: InForce, last: readonly UserBlock[] = []): Message[] {
	const [task, ...rest] = held.map(({ message }) => message);
	const first: Message[] = task === undefined ? [] : [task];
	if (summary !== "") first.push({ role: "user", content: [{ type: "text", text: `${SUMMARY_FOLLOWS}${summary}` }] });
	return validHistory([...first, ...rest, { role: "user", content: [...last] }]);
}

const SUMMARY_FOLLOWS = "[Older messages were replaced by this summary of yours:]\n\n";

export function bytesInForce({ held, summary }: InForce): number {
	const extra = summary === "" ? 0 : bytesOf(SUMMARY_FOLLOWS) + bytesOf(summary);
	return held.reduce((sum, { bytes }) => sum + bytes, extra);
}
