/** A screen of styled lines in a terminal: draws them, and tells of keys, pastes, the mouse and sizes. */

import { toClipboard } from "../../terminal/clipboard.ts";
import { Modes } from "../../terminal/modes.ts";
import { SilenceTimer } from "../../terminal/silence-timer.ts";
import type { TerminalOutput } from "../../terminal/terminal-size.ts";
import type { Key } from "../../tui/keys/key.ts";
import { KeyReader } from "../../tui/keys/key-reader.ts";
import { type Frame, frameOf } from "../../tui/screen/cells.ts";
import { CHARSET_QUESTION, type Charset, charsetFrom, cursorColumn, localeCharset } from "../../tui/screen/charset.ts";
import { difference } from "../../tui/screen/difference.ts";
import { type Colours, coloursOf } from "../../tui/screen/palette.ts";
import { REPAIR, Terminal } from "../../tui/screen/terminal.ts";
import type { Line, Size } from "../../tui/text/line.ts";

export interface ScreenOptions {
	readonly input: NodeJS.ReadableStream;
	readonly output: TerminalOutput;
	/** What it says of colours and of the locale is read. */
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly onKey: (key: Key) => void;
	/** The terminal is gone. */
	readonly onGone?: () => void;
	/** The size may be another one, or something else may have been drawn: draw once more. */
	readonly onResize: () => void;
}

export interface Screen {
	size(): Size;
	/** Draws nothing while another program has the terminal. */
	draw(lines: readonly Line[]): void;
	/** Gives the terminal back, and reads no more. */
	suspend(): void;
	/** Somebody else has the terminal already: nothing is written any more, and nothing read. */
	lose(): void;
	/** Takes the terminal again, which may have another size now. */
	resume(): void;
	/** Draws everything anew, since another program may have written on the terminal. */
	redraw(): void;
	/** Off at first: it takes the terminal's own selection of text. */
	mouse(isOn: boolean): void;
	bell(): void;
	/** Puts the text into the clipboard of the person's machine, if the terminal lets programs do that. */
	copy(text: string): void;
	/** Names the window, unless the name is empty. The name that it had comes back when the terminal is given back. */
	title(text: string): void;
	/** Restores the terminal; a second call does nothing. */
	close(): void;
}

export function openScreen(options: ScreenOptions): Screen {
	return new TerminalScreen(options);
}

/** Some terminals do not answer. An answer that comes later counts all the same. */
const ANSWER_MS = 150;
const BELL = "\u0007";

class TerminalScreen implements Screen {
	readonly #options: ScreenOptions;
	readonly #terminal: Terminal;
	readonly #keyboard: KeyReader;
	readonly #modes: Modes;
	readonly #colours: Colours;
	readonly #silence = new SilenceTimer();
	readonly #cursorColumns: number[] = [];
	/** Undefined until the terminal has answered: what is drawn before that waits. */
	#charset: Charset | undefined;
	#lines: readonly Line[] | undefined;
	/** Undefined: nobody knows what the terminal shows. */
	#shown: Frame | undefined;
	#isSuspended = false;
	#isClosed = false;
	readonly #onResize = () => this.#options.onResize();
	/** A size that was another one for a moment is told by no event, and may have cost some of what was drawn. */
	readonly #onWindowChange = () => {
		if (this.#isSuspended) return;
		this.#shown = undefined;
		this.#terminal.askSize();
		if (this.#shown === undefined) this.#onResize();
	};

	constructor(options: ScreenOptions) {
		const { input, output, env } = options;
		this.#options = options;
		this.#colours = coloursOf(env);
		this.#keyboard = new KeyReader({
			...{ keysAre: "commands", now: () => 0 },
			onKey: (key) => {
				if (!this.#isClosed) options.onKey(key);
			},
			onAnswer: (sequence) => this.#hear(sequence),
		});
		this.#terminal = new Terminal(input, output, {
			onInput: (bytes) => this.#keyboard.read(bytes),
			onGone: () => options.onGone?.(),
		});
		this.#modes = new Modes((text) => this.#terminal.write(text));
		output.on("resize", this.#onResize);
		process.prependListener("SIGWINCH", this.#onWindowChange); // before Node asks for the size itself
		this.#terminal.take();
		this.#modes.begin();
		this.#terminal.write(CHARSET_QUESTION);
		this.#silence.start(ANSWER_MS, () => this.#know(this.#charset ?? localeCharset(env)));
	}

	size(): Size {
		return this.#terminal.size;
	}

	draw(lines: readonly Line[]): void {
		this.#lines = lines;
		if (this.#charset === undefined || this.#isSuspended || this.#isClosed) return;
		const size = this.size();
		const next = frameOf(lines, size, { colours: this.#colours, charset: this.#charset });
		this.#terminal.write(difference(hasSize(this.#shown, size) ? this.#shown : undefined, next));
		this.#shown = next;
	}

	suspend(): void {
		this.#isSuspended = true;
		this.#modes.end();
		this.#terminal.giveBack();
	}

	lose(): void {
		this.#isSuspended = true;
		this.#modes.lose();
		this.#terminal.lose();
	}

	resume(): void {
		if (this.#isClosed) return;
		this.#terminal.askSize(); // before anything is drawn: a change is told, and then drawn, too
		this.#isSuspended = false;
		this.#terminal.take();
		this.#modes.begin();
		this.redraw();
	}

	redraw(): void {
		if (this.#isSuspended || this.#isClosed) return;
		this.#shown = undefined;
		this.#terminal.write(REPAIR);
		this.#options.onResize();
	}

	mouse(isOn: boolean): void {
		this.#modes.mouse(isOn);
	}

	bell(): void {
		if (!this.#isSuspended && !this.#isClosed) this.#terminal.write(BELL);
	}

	copy(text: string): void {
		if (!this.#isSuspended && !this.#isClosed) this.#terminal.write(toClipboard(text));
	}

	title(text: string): void {
		this.#modes.title(text);
	}

	close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#silence.stop();
		this.#options.output.off("resize", this.#onResize);
		process.off("SIGWINCH", this.#onWindowChange);
		this.#keyboard.close();
		this.#modes.end();
		this.#terminal.close();
	}

	#hear(answer: string): void {
		const column = cursorColumn(answer);
		if (column === undefined) return;
		this.#cursorColumns.push(column);
		this.#know(charsetFrom(this.#cursorColumns));
	}

	#know(charset: Charset | undefined): void {
		if (charset === undefined || charset === this.#charset) return;
		this.#charset = charset;
		this.#shown = undefined;
		if (this.#lines !== undefined) this.draw(this.#lines);
	}
}

function hasSize(frame: Frame | undefined, { columns, rows }: Size): boolean {
	return frame?.length === rows && frame[0]?.length === columns;
}
