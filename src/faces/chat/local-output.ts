/**
 * What a person's own command prints: what of it is shown as it comes, and what of it is kept for the next message. Of what
 * comes after that only the end is looked at, when there is no more: a command may print faster than anybody reads. Pure.
 */
import { EARLIER_LEFT_OUT, RAN_HERE } from "../../core/model/message-marks.ts";
import { counted } from "../../text/numbers.ts";
import { redactKnown } from "../../text/safe/redact.ts";
import { OutputLines } from "../../view/follow/command-outputs.ts";
import { type ChatState, type Next, next, print } from "./chat-state.ts";

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
	/** The end of what came when enough was shown; of all of that the bytes and the line feeds are counted. */
	private tail = Buffer.alloc(0);
	private tailBytes = 0;
	private tailFeeds = 0;
	private end = "";

	push(chunk: Uint8Array, now: number): string[] {
		const shown: string[] = [];
		let from = 0;
		while (from < chunk.length && this.hasRoom) {
			const end = chunk.indexOf(LINE_FEED, from) + 1 || chunk.length;
			shown.push(...this.take(this.lines.push(chunk.subarray(from, end), now)));
			from = end;
		}
		this.addToTail(chunk.subarray(from));
		return shown;
	}

	/** A line that has begun and does not end: it may ask something. */
	tick(now: number): string[] {
		return this.hasRoom ? this.take(this.lines.tick(now)) : [];
	}

	close(): string[] {
		const last = this.hasRoom ? this.take(this.lines.end()) : [];
		if (this.tailBytes === 0) return last;
		const lines = this.tailLines().map(redactKnown);
		this.end = `${lines.join("\n")}\n`;
		const atEnd = lines.slice(-SHOWN_AT_END).map((line) => line.slice(-MOST_OF_LINE_AT_END));
		const count = this.tailFeeds + (this.tail.at(-1) === LINE_FEED ? 0 : 1);
		const left = count - atEnd.length;
		return [...last, `… ${left > 0 ? `${counted(left, "line")} omitted` : "output omitted"}`, ...atEnd];
	}

	/** Once it is closed. */
	get kept(): string {
		const all = this.text + this.end;
		const left = all.length - KEPT_BEGIN_CHARS - KEPT_END_CHARS;
		if (left <= 0 && this.isWhole) return all;
		const note = left > 0 && this.isWhole ? `${left} characters` : "much";
		return `${all.slice(0, KEPT_BEGIN_CHARS)}\n[… ${note} omitted]\n${all.slice(KEPT_BEGIN_CHARS).slice(-KEPT_END_CHARS)}`;
	}

	private addToTail(chunk: Uint8Array): void {
		if (chunk.length === 0) return;
		this.tailBytes += chunk.length;
		for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) this.tailFeeds++;
		this.tail = Buffer.concat([this.tail, chunk]).subarray(-TAIL_BYTES);
	}

	private get isWhole(): boolean {
		return this.tail.length === this.tailBytes;
	}

	/** Of a line whose beginning is gone the rest counts only when there is no other. */
	private tailLines(): string[] {
		const lines = new OutputLines();
		const all = [...lines.push(this.tail, 0), ...lines.end()];
		return this.isWhole || all.length < 2 ? all : all.slice(1);
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
	const end = trouble === undefined ? [] : [print(trouble, "bad")];
	if (!local.isKept) return next(after, ...end);
	return next({ ...after, heard: withinRoom([...state.heard, heardText(local.line, output, trouble)]) }, ...end);
}

function withinRoom(heard: readonly string[]): readonly string[] {
	let chars = 0;
	const tooOld = heard.findLastIndex((text) => {
		chars += text.length;
		return chars > MOST_HEARD;
	});
	return tooOld < 0 ? heard : [EARLIER_LEFT_OUT, ...heard.slice(tooOld + 1)];
}

function heardText(line: string, output: string, trouble: string | undefined): string {
	const end = trouble === undefined ? "" : `[${trouble}]\n`;
	const body = output === "" ? "[it printed nothing]\n" : `${output.replace(/\n?$/, "\n")}`;
	return `${RAN_HERE}\n$ ${line}\n${body}${end}`.trimEnd();
}
