/** The whole screen of a terminal as lines: of each frame only what differs from the one before is written. */
import { SilenceTimer } from "../terminal/timers.ts";
import type { Line, Size } from "../text/line.ts";
import {
	CHARSET_QUESTION,
	type Charset,
	charsetFrom,
	cursorColumn,
	difference,
	type Frame,
	frameOf,
	localeCharset,
} from "./cell-frame.ts";
import { type Colors, colorsOf } from "./paint.ts";
import { Screen, type ScreenOptions } from "./screen.ts";

interface WholeScreenOptions extends ScreenOptions {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly lines: (size: Size) => readonly Line[];
	readonly onDrawn?: () => void;
}

/** Some terminals do not answer. An answer that comes later counts all the same. */
const ANSWER_MS = 150;
/** No cursor; what is too long is not carried to the next row; letters are letters, whatever a program has left behind. */
const REPAIR = "\u001b[?25l\u001b[?7l\u001b(B\u000f\u001b[m";
/** A terminal without a second screen gets an empty one. */
const END = "\u001b[m\u001b[H\u001b[2J\u001b[?7h\u001b[?25h";

export class WholeScreen extends Screen {
	readonly #options: WholeScreenOptions;
	readonly #colors: Colors;
	readonly #silence = new SilenceTimer();
	readonly #cursorColumns: number[] = [];
	/** Undefined until the terminal has answered: what is drawn before that waits. */
	#charset: Charset | undefined;
	/** Undefined: nobody knows what the terminal shows. */
	#shown: Frame | undefined;

	static open(options: WholeScreenOptions): WholeScreen {
		const screen = new WholeScreen(options);
		screen.terminal.take();
		screen.terminal.write(REPAIR + CHARSET_QUESTION);
		screen.#silence.start(ANSWER_MS, () => screen.#know(screen.#charset ?? localeCharset(options.env)));
		return screen;
	}

	private constructor(options: WholeScreenOptions) {
		super(options, { hasOwnScreen: true });
		this.#options = options;
		this.#colors = colorsOf(options.env);
	}

	draw(): void {
		if (this.terminal.isTaken) this.frames.draw();
	}

	redraw(): void {
		if (!this.terminal.isTaken) return;
		this.#shown = undefined;
		this.terminal.write(REPAIR);
		this.frames.draw();
	}

	answered(sequence: string): void {
		const column = cursorColumn(sequence);
		if (column === undefined) return;
		this.#cursorColumns.push(column);
		this.#know(charsetFrom(this.#cursorColumns));
	}

	suspend(): void {
		if (!this.terminal.isTaken) return;
		this.frames.stop();
		this.terminal.write(END);
		this.terminal.giveBack();
	}

	resume(): void {
		if (this.isClosed || this.terminal.isTaken) return;
		this.terminal.take();
		this.redraw();
	}

	override close(): void {
		super.close();
		this.#silence.stop();
	}

	protected drawFrame(): void {
		const { size } = this;
		const lines = this.#options.lines(size);
		if (this.#charset === undefined || !this.terminal.isTaken) return;
		const next = frameOf(lines, size, { colors: this.#colors, charset: this.#charset });
		this.terminal.write(difference(hasSize(this.#shown, size) ? this.#shown : undefined, next));
		this.#shown = next;
		this.#options.onDrawn?.();
	}

	/** A size that was another one for a moment may have cost some of what was drawn. */
	protected resized(): void {
		this.#shown = undefined;
		this.draw();
	}

	#know(charset: Charset | undefined): void {
		if (charset === undefined || charset === this.#charset) return;
		this.#charset = charset;
		this.#shown = undefined;
		this.draw();
	}
}

function hasSize(frame: Frame | undefined, { columns, rows }: Size): boolean {
	return frame?.length === rows && frame[0]?.length === columns;
}
