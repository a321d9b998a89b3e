/**
 * Lines that stay in the terminal's scrollback, each once and in order, and below them a live region, which is asked for at each
 * frame. Frames are few a second, and none is written before the terminal has taken the one before. Nothing that was appended is kept here.
 */
import type { Timer } from "../../core/clock.ts";
import type { OwnModes } from "../terminal/modes.ts";
import { type Line, type Size, segment } from "../text/line.ts";
import { type PaintedLine, paintLine } from "./paint.ts";
import {
	cutLine,
	type Drawn,
	erased,
	freshRow,
	mostRows,
	nothingDrawn,
	type Reflow,
	type Region,
	regionFrame,
} from "./region.ts";
import { Screen, type ScreenOptions } from "./screen.ts";
import { reflowIn, type TerminalTraits } from "./terminal-traits.ts";

interface ScrollbackScreenOptions extends ScreenOptions {
	readonly region: (size: Size) => Region;
	readonly modes?: OwnModes;
	readonly traits: TerminalTraits;
}

const FRAME_GAP_MS = 33;
/** A longer backlog is parted into several frames, so that keys are heard between them. */
const MOST_OF_FRAME = 128 * 1024;
/** What is too long is carried to the next row; letters are letters, whatever a program has left behind. */
const REPAIR = "\u001b[?7h\u001b(B\u000f\u001b[m";

export class ScrollbackScreen extends Screen {
	readonly #options: ScrollbackScreenOptions;
	readonly #queue = new AppendQueue();
	readonly #sizes: SizeChange;
	#drawn: Drawn;
	#reflow: Reflow;
	#isResized = false;
	#writtenAt = Number.NEGATIVE_INFINITY;
	#isBlocked = false;

	static open(options: ScrollbackScreenOptions): ScrollbackScreen {
		const screen = new ScrollbackScreen(options);
		screen.resume();
		screen.#write(options.traits.question);
		return screen;
	}

	private constructor(options: ScrollbackScreenOptions) {
		const { clock, traits, modes } = options;
		super(options, { hasOwnScreen: false, modes, frameGapMs: FRAME_GAP_MS });
		this.#options = options;
		this.#reflow = traits.reflow;
		this.#sizes = new SizeChange(clock, traits.resizeLagMs, () => this.request({ isAwaited: true }));
		this.#drawn = nothingDrawn(this.size.columns);
	}

	/** More waits to be written than should be: a caller with more to append should wait for `taken`. */
	get isBehind(): boolean {
		return this.#queue.isLong;
	}

	/** Resolves when what waits is little again, or the screen is closed. */
	taken(): Promise<void> {
		return this.#queue.short();
	}

	/** Lines for good, above the live region. One that is wider than the terminal is broken by that. */
	append(lines: readonly Line[]): void {
		if (lines.length === 0 || this.isClosed) return;
		this.#queue.add(lines.map((line) => paintLine(line, this.#options.traits.colors).written));
		this.request();
	}

	redraw(): void {
		if (!this.terminal.isTaken) return;
		const { columns, rows } = this.size;
		this.#write(
			`${erased(this.#drawn, columns, this.#certainReflow)}\u001b[${rows}B${"\n".repeat(rows)}\u001b[H${REPAIR}`,
		);
		this.#drawn = nothingDrawn(columns);
		this.frames.draw();
	}

	answered(sequence: string): void {
		if (this.#options.traits.question !== "") this.#reflow = reflowIn(sequence) ?? this.#reflow;
	}

	suspend(): void {
		if (!this.terminal.isTaken) return;
		this.frames.stop();
		this.#put({ rows: [], cursor: { row: 0, column: 0 } }, this.#queue.take(Number.POSITIVE_INFINITY));
		this.terminal.giveBack();
	}

	override lose(): void {
		super.lose();
		this.#sizes.end();
	}

	/** Below what was written meanwhile. */
	resume(): void {
		if (this.isClosed || this.terminal.isTaken) return;
		this.terminal.take();
		this.#write(REPAIR + freshRow(this.size.columns));
		this.#sizes.end();
		this.#drawn = nothingDrawn(this.size.columns);
		this.frames.draw();
	}

	override close(): void {
		if (this.isClosed) return;
		super.close();
		this.#queue.take(Number.POSITIVE_INFINITY); // who waits for that goes on
	}

	protected resized(): void {
		this.#isResized = true;
		if (this.terminal.isTaken) this.#sizes.changed();
	}

	protected drawFrame(): void {
		if (!this.terminal.isTaken || this.#isBlocked) return;
		this.terminal.refreshSize(); // the signal may be on its way
		if (this.#sizes.isSettling) return;
		this.#put(this.#options.region(this.size), this.#queue.take(MOST_OF_FRAME));
		if (!this.#queue.isEmpty) this.request();
	}

	#put({ rows: shown, cursor }: Region, appended: string): void {
		const { size } = this;
		const { columns } = size;
		const hidden = Math.max(0, shown.length - mostRows(size));
		const { written, drawn } = regionFrame({
			...{ drawn: this.#drawn, appended, size, reflow: this.#certainReflow },
			rows: shown.slice(hidden).map((row) => this.#fitted(row, columns)),
			cursor: { row: Math.max(0, cursor.row - hidden), column: Math.min(cursor.column, columns - 1) },
			isResized: this.#isResized || columns !== this.#drawn.columns,
		});
		this.#drawn = drawn;
		this.#isResized = false;
		this.#sizes.end();
		this.#write(written);
	}

	/** Never as wide as the terminal: a full row may count as two when the terminal becomes wider or narrower. */
	#fitted(row: Line, columns: number): PaintedLine {
		const painted = paintLine(row, this.#options.traits.colors);
		return painted.width < columns ? painted : paintLine(cutLine(row, columns - 1), this.#options.traits.colors);
	}

	/**
	 * What was written just before the size was reported may have been broken, or not: then as few rows are taken for the region's as
	 * there can be.
	 */
	get #certainReflow(): Reflow {
		return this.#sizes.mayHaveHit(this.#writtenAt) ? "cut" : this.#reflow;
	}

	#write(text: string): void {
		if (text === "") return;
		this.#writtenAt = this.#options.clock.elapsed();
		this.terminal.write(text);
		if (this.#isBlocked) return;
		this.#isBlocked = !this.terminal.takesMore(() => {
			this.#isBlocked = false;
			this.request();
		});
	}
}

const MOST_SETTLING_MS = 1_000;

/**
 * A change of the terminal's size, until something is drawn for it. Sizes come many in a row while a window is drawn larger; and a
 * terminal may have a size for `lagMs` before it reports it: tmux waits for up to a quarter of a second. `onSettled`: no other size has
 * come for so long, or the change has been going on for long.
 */
class SizeChange {
	readonly #clock: Timer;
	readonly #lagMs: number;
	readonly #onSettled: () => void;
	#since: number | undefined;
	#callOff: (() => void) | undefined;

	constructor(clock: Timer, lagMs: number, onSettled: () => void) {
		this.#clock = clock;
		this.#lagMs = lagMs;
		this.#onSettled = onSettled;
	}

	/** Nothing should be drawn: what is written to a terminal whose size is not known may leave rows behind. */
	get isSettling(): boolean {
		return this.#callOff !== undefined;
	}

	changed(): void {
		const now = this.#clock.elapsed();
		this.#since ??= now;
		this.#callOff?.();
		this.#callOff = this.#clock.after(Math.max(0, Math.min(this.#lagMs, this.#since + MOST_SETTLING_MS - now)), () => {
			this.#callOff = undefined;
			this.#onSettled();
		});
	}

	/** Whether what was written then may have been written to a terminal of the new size. */
	mayHaveHit(writtenAt: number): boolean {
		return this.#since !== undefined && this.#since - writtenAt < this.#lagMs;
	}

	/** Something is drawn for the new size. */
	end(): void {
		this.#callOff?.();
		this.#callOff = undefined;
		this.#since = undefined;
	}
}

/** Bytes; a caller that appends more at once should wait. */
const MOST_WAITING = 1024 * 1024;
/** While another program has the terminal more is not kept: transcripts have it. */
const MOST_KEPT = 8 * 1024 * 1024;
const CHUNK_LINES = 100;

/**
 * Lines that wait to be appended, in order, and those who wait until few of them do. They are kept as bytes: of strings that are put
 * together the pieces stay alive, and a long answer in small pieces would fill the heap for as long as the terminal is slow.
 */
class AppendQueue {
	#chunks: { readonly bytes: Buffer; readonly lines: number }[] = [];
	#bytes = 0;
	#dropped = 0;
	#whenShort: (() => void)[] = [];

	get isEmpty(): boolean {
		return this.#bytes === 0;
	}

	get isLong(): boolean {
		return this.#bytes > MOST_WAITING;
	}

	/** `written`: lines as they are written to a terminal, without their ends. */
	add(written: readonly string[]): void {
		for (let at = 0; at < written.length; at += CHUNK_LINES) {
			const lines = written.slice(at, at + CHUNK_LINES);
			const bytes = Buffer.from(`${lines.join("\r\n")}\r\n`);
			this.#chunks.push({ bytes, lines: lines.length });
			this.#bytes += bytes.length;
		}
		if (this.#bytes > MOST_KEPT) this.#dropOldest();
	}

	/** The next lines, of about so many bytes, each with its end; at least one, if any waits. */
	take(mostBytes: number): string {
		let bytes = 0;
		let count = 0;
		for (const chunk of this.#chunks) {
			if (count > 0 && bytes + chunk.bytes.length > mostBytes) break;
			bytes += chunk.bytes.length;
			count++;
		}
		this.#bytes -= bytes;
		const taken = this.#chunks.splice(0, count).map((chunk) => chunk.bytes.toString());
		const omitted = segment(`… ${this.#dropped} lines omitted`, "dim");
		const note = this.#dropped === 0 ? "" : `${paintLine([omitted], "bare").written}\r\n`;
		this.#dropped = 0;
		if (!this.isLong) for (const resolve of this.#whenShort.splice(0)) resolve();
		return note + taken.join("");
	}

	short(): Promise<void> {
		return this.isLong ? new Promise((resolve) => this.#whenShort.push(resolve)) : Promise.resolve();
	}

	#dropOldest(): void {
		while (this.#bytes > MOST_KEPT / 2 && this.#chunks.length > 1) {
			const [oldest] = this.#chunks.splice(0, 1);
			this.#bytes -= oldest?.bytes.length ?? 0;
			this.#dropped += oldest?.lines ?? 0;
		}
	}
}
