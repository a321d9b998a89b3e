/**
 * The screen of a terminal that cannot move its cursor, such as the shell of an editor: lines without styles, each once, and no live
 * region. The terminal has a line editor of its own and sends whole lines.
 */

import { terminalSize } from "../terminal/modes.ts";
import type { Line, Size } from "../text/line.ts";
import { paintLine } from "./paint.ts";
import type { ScreenOptions } from "./screen.ts";
import type { ScrollbackScreen } from "./scrollback-screen.ts";

/** What a chat asks of its screen. */
export type ChatScreen = { readonly [key in keyof ScrollbackScreen]: ScrollbackScreen[key] };

export function isDumb({ TERM }: Readonly<Record<string, string | undefined>>): boolean {
	return !TERM || TERM === "dumb";
}

interface PlainScreenOptions extends ScreenOptions {
	/** Shown when nothing else has come for a while; undefined: nothing is. */
	readonly prompt: () => string | undefined;
}

const QUIET_MS = 300;
const BELL = "\u0007";

export class PlainScreen implements ChatScreen {
	readonly isBehind = false;
	readonly #options: PlainScreenOptions;
	#isTaken = false;
	#isClosed = false;
	/** What stands in the last row, without a newline yet. */
	#prompt = "";
	#callOff: (() => void) | undefined;
	readonly #onData = (bytes: Buffer | string) => this.#read(String(bytes));
	readonly #onGone = () => this.#options.onGone();

	private constructor(options: PlainScreenOptions) {
		this.#options = options;
	}

	static open(options: PlainScreenOptions): PlainScreen {
		const screen = new PlainScreen(options);
		screen.resume();
		return screen;
	}

	get size(): Size {
		return terminalSize(this.#options.output);
	}

	get isClosed(): boolean {
		return this.#isClosed;
	}

	taken(): Promise<void> {
		return Promise.resolve();
	}

	append(lines: readonly Line[]): void {
		if (lines.length === 0 || this.#isClosed) return;
		const text = lines.map((line) => `${paintLine(line, "bare").text.trimEnd()}\n`).join("");
		this.#options.output.write(this.#prompt === "" ? text : `\n${text}`);
		this.#prompt = "";
		this.request();
	}

	request(): void {
		if (!this.#isTaken) return;
		this.#callOff?.();
		this.#callOff = this.#options.clock.after(QUIET_MS, () => this.#ask());
	}

	redraw(): void {}

	answered(_: string): void {}

	mouse(_: boolean): void {}

	title(_: string): void {}

	copy(_: string): number {
		return 0;
	}

	bell(): void {
		if (this.#isTaken) this.#options.output.write(BELL);
	}

	suspend(): void {
		this.lose();
	}

	lose(): void {
		const { input } = this.#options;
		this.#isTaken = false;
		this.#callOff?.();
		input.off("data", this.#onData);
		for (const event of ["end", "close", "error"]) input.off(event, this.#onGone);
		input.pause();
	}

	resume(): void {
		if (this.#isClosed || this.#isTaken) return;
		const { input } = this.#options;
		this.#isTaken = true;
		this.#prompt = "";
		input.on("data", this.#onData);
		for (const event of ["end", "close", "error"]) input.on(event, this.#onGone);
		input.resume();
		this.request();
	}

	close(): void {
		if (this.#isClosed) return;
		this.lose();
		if (this.#prompt !== "") this.#options.output.write("\n");
		this.#isClosed = true;
	}

	/** The newline is passed on as an Enter of its own: in one piece with text it could be a paste. */
	#read(text: string): void {
		for (const [line] of text.matchAll(/[^\n]+|\n/g)) {
			if (line === "\n") this.#prompt = "";
			this.#options.onInput(line === "\n" ? "\r" : line);
		}
	}

	#ask(): void {
		const prompt = this.#options.prompt() ?? "";
		if (prompt === this.#prompt || prompt === "") return;
		this.#options.output.write(`${this.#prompt === "" ? "" : "\n"}${prompt}`);
		this.#prompt = prompt;
	}
}
