/** What shows lines in a terminal: all of its screen, or a region below lines that stay. Each kind has a file here. */
import type { Timer } from "../../core/clock.ts";
import type { OwnModes, TerminalOutput } from "../terminal/modes.ts";
import type { Suspendable } from "../terminal/suspension.ts";
import { Terminal } from "../terminal/terminal.ts";
import { FrameTimer } from "../terminal/timers.ts";
import type { Size } from "../text/line.ts";

export interface ScreenOptions {
	readonly input: NodeJS.ReadableStream;
	readonly output: TerminalOutput;
	readonly clock: Timer;
	readonly onInput: (bytes: Buffer | string) => void;
	readonly onGone: () => void;
}

interface Kind {
	/** The terminal's second screen, behind which the scrollback stays as it is. */
	readonly hasOwnScreen: boolean;
	readonly modes?: OwnModes | undefined;
	readonly frameGapMs?: number;
}

export abstract class Screen implements Suspendable {
	protected readonly terminal: Terminal;
	protected readonly frames: FrameTimer;
	#isClosed = false;

	protected constructor(options: ScreenOptions, { frameGapMs, ...kind }: Kind) {
		this.frames = new FrameTimer(options.clock, () => this.drawFrame(), frameGapMs);
		const { input, output, onInput, onGone } = options;
		this.terminal = new Terminal({
			...{ input, output, onInput, onGone, ...kind },
			onResize: () => this.resized(),
			onExit: () => this.close(),
		});
	}

	get size(): Size {
		return this.terminal.size;
	}

	get isClosed(): boolean {
		return this.#isClosed;
	}

	/** What is shown may have changed: it is drawn before long. `isAwaited`: somebody has pressed a key. */
	request(how?: { isAwaited?: boolean }): void {
		if (this.terminal.isTaken) this.frames.request(how);
	}

	/** Draws everything again, since another program may have written on the terminal. */
	abstract redraw(): void;
	/** The terminal has answered a question. */
	abstract answered(sequence: string): void;
	/** Gives the terminal back, and reads no more. */
	abstract suspend(): void;
	/** Takes the terminal again, which may have another size now. */
	abstract resume(): void;
	protected abstract drawFrame(): void;
	protected abstract resized(): void;

	/** Names the window, unless the name is empty. The name that it had comes back when the terminal is given back. */
	title(text: string): void {
		this.terminal.modes.title(text);
	}

	/** Off at first: it takes the terminal's own selection of text. */
	mouse(isOn: boolean): void {
		this.terminal.modes.mouse(isOn);
	}

	/** Puts the text into the clipboard, if the terminal lets programs do that; returns how many bytes of it. */
	copy(text: string): number {
		return this.terminal.copy(text);
	}

	bell(): void {
		this.terminal.bell();
	}

	/** Somebody else has the terminal already: nothing is written any more, and nothing read. */
	lose(): void {
		this.frames.stop();
		this.terminal.lose();
	}

	/** Restores the terminal; a second call does nothing. */
	close(): void {
		if (this.#isClosed) return;
		this.suspend();
		this.#isClosed = true;
		this.frames.stop();
		this.terminal.close();
	}
}
