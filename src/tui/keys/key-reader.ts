/** What a terminal sends, byte by byte, as keys, in the order in which they came. */
import { StringDecoder } from "node:string_decoder";
import { stripControl } from "../../text/safe/terminal-safe.ts";
import { SilenceTimer } from "../terminal/silence-timer.ts";
import { InputDecoder, type TerminalInput } from "./input-decoder.ts";
import type { Key } from "./key.ts";
import { keyOf } from "./key-sequence.ts";

export interface KeyReaderOptions {
	readonly onKey: (key: Key) => void;
	/** What the terminal answers to a question. */
	readonly onAnswer?: (sequence: string) => void;
	/**
	 * `text`: what comes in one read is one text, and a paste where it has lines. `commands`: each character is a key of its own, and
	 * the end of a line is Enter.
	 */
	readonly keysAre: "text" | "commands";
	/** Milliseconds. */
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
		this.#tellAll(this.#decoder.decode(typeof bytes === "string" ? bytes : this.#characters.write(bytes)));
		const { holds } = this.#decoder;
		if (this.#isClosed || holds === "nothing") return;
		const ms = holds === "paste" ? PASTE_SILENCE_MS : KEY_SILENCE_MS;
		this.#silence.start(ms, () => this.#tellAll(this.#decoder.flush()));
	}

	/** Reads no more; the keys of the read that is just told are told. */
	close(): void {
		this.#isClosed = true;
		this.#silence.stop();
	}

	/** What came in one read, or what was held until it was clear that no more comes. */
	#tellAll(inputs: readonly TerminalInput[]): void {
		if (inputs.length === 0 || this.#isClosed) return;
		const { keysAre, onKey, onAnswer, now } = this.#options;
		for (const input of inputs) if (input.is === "answer") onAnswer?.(input.sequence);
		if (keysAre === "commands") {
			for (const input of inputs) for (const key of given(keyOfInput(input))) onKey(key);
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
		keys.push(...keysOfRun(run, isAfterPaste), ...given(keyOfInput(input)));
		run = "";
	}
	keys.push(...keysOfRun(run, isAfterPaste));
	return keys;
}

/** Keys of a paste that the terminal did not mark. */
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
			/^[\t\n\r]/.test(piece) ? given(keyOf(piece.charAt(0))) : [{ is: "text", text: piece } as const],
		);
}

function given(key: Key | undefined): Key[] {
	return key === undefined ? [] : [key];
}
