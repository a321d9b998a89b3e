/**
 * The terminal, and the only file that knows blessed. Its cells are filled directly: blessed then writes what has
 * changed since the last frame, and nothing of its tags or of its idea of wide characters comes between.
 */
import blessed from "blessed";
import { characterWidth } from "../text/width.ts";
import type { Line, Segment, Size, Tone } from "./scene/line.ts";

export interface ScreenOptions {
	readonly input: NodeJS.ReadableStream;
	readonly output: NodeJS.WritableStream;
	readonly hasColours: boolean;
	/** Names as in keys.ts. */
	readonly onKey: (key: string) => void;
	readonly onResize: () => void;
}

export interface Screen {
	size(): Size;
	draw(lines: readonly Line[]): void;
	/** Gives the terminal back while `stop` stops this process, and takes it again when it goes on. */
	suspend(stop: () => void): void;
	/** Takes the terminal as if nobody knew what is on it. */
	redraw(): void;
	/** Restores the terminal; a second call does nothing. */
	close(): void;
}

/**
 * A path is never looked up in the system's database: since nothing can lie below /dev/null, blessed takes its own
 * file of that name. The system's entries for newer terminals have capabilities (`Setulc`, `plab_norm`) that it cannot
 * compile and dumps to stderr; what we use of its own is understood by all of them.
 */
const OWN_TERMINFO = "/dev/null/xterm-256color";

export function openScreen(options: ScreenOptions): Screen {
	const { input, output } = options;
	const program = blessed.program({
		input,
		output,
		terminal: OWN_TERMINFO,
		extended: false,
		forceUnicode: true,
		tput: true,
		buffer: true,
		zero: true,
	} as unknown as blessed.Widgets.IScreenOptions) as unknown as Program;
	program.tput.brokenACS = true; // lines are written as UTF-8: the other character set is for terminals without it
	const screen = blessed.screen({ program } as unknown as blessed.Widgets.IScreenOptions) as unknown as BlessedScreen;
	let isClosed = false;
	removeExitOnSignal();
	const paste = new Paste();
	const lookForMark = (_: unknown, key: Key | undefined) => paste.pass(key?.sequence);
	input.on("keypress", lookForMark); // the program keeps to itself what it has no name for
	program.on("keypress", (_, key) => {
		if (!paste.isUnderWay) options.onKey(key.full);
	});
	screen.on("resize", options.onResize);
	program._write(PASTE_MARKS_ON);
	const take = () => {
		if (isClosed) return;
		setRawMode(input, false); // Node does nothing when it believes that the mode is set already
		setRawMode(input, true);
		screen.leave();
		screen.enter();
		program._write(PASTE_MARKS_ON);
		options.onResize();
	};
	return {
		size: () => ({ columns: screen.lines[0]?.length ?? 0, rows: screen.lines.length }),
		draw: (lines) => drawLines(screen, lines, options.hasColours),
		suspend: (stop) => {
			program._write(PASTE_MARKS_OFF);
			screen.leave();
			setRawMode(input, false);
			stop();
			setImmediate(take);
		},
		redraw: take,
		close: () => {
			if (isClosed) return;
			isClosed = true;
			input.off("keypress", lookForMark);
			paste.end();
			program._write(PASTE_MARKS_OFF);
			screen.destroy();
		},
	};
}

/** Between these a terminal puts what is pasted. Nothing here takes text, and its letters are not meant as keys. */
const PASTE_MARKS_ON = "\u001b[?2004h";
const PASTE_MARKS_OFF = "\u001b[?2004l";
const PASTE_BEGINS = "\u001b[200~";
const PASTE_ENDS = "\u001b[201~";

const PASTE_SILENCE_MS = 1_000; // an end that never comes, or in two pieces, must not make us deaf

class Paste {
	isUnderWay = false;
	#silence: NodeJS.Timeout | undefined;

	pass(sequence: string | undefined): void {
		clearTimeout(this.#silence);
		if (sequence === PASTE_BEGINS) this.isUnderWay = true;
		if (sequence === PASTE_ENDS) this.isUnderWay = false;
		if (this.isUnderWay) this.#silence = setTimeout(() => this.end(), PASTE_SILENCE_MS);
	}

	end(): void {
		clearTimeout(this.#silence);
		this.isUnderWay = false;
	}
}

/** blessed exits with 0 on these signals, also when our own listener was there and is removed by what it does. */
function removeExitOnSignal(): void {
	const { _sigtermHandler, _sigintHandler, _sigquitHandler } = blessed.screen as unknown as BlessedHandlers;
	for (const [signal, handler] of [
		["SIGTERM", _sigtermHandler],
		["SIGINT", _sigintHandler],
		["SIGQUIT", _sigquitHandler],
	] as const)
		if (handler !== undefined) process.off(signal, handler);
}

type Cell = [attributes: number, text: string];
type Row = Cell[] & { dirty: boolean };

/** What blessed has and its type declarations do not. */
interface BlessedScreen {
	/** What is to be shown, and what is on the terminal. */
	lines: Row[];
	olines: Cell[][];
	on(event: "resize", listener: () => void): void;
	draw(from: number, to: number): void;
	enter(): void;
	leave(): void;
	destroy(): void;
}

interface Key {
	full: string;
	/** What the terminal sent. */
	sequence: string;
}

interface Program {
	tput: { brokenACS: boolean };
	on(event: "keypress", listener: (character: string | undefined, key: Key) => void): void;
	/** Into what is flushed with the next frame, or when the program is destroyed. */
	_write(text: string): void;
}

interface BlessedHandlers {
	_sigtermHandler?: () => void;
	_sigintHandler?: () => void;
	_sigquitHandler?: () => void;
}

function setRawMode(input: NodeJS.ReadableStream, isRaw: boolean): void {
	if ("setRawMode" in input && typeof input.setRawMode === "function") input.setRawMode(isRaw);
}

function drawLines(screen: BlessedScreen, lines: readonly Line[], hasColours: boolean): void {
	for (const [y, row] of screen.lines.entries()) {
		const cells = cellsOf(lines[y] ?? [], row.length, hasColours);
		if (!row.some(([attributes, text], x) => attributes !== cells[x]?.[0] || text !== cells[x]?.[1])) continue;
		// A wide character moves the cursor by two: blessed would count the cell behind it once more when it skips
		// what has not changed. So a line that has one, or had one, is written whole.
		if (hasWide(row) || hasWide(cells)) for (const known of screen.olines[y] ?? []) known[1] = "\0";
		for (const [x, cell] of cells.entries()) row[x] = cell;
		row.dirty = true;
	}
	screen.draw(0, screen.lines.length - 1);
}

/** One cell a column. The cell behind a wide character is empty; what has no width is with the character before it. */
function cellsOf(line: Line, columns: number, hasColours: boolean): Cell[] {
	const cells: Cell[] = [];
	for (const piece of line) {
		const attributes = attributesOf(piece, hasColours);
		for (const character of piece.text) {
			const width = characterWidth(character);
			if (width === 0) joinToLast(cells, character);
			else if (cells.length + width > columns) break;
			else cells.push([attributes, character]);
			if (width === 2) cells.push([attributes, ""]);
		}
	}
	while (cells.length < columns) cells.push([PLAIN, " "]);
	return cells;
}

function joinToLast(cells: readonly Cell[], mark: string): void {
	const last = cells.findLast(([, text]) => text !== "");
	if (last !== undefined) last[1] += mark;
}

function hasWide(cells: readonly Cell[]): boolean {
	return cells.some(([, text]) => text === "");
}

const NO_COLOUR = 0x1ff;
const PLAIN = attributes(0, NO_COLOUR);
const BOLD = 1;
const INVERSE = 8;
const [RED, GREEN, YELLOW, MAGENTA, CYAN, GREY] = [1, 2, 3, 5, 6, 245] as const;

/** `bits` and colour of each tone. Grey of the large palette is readable on dark and on light; "bright black" is not. */
const TONES: Record<Tone, readonly [bits: number, colour: number]> = {
	plain: [0, NO_COLOUR],
	strong: [BOLD, NO_COLOUR],
	dim: [0, GREY],
	heading: [BOLD, CYAN],
	busy: [0, CYAN],
	calm: [0, MAGENTA],
	good: [0, GREEN],
	bad: [0, RED],
	warn: [0, YELLOW],
	alert: [BOLD | INVERSE, YELLOW],
};

/** The selected line is one bar: colours would make a patchwork of it when inverted. */
function attributesOf({ tone, isSelected }: Segment, hasColours: boolean): number {
	const [bits, colour] = TONES[tone];
	if (isSelected === true) return attributes((bits & BOLD) | INVERSE, NO_COLOUR);
	return attributes(bits, hasColours ? colour : NO_COLOUR);
}

/** As blessed packs them: flags, foreground, background; the background stays the terminal's. */
function attributes(bits: number, colour: number): number {
	return (bits << 18) | (colour << 9) | NO_COLOUR;
}
