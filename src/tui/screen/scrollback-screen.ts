/**
 * Lines that stay in the terminal's scrollback, each once and in order, and below them a live region, which is asked for at each
 * frame. Frames are few a second, and none is written before the terminal has taken the one before. Nothing that was appended is kept here.
 */
import type { Timer } from "../../core/clock.ts";
import type { OwnModes } from "../terminal/modes.ts";
import { Terminal } from "../terminal/terminal.ts";
import { FrameTimer } from "../terminal/timers.ts";
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
import type { ScreenOptions, ScrollingScreen } from "./screen.ts";
import { reflowIn, type TerminalTraits } from "./terminal-traits.ts";

interface ScrollbackScreenOptions extends ScreenOptions {
	/** Asked for in each frame. */
	readonly region: (size: Size) => Region;
	readonly modes?: OwnModes;
	readonly traits: TerminalTraits;
}

const FRAME_GAP_MS = 33;
/** A longer backlog is parted into several frames, so that keys are heard between them. */
const MOST_OF_FRAME = 128 * 1024;
/** What is too long is carried to the next row; letters are letters, whatever a program has left behind. */
const REPAIR = "\u001b[?7h\u001b(B\u000f\u001b[m";

export class ScrollbackScreen implements ScrollingScreen {
	readonly #options: ScrollbackScreenOptions;
	readonly #terminal: Terminal;
	readonly #frames: FrameTimer;
	readonly #queue = new AppendQueue();
	readonly #sizes: SizeChange;
	#drawn: Drawn;
	#reflow: Reflow;
	#isResized = false;
	/** When something was written last. */
	#writtenAt = Number.NEGATIVE_INFINITY;
	#isBlocked = false;
	#isClosed = false;

	private constructor(options: ScrollbackScreenOptions) {
		const { clock, traits } = options;
		this.#options = options;
		this.#terminal = new Terminal({
			...options,
			hasOwnScreen: false,
			onResize: () => this.#resized(),
			onExit: () => this.close(),
		});
		this.#reflow = traits.reflow;
		const onSettled = () => this.request({ isAwaited: true });
		this.#sizes = new SizeChange({ clock, lagMs: traits.resizeLagMs, onSettled });
		this.#frames = new FrameTimer(clock, () => this.#draw(), FRAME_GAP_MS);
		this.#drawn = nothingDrawn(this.size.columns);
	}

	/** Takes the terminal. */
	static open(options: ScrollbackScreenOptions): ScrollbackScreen {
		const screen = new ScrollbackScreen(options);
		screen.resume();
		screen.#write(options.traits.question);
		return screen;
	}

	get isClosed(): boolean {
		return this.#isClosed;
	}

	get size(): Size {
		return this.#terminal.size;
	}

	get isBehind(): boolean {
		return this.#queue.isLong;
	}

	taken(): Promise<void> {
		return this.#queue.short();
	}

	append(lines: readonly Line[]): void {
		if (lines.length === 0 || this.#isClosed) return;
		for (const line of lines) this.#queue.add(paintLine(line, this.#options.traits.colours).written);
		this.request();
	}

	request(how?: { isAwaited?: boolean }): void {
		if (this.#terminal.isTaken) this.#frames.request(how);
	}

	/** Begins an empty screen; what was on it goes up into the scrollback. */
	redraw(): void {
		if (!this.#terminal.isTaken) return;
		const { columns, rows } = this.size;
		this.#write(
			`${erased(this.#drawn, columns, this.#certainReflow)}\u001b[${rows}B${"\n".repeat(rows)}\u001b[H${REPAIR}`,
		);
		this.#drawn = nothingDrawn(columns);
		this.#frames.draw();
	}

	answered(sequence: string): void {
		if (this.#options.traits.question !== "") this.#reflow = reflowIn(sequence) ?? this.#reflow;
	}

	title(text: string): void {
		this.#terminal.title(text);
	}

	copy(text: string): number {
		return this.#terminal.copy(text);
	}

	bell(): void {
		this.#terminal.bell();
	}

	mouse(isOn: boolean): void {
		this.#terminal.mouse(isOn);
	}

	/** An empty row stands in place of the region. */
	suspend(): void {
		if (!this.#terminal.isTaken) return;
		this.#frames.stop();
		this.#put({ rows: [], cursor: { row: 0, column: 0 } }, this.#queue.take(Number.POSITIVE_INFINITY));
		this.#terminal.giveBack();
	}

	lose(): void {
		this.#frames.stop();
		this.#sizes.end();
		this.#terminal.lose();
	}

	/** Below what was written meanwhile. */
	resume(): void {
		if (this.#isClosed || this.#terminal.isTaken) return;
		this.#terminal.take();
		this.#write(REPAIR + freshRow(this.size.columns));
		this.#sizes.end();
		this.#drawn = nothingDrawn(this.size.columns);
		this.#frames.draw();
	}

	/** Writes what waits, too. */
	close(): void {
		if (this.#isClosed) return;
		this.suspend();
		this.#isClosed = true;
		this.#frames.stop();
		this.#queue.take(Number.POSITIVE_INFINITY); // who waits for that goes on
		this.#terminal.close();
	}

	#resized(): void {
		this.#isResized = true;
		if (this.#terminal.isTaken) this.#sizes.told();
	}

	#draw(): void {
		if (!this.#terminal.isTaken || this.#isBlocked) return;
		this.#terminal.refreshSize(); // the signal may be on its way
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
		const painted = paintLine(row, this.#options.traits.colours);
		return painted.width < columns ? painted : paintLine(cutLine(row, columns - 1), this.#options.traits.colours);
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
		this.#terminal.write(text);
		if (this.#isBlocked) return;
		this.#isBlocked = !this.#terminal.takesMore(() => {
			this.#isBlocked = false;
			this.request();
		});
	}
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

/**
 * Lines that wait to be appended, in order, and those who wait until few of them do. They are kept as bytes: of strings that are put
 * together the pieces stay alive, and a long answer in small pieces would fill the heap for as long as the terminal is slow.
 */

/** Characters; who appends more than that at once should wait. */
const MOST_WAITING = 1024 * 1024;
/** Of what comes while another program has the terminal more is not kept: transcripts have it. */
const MOST_KEPT = 8 * 1024 * 1024;
const CHUNK = 16 * 1024; // characters

interface Chunk {
	readonly bytes: Buffer;
	readonly chars: number;
	readonly lines: number;
}

class AppendQueue {
	private chunks: Chunk[] = [];
	/** Lines that are no chunk so far, each with its end. */
	private begun = "";
	private begunLines = 0;
	private chars = 0;
	private dropped = 0;
	private whenShort: (() => void)[] = [];

	get isEmpty(): boolean {
		return this.chars === 0;
	}

	get isLong(): boolean {
		return this.chars > MOST_WAITING;
	}

	/** `written`: a line as it is written to a terminal, without its end. */
	add(written: string): void {
		this.begun += `${written}\r\n`;
		this.begunLines++;
		this.chars += written.length + 2;
		if (this.begun.length >= CHUNK) this.endChunk();
		if (this.chars > MOST_KEPT) this.dropOldest();
	}

	/** The next lines, of about so many characters, each with its end; at least one, if any waits. */
	take(mostChars: number): string {
		this.endChunk();
		let chars = 0;
		let count = 0;
		for (const chunk of this.chunks) {
			if (count > 0 && chars + chunk.chars > mostChars) break;
			chars += chunk.chars;
			count++;
		}
		this.chars -= chars;
		const taken = this.chunks.splice(0, count).map(({ bytes }) => bytes.toString());
		const text = this.droppedLine() + taken.join("");
		if (!this.isLong) this.tellShort();
		return text;
	}

	/** Resolves at once when it is short already. */
	short(): Promise<void> {
		return this.isLong ? new Promise((resolve) => this.whenShort.push(resolve)) : Promise.resolve();
	}

	private endChunk(): void {
		if (this.begunLines === 0) return;
		const { begun, begunLines: lines } = this;
		this.chunks.push({ bytes: Buffer.from(begun), chars: begun.length, lines });
		this.begun = "";
		this.begunLines = 0;
	}

	private dropOldest(): void {
		this.endChunk();
		let count = 0;
		while (this.chars > MOST_KEPT / 2) {
			const { chars = 0, lines = 0 } = this.chunks[count++] ?? {};
			this.chars -= chars;
			this.dropped += lines;
		}
		this.chunks.splice(0, count);
	}

	private droppedLine(): string {
		if (this.dropped === 0) return "";
		const text = `… ${this.dropped} lines omitted`;
		this.dropped = 0;
		return `${paintLine([segment(text, "dim")], "bare").written}\r\n`;
	}

	private tellShort(): void {
		for (const tell of this.whenShort.splice(0)) tell();
	}
}
