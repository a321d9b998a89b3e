/** What a terminal sends, byte by byte, as keys, in the order in which they came. */
import { StringDecoder } from "node:string_decoder";
import { stripControl } from "../../text/safe/terminal-safe.ts";
import { SilenceTimer } from "../terminal/timers.ts";
import { ESC, type Key, keyOf, type MouseKey, PASTE_BEGINS, PASTE_ENDS } from "./key.ts";

export interface KeyReaderOptions {
	readonly onKey: (key: Key) => void;
	readonly onAnswer?: (sequence: string) => void;
	/**
	 * `text`: what comes in one read is one text, and a paste where it has lines. `commands`: each character is a key of its own, and
	 * the end of a line is Enter.
	 */
	readonly keysAre: "text" | "commands";
	readonly now: () => number;
	readonly silence?: Pick<SilenceTimer, "start" | "stop">;
}

/** A terminal writes a sequence in one go. Over a slow line its pieces come at once all the same, or within this time. */
const KEY_SILENCE_MS = 30;
/** Else the end of a paste that is lost would make the program ignore all keys. */
const PASTE_SILENCE_MS = 1_000;
/** A terminal's paste that fills more than one read comes without a rest. */
const UNMARKED_PASTE_MS = 50;

export class KeyReader {
	readonly #options: KeyReaderOptions;
	readonly #decoder = new InputDecoder();
	readonly #characters = new StringDecoder("utf8");
	readonly #silence: Pick<SilenceTimer, "start" | "stop">;
	#lastPasteAt = Number.NEGATIVE_INFINITY;
	#isClosed = false;

	constructor(options: KeyReaderOptions) {
		this.#options = options;
		this.#silence = options.silence ?? new SilenceTimer();
	}

	read(bytes: Buffer | string): void {
		this.#silence.stop();
		this.#emit(this.#decoder.decode(typeof bytes === "string" ? bytes : this.#characters.write(bytes)));
		const { holds } = this.#decoder;
		if (this.#isClosed || holds === "nothing") return;
		const ms = holds === "paste" ? PASTE_SILENCE_MS : KEY_SILENCE_MS;
		this.#silence.start(ms, () => this.#emit(this.#decoder.flush()));
	}

	/** Reads no more. The keys of the read under way are still emitted. */
	close(): void {
		this.#isClosed = true;
		this.#silence.stop();
	}

	/** What came in one read, or what was held until it was clear that no more comes. */
	#emit(inputs: readonly TerminalInput[]): void {
		if (inputs.length === 0 || this.#isClosed) return;
		const { keysAre, onKey, onAnswer, now } = this.#options;
		for (const input of inputs) if (input.is === "answer") onAnswer?.(input.sequence);
		if (keysAre === "commands") {
			for (const input of inputs) for (const key of asList(keyOfInput(input))) onKey(key);
			return;
		}
		const at = now();
		const keys = textKeys(inputs, at - this.#lastPasteAt <= UNMARKED_PASTE_MS);
		if (isUnmarkedPaste(inputs, keys)) this.#lastPasteAt = at;
		for (const key of keys) onKey(key);
	}
}

function keyOfInput(input: TerminalInput): Key | undefined {
	switch (input.is) {
		case "key":
			return keyOf(input.sequence);
		case "paste":
			return { ...input, text: stripControl(input.text) };
		case "mouse":
			return input;
		case "answer":
			return undefined;
	}
}

/**
 * A person's keys come one by one, or a few at once where the line is slow. A line end with text before and behind it in one read
 * is a paste from a terminal that does not mark pastes, or text of an input method: it is no Enter, and sends nothing.
 * `isAfterPaste`: an unmarked paste has just been read, and this may be more of it.
 */
function textKeys(inputs: readonly TerminalInput[], isAfterPaste: boolean): Key[] {
	const keys: Key[] = [];
	let run = "";
	for (const input of inputs) {
		if (input.is === "key" && isOfText(input.sequence)) {
			run += input.sequence;
			continue;
		}
		keys.push(...keysOfRun(run, isAfterPaste), ...asList(keyOfInput(input)));
		run = "";
	}
	keys.push(...keysOfRun(run, isAfterPaste));
	return keys;
}

function isUnmarkedPaste(inputs: readonly TerminalInput[], keys: readonly Key[]): boolean {
	return keys.some(({ is }) => is === "paste") && !inputs.some(({ is }) => is === "paste");
}

function isOfText(sequence: string): boolean {
	return sequence > "\u009f" || (sequence >= " " && sequence < "\u007f") || /^[\t\n\r]$/.test(sequence);
}

const LINE_END_WITHIN = /[^\r\n][\r\n]+[^\r\n]/;
const LINE_END = /[\r\n]/;

function keysOfRun(run: string, isAfterPaste: boolean): Key[] {
	if (LINE_END_WITHIN.test(run) || (isAfterPaste && LINE_END.test(run)))
		return [{ is: "paste", text: stripControl(run) }];
	return run
		.split(/(\r\n|[\t\n\r])/)
		.filter((piece) => piece !== "")
		.flatMap((piece) =>
			/^[\t\n\r]/.test(piece) ? asList(keyOf(piece.charAt(0))) : [{ is: "text", text: piece } as const],
		);
}

function asList(key: Key | undefined): Key[] {
	return key === undefined ? [] : [key];
}

/**
 * What a terminal sends, as keys, pastes, mouse events and answers: pure. A sequence that comes in pieces is held until it is
 * whole, so no part of one is taken as a key; the control characters of a paste are text, never keys.
 */

type TerminalInput =
	/** One key: a character, a control character, or an escape sequence. */
	| { readonly is: "key"; readonly sequence: string }
	/** Text between the marks that a terminal puts around a paste. `isCut`: there was more of it. */
	| { readonly is: "paste"; readonly text: string; readonly isCut?: true }
	| MouseKey
	/** What a terminal answers to a question for its kind, or for the place of its cursor. */
	| { readonly is: "answer"; readonly sequence: string };

/** `key`: escape alone, or the begin of a sequence; people do not type that fast. `paste`: its end has not come. */
type Held = "nothing" | "key" | "paste";

/** Longer pastes are cut there: such text belongs in a file. */
export const MOST_PASTED = 8 * 1024 * 1024;

const MAX_SEQUENCE = 4096;

class InputDecoder {
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

	/** Returns what is held, since nothing more has come: a lone escape is a key, and a begun sequence is dropped. */
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
