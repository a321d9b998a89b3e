/** What a program asks of a terminal while it has it, beside the drawing. */
import { formatBytes } from "../../core/bytes.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { fitWidth } from "../../text/width/width.ts";

/** A terminal puts marks around pasted text, so that letters of a paste are not keys. */
const PASTE_MARKS_ON = "\u001b[?2004h";
const PASTE_MARKS_OFF = "\u001b[?2004l";
/** Presses and the wheel, as numbers in decimal, so that columns beyond 223 have a number, too. */
const MOUSE_ON = "\u001b[?1000h\u001b[?1006h";
const MOUSE_OFF = "\u001b[?1006l\u001b[?1000l";
/** Terminals keep titles of windows on a stack. */
const PUSH_TITLE = "\u001b[22;2t";
const POP_TITLE = "\u001b[23;2t";
const MOST_TITLE_COLUMNS = 120;

/** Further modes of one program: what sets them, and what sets them back. */
export interface OwnModes {
	readonly on: string;
	readonly off: string;
}

export class Modes {
	readonly #write: (text: string) => void;
	readonly #own: OwnModes;
	#isOn = false;
	#isMouseOn = false;
	#title = "";

	constructor(write: (text: string) => void, own: OwnModes = { on: "", off: "" }) {
		this.#write = write;
		this.#own = own;
	}

	begin(): void {
		this.#isOn = true;
		this.#write(PASTE_MARKS_ON + this.#own.on + (this.#isMouseOn ? MOUSE_ON : ""));
		if (this.#title !== "") this.#write(PUSH_TITLE + titled(this.#title));
	}

	/** A second call does nothing: it would take a title off the stack that is not this program's. */
	end(): void {
		if (!this.#isOn) return;
		this.#isOn = false;
		this.#write((this.#isMouseOn ? MOUSE_OFF : "") + this.#own.off + PASTE_MARKS_OFF);
		if (this.#title !== "") this.#write(POP_TITLE);
	}

	/** The terminal is another program's: nothing may be written. */
	lose(): void {
		this.#isOn = false;
	}

	mouse(isOn: boolean): void {
		if (isOn === this.#isMouseOn) return;
		this.#isMouseOn = isOn;
		if (this.#isOn) this.#write(isOn ? MOUSE_ON : MOUSE_OFF);
	}

	title(text: string): void {
		const title = fitWidth(oneLine(text), MOST_TITLE_COLUMNS);
		if (title === this.#title || title === "") return;
		if (this.#isOn) this.#write((this.#title === "" ? PUSH_TITLE : "") + titled(title));
		this.#title = title;
	}
}

function titled(title: string): string {
	return `\u001b]2;${title}\u0007`;
}

/** `CSI I` when the window gets the focus, `CSI O` when it loses it. */
const FOCUS: OwnModes = { on: "\u001b[?1004h", off: "\u001b[?1004l" };
/** xterm's modifyOtherKeys, level 1: Shift-Enter and Ctrl-Enter are reported, and keys with a meaning keep it. */
const MODIFIED_KEYS: OwnModes = { on: "\u001b[>4;1m", off: "\u001b[>4m" };
/** kitty's protocol: ambiguous keys get sequences (1), with the key of a PC's keyboard at that place (4). A stack, so others' modes come back. */
const KITTY: OwnModes = { on: "\u001b[>5u", off: "\u001b[<u" };

/** Older consoles read no further than to the `>`, and underline what comes. */
const WITHOUT_MODES = /^(dumb|linux|vt\d+.*|ansi|cons25.*)?$/;

/** `term`: the variable TERM. What is set is set back in the other order. */
export function keyModes(term: string | undefined): OwnModes {
	if (WITHOUT_MODES.test(term ?? "")) return { on: "", off: "" };
	const modes = [FOCUS, MODIFIED_KEYS, KITTY];
	return {
		on: modes.map(({ on }) => on).join(""),
		off: modes
			.map(({ off }) => off)
			.reverse()
			.join(""),
	};
}

/** Text for the clipboard of the machine that the person sits at, by way of the terminal. */

/** Terminals cut a longer sequence: xterm takes 100,000 characters of base64. */
export const MOST_COPIED = 74_000;

/** OSC 52; the terminal decodes the base64 itself, so nothing in the text is obeyed. */
export function toClipboard(text: string): string {
	return `\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`;
}

/** Never half a character. */
export function firstBytes(text: string, most: number): string {
	return new TextDecoder().decode(Buffer.from(text).subarray(0, most), { stream: true });
}

/** `copied 72 KiB of 87 KiB`, and what tmux needs for that. */
export function describeCopied(
	text: string,
	copiedBytes: number,
	{ TMUX }: Readonly<Record<string, string | undefined>>,
): { readonly what: string; readonly hint: string } {
	const all = Buffer.byteLength(text);
	const what = copiedBytes === all ? formatBytes(all) : `${formatBytes(copiedBytes)} of ${formatBytes(all)}`;
	return { what: `copied ${what}`, hint: TMUX === undefined ? "" : " (tmux: set -s set-clipboard on)" };
}

export type TerminalOutput = NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };

export interface TerminalSize {
	readonly columns: number;
	readonly rows: number;
}

/** Some terminals, such as serial lines, do not know their size. */
const USUAL: TerminalSize = { columns: 80, rows: 24 };

export function terminalSize({ columns, rows }: TerminalOutput): TerminalSize {
	return { columns: columns || USUAL.columns, rows: rows || USUAL.rows };
}

/** Asks for the size: nobody reports it to a program in the background. A change is reported as every other. */
export function refreshSize(output: TerminalOutput): void {
	const { _refreshSize: refresh } = output as { _refreshSize?: () => void };
	refresh?.call(output);
}
