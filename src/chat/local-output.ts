/** What a person's own command prints: what of it is shown as it comes, and what of it is kept for the next message. Pure. */
import { OutputLines } from "../text/output-lines.ts";
import { redactKnown } from "../text/redact.ts";

/** Of a longer output the end is shown when it is over. */
const MOST_SHOWN = 500;
const SHOWN_AT_END = 20;
/** For the next message; of more the middle is left out. */
const KEPT_BEGIN_CHARS = 8_000;
const KEPT_END_CHARS = 16_000;

export class LocalOutput {
	readonly #lines = new OutputLines();
	#shown = 0;
	#unshown: string[] = [];
	#unshownCount = 0;
	#begin = "";
	#end = "";
	#leftOut = 0;

	/** The lines to show now. */
	push(chunk: Uint8Array, now: number): string[] {
		return this.#take(this.#lines.push(chunk, now));
	}

	/** A line that has begun and does not end: it may ask something. */
	tick(now: number): string[] {
		return this.#take(this.#lines.tick(now));
	}

	/** What is to be shown when no more comes. */
	close(): string[] {
		const last = this.#take(this.#lines.end());
		const left = this.#unshownCount - this.#unshown.length;
		const note = left === 0 ? [] : [`… ${left} ${left === 1 ? "line" : "lines"} left out here`];
		return [...last, ...note, ...this.#unshown.splice(0)];
	}

	get kept(): string {
		if (this.#end === "") return this.#begin;
		const note = this.#leftOut === 0 ? "" : `[… ${this.#leftOut} characters left out]\n`;
		return `${this.#begin}${note}${this.#end}`;
	}

	#take(lines: readonly string[]): string[] {
		const safe = lines.map(redactKnown);
		for (const line of safe) this.#keep(`${line}\n`);
		const room = Math.max(0, MOST_SHOWN - this.#shown);
		this.#shown += safe.length;
		const rest = safe.slice(room);
		this.#unshownCount += rest.length;
		this.#unshown = [...this.#unshown, ...rest].slice(-SHOWN_AT_END);
		return safe.slice(0, room);
	}

	#keep(text: string): void {
		if (this.#end === "" && this.#begin.length + text.length <= KEPT_BEGIN_CHARS) {
			this.#begin += text;
			return;
		}
		const all = this.#end + text;
		this.#leftOut += Math.max(0, all.length - KEPT_END_CHARS);
		this.#end = all.slice(-KEPT_END_CHARS);
	}
}
