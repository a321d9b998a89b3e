/**
 * The one writer to the terminal of a conversation. What is appended stays in the terminal's scrollback, each line once and in
 * order; below it is the live region, which is asked for at each frame. Frames are few a second, and none is written before
 * the terminal has taken the one before. Nothing that was appended is kept here.
 */
import type { Timer } from "../../core/clock.ts";
import { firstBytes, MOST_COPIED, toClipboard } from "../../terminal/clipboard.ts";
import { FrameTimer } from "../../terminal/frame-timer.ts";
import { Modes, type OwnModes } from "../../terminal/modes.ts";
import { RawInput } from "../../terminal/raw-input.ts";
import { refreshSize, type TerminalOutput, type TerminalSize, terminalSize } from "../../terminal/terminal-size.ts";
import type { Colours } from "../screen/palette.ts";
import type { Line } from "../text/line.ts";
import { AppendQueue } from "./append-queue.ts";
import { type Drawn, nothingDrawn, type Reflow } from "./drawn.ts";
import { erased, frameOf, freshRow } from "./frame.ts";
import { type PaintedLine, paintLine } from "./paint.ts";
import { cutLine, mostRows, type Region } from "./region.ts";
import type { TerminalScreen } from "./terminal-screen.ts";
import { reflowIn } from "./terminal-traits.ts";

export interface ScreenOptions {
	readonly input: NodeJS.ReadableStream;
	readonly output: TerminalOutput;
	readonly clock: Timer;
	/** No colours, and no bold or dim text. */
	readonly isPlain: boolean;
	/** Until the terminal has answered `question`. */
	readonly reflow: Reflow;
	readonly question?: string;
	/** A terminal may have its new size for so long before it tells it. */
	readonly resizeLagMs: number;
	/** Asked for in each frame. */
	readonly region: (size: TerminalSize) => Region;
	readonly onInput: (bytes: Buffer | string) => void;
	/** The terminal is gone. */
	readonly onGone: () => void;
	readonly modes?: OwnModes;
}

const FRAME_GAP_MS = 33;
/** A longer backlog is parted into several frames, so that keys are heard between them. */
const MOST_OF_FRAME = 128 * 1024;
const BELL = "\u0007";
/** What is too long is carried to the next row; letters are letters, whatever a program has left behind. */
const REPAIR = "\u001b[?7h\u001b(B\u000f\u001b[m";

export class Screen implements TerminalScreen {
	readonly #options: ScreenOptions;
	readonly #modes: Modes;
	readonly #frames: FrameTimer;
	#drawn: Drawn;
	readonly #queue = new AppendQueue();
	#raw: RawInput | undefined;
	#lost: RawInput | undefined;
	readonly #sizes: SizeChange;
	#reflow: Reflow;
	#isResized = false;
	/** When something was written last. */
	#writtenAt = Number.NEGATIVE_INFINITY;
	#isBlocked = false;
	#isClosed = false;
	readonly #onResize = () => this.#resized();
	/** A size that was another one for a moment is told by no event, and may have cost some of what was drawn. */
	readonly #onWindowChange = () => {
		if (this.#raw === undefined) return;
		refreshSize(this.#options.output);
		this.#resized();
	};
	readonly #closeAtExit = () => this.close();

	private constructor(options: ScreenOptions) {
		this.#options = options;
		this.#modes = new Modes((text) => this.#write(text), options.modes);
		const { clock, resizeLagMs: lagMs } = options;
		this.#sizes = new SizeChange({ clock, lagMs, onSettled: () => this.request({ isAwaited: true }) });
		this.#frames = new FrameTimer(options.clock, () => this.#draw(), FRAME_GAP_MS);
		this.#reflow = options.reflow;
		this.#drawn = nothingDrawn(this.size.columns);
	}

	/** Takes the terminal. */
	static open(options: ScreenOptions): Screen {
		const screen = new Screen(options);
		options.output.on("resize", screen.#onResize);
		process.prependListener("SIGWINCH", screen.#onWindowChange); // before Node asks for the size itself
		process.on("exit", screen.#closeAtExit);
		screen.resume();
		screen.#write(options.question ?? "");
		return screen;
	}

	get isClosed(): boolean {
		return this.#isClosed;
	}

	get #colours(): Colours {
		return this.#options.isPlain ? "bare" : "few";
	}

	get size(): TerminalSize {
		return terminalSize(this.#options.output);
	}

	get isBehind(): boolean {
		return this.#queue.isLong;
	}

	taken(): Promise<void> {
		return this.#queue.short();
	}

	append(lines: readonly Line[]): void {
		if (lines.length === 0 || this.#isClosed) return;
		for (const line of lines) this.#queue.add(paintLine(line, this.#colours).written);
		this.request();
	}

	request({ isAwaited = false } = {}): void {
		if (this.#raw !== undefined) this.#frames.request({ isAwaited });
	}

	clear(): void {
		if (this.#raw === undefined) return;
		const { columns, rows } = this.size;
		this.#write(
			`${erased(this.#drawn, columns, this.#certainReflow)}\u001b[${rows}B${"\n".repeat(rows)}\u001b[H${REPAIR}`,
		);
		this.#drawn = nothingDrawn(columns);
		this.#frames.draw();
	}

	title(text: string): void {
		this.#modes.title(text);
	}

	copy(text: string): number {
		const copied = Buffer.byteLength(text) <= MOST_COPIED ? text : firstBytes(text, MOST_COPIED);
		if (this.#raw !== undefined) this.#write(toClipboard(copied));
		return Buffer.byteLength(copied);
	}

	bell(): void {
		if (this.#raw !== undefined) this.#write(BELL);
	}

	suspend(): void {
		if (this.#raw === undefined) return;
		this.#frames.stop();
		this.#put({ rows: [], cursor: { row: 0, column: 0 } }, this.#queue.take(Number.POSITIVE_INFINITY));
		this.#modes.end();
		this.#raw.giveBack();
		this.#raw = undefined;
	}

	lose(): void {
		this.#frames.stop();
		this.#sizes.end();
		this.#modes.lose();
		this.#raw?.pause();
		this.#lost = this.#raw ?? this.#lost;
		this.#raw = undefined;
	}

	resume(): void {
		if (this.#isClosed || this.#raw !== undefined) return;
		this.#lost?.close();
		this.#lost = undefined;
		refreshSize(this.#options.output);
		const { onGone } = this.#options;
		this.#raw = new RawInput(this.#options.input, { onInput: (bytes) => this.#hear(bytes), onGone });
		this.#write(REPAIR + freshRow(this.size.columns));
		this.#modes.begin();
		this.#sizes.end();
		this.#drawn = nothingDrawn(this.size.columns);
		this.#frames.draw();
	}

	close(): void {
		if (this.#isClosed) return;
		this.suspend();
		this.#isClosed = true;
		this.#frames.stop();
		this.#lost?.close();
		this.#queue.take(Number.POSITIVE_INFINITY); // who waits for that goes on
		this.#options.output.off("resize", this.#onResize);
		process.off("SIGWINCH", this.#onWindowChange);
		process.off("exit", this.#closeAtExit);
	}

	/** An answer of the terminal is no key, and who reads keys leaves it out. */
	#hear(bytes: Buffer | string): void {
		if (this.#options.question) this.#reflow = reflowIn(String(bytes)) ?? this.#reflow;
		this.#options.onInput(bytes);
	}

	#resized(): void {
		this.#isResized = true;
		if (this.#raw !== undefined) this.#sizes.told();
	}

	#draw(): void {
		if (this.#raw === undefined || this.#isBlocked) return;
		refreshSize(this.#options.output); // the signal may be on its way
		if (this.#sizes.isSettling) return;
		this.#put(this.#options.region(this.size), this.#queue.take(MOST_OF_FRAME));
		if (!this.#queue.isEmpty) this.request();
	}

	#put({ rows: shown, cursor }: Region, appended: string): void {
		const { size } = this;
		const { columns } = size;
		const hidden = Math.max(0, shown.length - mostRows(size));
		const rows = shown.slice(hidden).map((row) => fitted(row, columns, this.#colours));
		const { written, drawn } = frameOf({
			...{ drawn: this.#drawn, appended, rows, size, reflow: this.#certainReflow },
			cursor: { row: Math.max(0, cursor.row - hidden), column: Math.min(cursor.column, columns - 1) },
			isResized: this.#isResized || columns !== this.#drawn.columns,
		});
		this.#drawn = drawn;
		this.#isResized = false;
		this.#sizes.end();
		this.#write(written);
	}

	/**
	 * What was written just before the size was told may have been broken, or not: then as few rows are taken for the region's as
	 * there can be.
	 */
	get #certainReflow(): Reflow {
		return this.#sizes.mayHaveHit(this.#writtenAt) ? "cut" : this.#reflow;
	}

	#write(text: string): void {
		if (text === "") return;
		this.#writtenAt = this.#options.clock.elapsed();
		if (this.#options.output.write(text) || this.#isBlocked) return;
		this.#isBlocked = true;
		this.#options.output.once("drain", () => {
			this.#isBlocked = false;
			this.request();
		});
	}
}

/** Never as wide as the terminal: a full row may count as two when the terminal becomes wider or narrower. */
function fitted(row: Line, columns: number, colours: Colours): PaintedLine {
	const painted = paintLine(row, colours);
	return painted.width < columns ? painted : paintLine(cutLine(row, columns - 1), colours);
}

/**
 * A change of the terminal's size, from when it is told until something is drawn for it. Sizes come many in a row while a window
 * is drawn larger; and a terminal may have a size for a while before it tells it: tmux waits for up to a quarter of a second.
 */
interface SizeChangeOptions {
	readonly clock: Timer;
	/** A terminal may have its new size for so long before it tells it. */
	readonly lagMs: number;
	/** No other size was told for so long; or the change has been going on for long. */
	readonly onSettled: () => void;
}

const MOST_SETTLING_MS = 1_000;

class SizeChange {
	private readonly options: SizeChangeOptions;
	private since: number | undefined;
	private callOff: (() => void) | undefined;

	constructor(options: SizeChangeOptions) {
		this.options = options;
	}

	/** Nothing should be drawn: what is written to a terminal whose size is not known may leave rows behind. */
	get isSettling(): boolean {
		return this.callOff !== undefined;
	}

	told(): void {
		const { clock, lagMs, onSettled } = this.options;
		const now = clock.elapsed();
		this.since ??= now;
		this.callOff?.();
		this.callOff = clock.after(Math.max(0, Math.min(lagMs, this.since + MOST_SETTLING_MS - now)), () => {
			this.callOff = undefined;
			onSettled();
		});
	}

	/** Whether what was written then may have been written to a terminal of the new size. */
	mayHaveHit(writtenAt: number): boolean {
		return this.since !== undefined && this.since - writtenAt < this.options.lagMs;
	}

	/** Something is drawn for the new size. */
	end(): void {
		this.callOff?.();
		this.callOff = undefined;
		this.since = undefined;
	}
}
