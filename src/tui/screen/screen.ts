/** What shows lines in a terminal, and how it shares the terminal with others. Each kind of screen has a file here. */
import type { Timer } from "../../core/clock.ts";
import type { TerminalOutput } from "../terminal/modes.ts";
import type { Suspendable } from "../terminal/suspension.ts";
import type { Line, Size } from "../text/line.ts";

export interface ScreenOptions {
	readonly input: NodeJS.ReadableStream;
	readonly output: TerminalOutput;
	readonly clock: Timer;
	readonly onInput: (bytes: Buffer | string) => void;
	/** The terminal is gone. */
	readonly onGone: () => void;
}

export interface Screen extends Suspendable {
	readonly size: Size;
	readonly isClosed: boolean;
	/** What is shown may have changed: it is asked for before long. `isAwaited`: somebody has pressed a key. */
	request(how?: { isAwaited?: boolean }): void;
	/** Draws everything again, since another program may have written on the terminal. */
	redraw(): void;
	/** The terminal has answered a question. */
	answered(sequence: string): void;
	/** Names the window, unless the name is empty. The name that it had comes back when the terminal is given back. */
	title(text: string): void;
	/** Puts the text into the clipboard, if the terminal lets programs do that; gives how many bytes of it. */
	copy(text: string): number;
	bell(): void;
	/** Off at first: it takes the terminal's own selection of text. */
	mouse(isOn: boolean): void;
	/** Gives the terminal back, and reads no more. */
	suspend(): void;
	/** Somebody else has the terminal already: nothing is written any more, and nothing read. */
	lose(): void;
	/** Takes the terminal again, which may have another size now. */
	resume(): void;
	/** Restores the terminal; a second call does nothing. */
	close(): void;
}

/** A screen whose lines stay, above a region that changes. */
export interface ScrollingScreen extends Screen {
	/** More waits to be written than should be: who has more to append should wait for `taken`. */
	readonly isBehind: boolean;
	/** Resolves when what waits is little again, or the screen is closed. */
	taken(): Promise<void>;
	/** Lines for good, above the live region. One that is wider than the terminal is broken by that. */
	append(lines: readonly Line[]): void;
}
