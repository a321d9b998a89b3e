/**
 * What a terminal sends, as keys, pastes, mouse events and answers: pure. A sequence that comes in pieces is held until it is
 * whole, so no part of one is taken as a key; the control characters of a paste are text, never keys.
 */
import type { MouseKey } from "./key.ts";

export type TerminalInput =
	/** One key: a character, a control character, or an escape sequence. */
	| { readonly is: "key"; readonly sequence: string }
	/** Text between the marks that a terminal puts around a paste. `isCut`: there was more of it. */
	| { readonly is: "paste"; readonly text: string; readonly isCut?: true }
	| MouseKey
	/** What a terminal answers to a question for its kind, or for the place of its cursor. */
	| { readonly is: "answer"; readonly sequence: string };

/** `key`: escape alone, or the begin of a sequence; people do not type that fast. `paste`: its end has not come. */
export type Held = "nothing" | "key" | "paste";

/** Longer pastes are cut there: who has more to say puts it into a file. */
export const MOST_PASTED = 8 * 1024 * 1024;

const MAX_SEQUENCE = 4096;

export class InputDecoder {
	private held = "";
	private paste: string | undefined;
	private isCut = false;

	get holds(): Held {
		if (this.paste !== undefined) return "paste";
		return this.held === "" ? "nothing" : "key";
	}

	decode(text: string): TerminalInput[] {
		const found: TerminalInput[] = [];
		let rest = this.held + text;
		this.held = "";
		while (rest !== "") {
			const used = this.paste === undefined ? this.takeOne(rest, found) : this.takePaste(rest, found);
			if (used === 0) break;
			rest = rest.slice(used);
		}
		this.held = rest.length > MAX_SEQUENCE ? "" : rest;
		return found;
	}

	/** Gives what is held, since nothing more has come: a lone escape is a key, and a begun sequence is dropped. */
	flush(): TerminalInput[] {
		const { held } = this;
		this.held = "";
		if (this.paste !== undefined) return [this.endPaste(held)];
		if (/^\u001b+$/.test(held)) return [...held].map((sequence) => ({ is: "key", sequence }));
		return held.length === 2 ? [{ is: "key", sequence: held }] : [];
	}

	/** Takes what stands at the begin of the text; returns how much of it, 0 when more of it has to come. */
	private takeOne(text: string, found: TerminalInput[]): number {
		if (!text.startsWith(ESC)) {
			const character = String.fromCodePoint(text.codePointAt(0) ?? 0);
			found.push({ is: "key", sequence: character });
			return character.length;
		}
		const sequence = SEQUENCE.exec(text)?.[0];
		if (sequence === undefined) return BEGUN.test(text) ? 0 : this.takeBroken(text, found);
		if (sequence === PASTE_BEGINS) this.paste = "";
		else found.push(...meaningOf(sequence));
		return sequence.length;
	}

	/** A sequence that cannot end well: dropped up to what broke it. Escape before another key is that key with Alt. */
	private takeBroken(text: string, found: TerminalInput[]): number {
		const broken = BROKEN.exec(text)?.[0];
		if (broken !== undefined) return broken.length;
		found.push({ is: "key", sequence: ESC });
		return ESC.length;
	}

	private takePaste(text: string, found: TerminalInput[]): number {
		const end = text.indexOf(PASTE_ENDS);
		if (end >= 0) {
			found.push(this.endPaste(text.slice(0, end)));
			return end + PASTE_ENDS.length;
		}
		const begun = text.lastIndexOf(ESC);
		const sure = begun >= 0 && PASTE_ENDS.startsWith(text.slice(begun)) ? begun : text.length;
		this.addToPaste(text.slice(0, sure));
		return sure;
	}

	private addToPaste(text: string): void {
		const paste = this.paste ?? "";
		const room = MOST_PASTED - paste.length;
		if (text.length > room) this.isCut = true;
		this.paste = paste + text.slice(0, room);
	}

	/** Terminals send the ends of pasted lines as the enter key does. */
	private endPaste(rest: string): TerminalInput {
		this.addToPaste(rest);
		const { paste = "", isCut } = this;
		this.paste = undefined;
		this.isCut = false;
		const text = paste.replace(/\r\n?/g, "\n");
		return isCut ? { is: "paste", text, isCut } : { is: "paste", text };
	}
}

const ESC = "\u001b";
export const PASTE_BEGINS = `${ESC}[200~`;
export const PASTE_ENDS = `${ESC}[201~`;

/** Whole sequences. The Linux console's function keys are `ESC [ [ A`; rxvt's shifted ones end with `$`. A second escape is Alt. */
const SEQUENCE = new RegExp(
	[
		"\\u001b{1,2}\\[\\[[A-E]",
		"\\u001b{1,2}\\[\\d+\\$(?![ -/]*[@-~])",
		"\\u001b{1,2}\\[(?!\\[)[0-?]*[ -/]*[@-~]",
		"\\u001bO\\d*[A-Za-z]",
		"\\u001b[\\]PX^_][^\\u0007\\u001b]+(?:\\u0007|\\u001b\\\\)",
		"\\u001b[^\\u001b[\\]OPX^_]",
	]
		.map((one) => `^${one}`)
		.join("|"),
	"u",
);
/** Up to the end of what has come, and still without an end. */
const BEGUN =
	/^\u001b{1,2}$|^\u001b{1,2}\[\[?$|^\u001b{1,2}\[[0-?]*[ -/]*$|^\u001bO\d*$|^\u001b[\]PX^_][^\u0007\u001b]*\u001b?$/;
const BROKEN = /^\u001b{1,2}\[[0-?]*[ -/]*|^\u001bO\d*|^\u001b[\]PX^_][^\u0007\u001b]+/;

/** CPR, and DA of any kind. */
const ANSWER = /^\u001b\[(?:\d+;\d+R|[?>=][\d;]*c)$/;

function meaningOf(sequence: string): TerminalInput[] {
	const mouse = /^\u001b\[<(\d+);(\d+);(\d+)([Mm])$/.exec(sequence);
	if (mouse !== null) return mouseEvent(mouse.slice(1, 4).map(Number), mouse[4] === "M");
	if (ANSWER.test(sequence)) return [{ is: "answer", sequence }];
	if (sequence === PASTE_ENDS || /^\u001b[\]PX^_]./.test(sequence)) return [];
	return [{ is: "key", sequence }];
}

const SHIFT_META_CONTROL = 4 | 8 | 16;
const BUTTONS: Readonly<Record<number, MouseKey["button"]>> = { 0: "left", 64: "wheel_up", 65: "wheel_down" };

/** SGR mouse mode: button and modifiers, column, row, then M for a press and m for a release. */
function mouseEvent([code = 0, column = 1, row = 1]: number[], isPress: boolean): TerminalInput[] {
	const button = BUTTONS[code & ~SHIFT_META_CONTROL];
	if (button === undefined || !isPress) return [];
	return [{ is: "mouse", x: Math.max(0, column - 1), y: Math.max(0, row - 1), button }];
}
