/**
 * What a person's own command prints: what of it is shown as it comes, and what of it is kept for the next message. Of what
 * comes after that only the end is looked at, when there is no more: a command may print faster than anybody reads. Pure.
 */

import { EARLIER_LEFT_OUT, RAN_HERE } from "../../core/model/told-message.ts";
import { counted } from "../../text/numbers.ts";
import { redactKnown } from "../../text/safe/redact.ts";
import { OutputLines } from "../../view/follow/command-outputs.ts";
import { type ChatState, type Next, next, tell } from "./chat-state.ts";

/** Of a longer output the end is shown when it is over. */
const MOST_SHOWN = 500;
const MOST_SHOWN_CHARS = 100_000;
const SHOWN_AT_END = 20;
const MOST_OF_LINE_AT_END = 2_000;
/** For the next message; of more the middle is left out. */
const KEPT_BEGIN_CHARS = 8_000;
const KEPT_END_CHARS = 16_000;
const LINE_FEED = 0x0a;
const TAIL_BYTES = 64 * 1024;

export class LocalOutput {
	private readonly lines = new OutputLines();
	private shown = 0;
	private text = "";
	/** What came when enough was shown. */
	private readonly tail = new OutputTail(TAIL_BYTES);
	private end = "";

	/** The lines to show now. */
	push(chunk: Uint8Array, now: number): string[] {
		const shown: string[] = [];
		let from = 0;
		while (from < chunk.length && this.hasRoom) {
			const end = chunk.indexOf(LINE_FEED, from) + 1 || chunk.length;
			shown.push(...this.take(this.lines.push(chunk.subarray(from, end), now)));
			from = end;
		}
		this.tail.add(chunk.subarray(from));
		return shown;
	}

	/** A line that has begun and does not end: it may ask something. */
	tick(now: number): string[] {
		return this.hasRoom ? this.take(this.lines.tick(now)) : [];
	}

	/** What is to be shown when no more comes. */
	close(): string[] {
		const last = this.hasRoom ? this.take(this.lines.end()) : [];
		if (this.tail.isEmpty) return last;
		const lines = this.tail.lines().map(redactKnown);
		this.end = `${lines.join("\n")}\n`;
		const atEnd = lines.slice(-SHOWN_AT_END).map((line) => line.slice(-MOST_OF_LINE_AT_END));
		const left = this.tail.count - atEnd.length;
		const what = left > 0 ? `${counted(left, "line")} omitted` : "output omitted";
		return [...last, `… ${what}`, ...atEnd];
	}

	/** Once it is closed. */
	get kept(): string {
		const all = this.text + this.end;
		const left = all.length - KEPT_BEGIN_CHARS - KEPT_END_CHARS;
		const isWhole = left <= 0 && this.tail.isWhole;
		if (isWhole) return all;
		const note = left > 0 && this.tail.isWhole ? `${left} characters` : "much";
		return `${all.slice(0, KEPT_BEGIN_CHARS)}\n[… ${note} omitted]\n${all.slice(KEPT_BEGIN_CHARS).slice(-KEPT_END_CHARS)}`;
	}

	private get hasRoom(): boolean {
		return this.shown < MOST_SHOWN && this.text.length < MOST_SHOWN_CHARS;
	}

	private take(lines: readonly string[]): string[] {
		const safe = lines.map(redactKnown);
		this.shown += safe.length;
		this.text += safe.map((line) => `${line}\n`).join("");
		return safe;
	}
}

/** The end of an output that may be endless: what comes is only counted and kept, so each byte costs next to nothing. */

class OutputTail {
	private readonly mostBytes: number;
	private chunks: Uint8Array[] = [];
	private keptBytes = 0;
	private allBytes = 0;
	private lineFeeds = 0;
	private endsLine = true;

	constructor(mostBytes: number) {
		this.mostBytes = mostBytes;
	}

	add(chunk: Uint8Array): void {
		if (chunk.length === 0) return;
		this.allBytes += chunk.length;
		for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) this.lineFeeds++;
		this.endsLine = chunk.at(-1) === LINE_FEED;
		this.chunks.push(chunk.slice(-this.mostBytes));
		this.keptBytes += this.chunks.at(-1)?.length ?? 0;
		while (this.keptBytes - (this.chunks[0]?.length ?? 0) >= this.mostBytes)
			this.keptBytes -= this.chunks.shift()?.length ?? 0;
	}

	get isEmpty(): boolean {
		return this.allBytes === 0;
	}

	/** How many lines there were. */
	get count(): number {
		return this.lineFeeds + (this.endsLine ? 0 : 1);
	}

	get isWhole(): boolean {
		return this.keptBytes === this.allBytes;
	}

	/** The lines that were kept. Of one whose beginning is gone the rest is only given when there is no other. */
	lines(): string[] {
		const lines = new OutputLines();
		const all = [...this.chunks.flatMap((chunk) => lines.push(chunk, 0)), ...lines.end()];
		return this.isWhole || all.length < 2 ? all : all.slice(1);
	}
}

/** What becomes of a command that a person has run in a conversation: what of it the next message carries. Pure. */

/** Characters that a message carries of such commands: the newest ones count. */
const MOST_HEARD = 200_000;

export interface LocalEnd {
	/** What it printed, of much the beginning and the end. */
	readonly output: string;
	/** `exit status 1`, `ended by SIGINT`; undefined: it went well. */
	readonly trouble: string | undefined;
}

export function afterLocal(state: ChatState, { output, trouble }: LocalEnd): Next {
	const { local } = state;
	if (local === undefined) return next(state);
	const after: ChatState = { ...state, local: undefined };
	const told = trouble === undefined ? [] : [tell(trouble, "bad")];
	if (!local.isKept) return next(after, ...told);
	return next({ ...after, heard: withinRoom([...state.heard, heardText(local.line, output, trouble)]) }, ...told);
}

function withinRoom(heard: readonly string[]): readonly string[] {
	let chars = 0;
	const tooOld = heard.findLastIndex((text) => {
		chars += text.length;
		return chars > MOST_HEARD;
	});
	return tooOld < 0 ? heard : [EARLIER_LEFT_OUT, ...heard.slice(tooOld + 1)];
}

/** As the model reads it. */
function heardText(line: string, output: string, trouble: string | undefined): string {
	const end = trouble === undefined ? "" : `[${trouble}]\n`;
	const body = output === "" ? "[it printed nothing]\n" : `${output.replace(/\n?$/, "\n")}`;
	return `${RAN_HERE}\n$ ${line}\n${body}${end}`.trimEnd();
}
