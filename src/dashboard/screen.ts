/**
 * The terminal, and the only file that knows blessed. We fill the cells of blessed's screen ourselves, and blessed writes
 * the cells that have changed since the last frame. So neither its tags nor its idea of wide characters matter.
 */
import blessed from "blessed";
import { cleanText } from "../text/terminal-safe.ts";
import { characterWidth } from "../text/width.ts";
import type { Line, Segment, Size, Tone } from "./scene/line.ts";

export interface ScreenOptions {
	readonly input: NodeJS.ReadableStream;
	readonly output: NodeJS.WritableStream;
	readonly hasColours: boolean;
	/** Called with the names of scene/keys.ts. */
	readonly onKey: (key: string) => void;
	readonly onResize: () => void;
}

export interface Screen {
	size(): Size;
	draw(lines: readonly Line[]): void;
	/** Gives the terminal back while `stop` stops this process, and takes it again when it goes on. */
	suspend(stop: () => void): void;
	/** Draws everything anew, since another program may have written on the terminal. */
	redraw(): void;
	/** Restores the terminal; a second call does nothing. */
	close(): void;
}

/**
 * Makes blessed use the terminal description that it brings: the system's database is not asked for a path, and nothing
 * can lie below /dev/null. The system's descriptions of newer terminals have capabilities (`Setulc`, `plab_norm`) that
 * blessed cannot compile and dumps to stderr. All terminals understand what we use of blessed's own.
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
	program.tput.brokenACS = true; // draw lines in UTF-8, not in the alternate character set
	const screen = blessed.screen({ program } as unknown as blessed.Widgets.IScreenOptions) as unknown as BlessedScreen;
	let isClosed = false;
	removeExitOnSignal();
	const paste = new Paste();
	const lookForMark = (_: unknown, key: Key | undefined) => paste.pass(key?.sequence);
	input.on("keypress", lookForMark); // blessed drops keys that it has no name for, such as these marks
	program.on("keypress", (_, key) => {
		if (!paste.isUnderWay) options.onKey(key.full);
	});
	screen.on("resize", options.onResize);
	program._write(PASTE_MARKS_ON);
	const take = () => {
		if (isClosed) return;
		setRawMode(input, false); // else Node believes that the mode is set already, and does nothing
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

/** A terminal puts these marks around pasted text. The dashboard takes no text, and letters of a paste are not keys. */
const PASTE_MARKS_ON = "\u001b[?2004h";
const PASTE_MARKS_OFF = "\u001b[?2004l";
const PASTE_BEGINS = "\u001b[200~";
const PASTE_ENDS = "\u001b[201~";

const PASTE_SILENCE_MS = 1_000; // else a mark that is lost, or comes in two pieces, would make the dashboard ignore all keys

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

/** On these signals blessed would exit with 0, even beside a listener of ours. */
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

/** Parts of blessed that its type declarations leave out. */
interface BlessedScreen {
	/** `lines`: the next frame. `olines`: what is on the terminal. */
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
	/** Adds to a buffer that is flushed with the next frame, or when the program is destroyed. */
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
		// A wide character moves the cursor by two columns. When blessed skips unchanged cells it counts the empty cell
		// behind such a character once more, so a line that has or had one is written whole.
		if (hasWide(row) || hasWide(cells)) for (const known of screen.olines[y] ?? []) known[1] = "\0";
		for (const [x, cell] of cells.entries()) row[x] = cell;
		row.dirty = true;
	}
	screen.draw(0, screen.lines.length - 1);
}

/** One cell a column. The cell behind a wide character is empty; a mark without width joins the character before it. */
function cellsOf(line: Line, columns: number, hasColours: boolean): Cell[] {
	const cells: Cell[] = [];
	for (const piece of line) {
		const attributes = attributesOf(piece, hasColours);
		for (const character of safeForCells(piece.text)) {
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

/** Panes clean what they show; whatever they missed must not reach the terminal either. */
function safeForCells(text: string): string {
	return cleanText(text).replace(/[\n\t]/g, " ");
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

/** Grey 245 of the 256 colours is readable on a dark and on a light terminal; "bright black" is not. */
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

/** The selected line has no colours: inverted they would make a patchwork of it. */
function attributesOf({ tone, isSelected }: Segment, hasColours: boolean): number {
	const [bits, colour] = TONES[tone];
	if (isSelected === true) return attributes((bits & BOLD) | INVERSE, NO_COLOUR);
	return attributes(bits, hasColours ? colour : NO_COLOUR);
}

/** A cell's attributes as blessed packs them: flags, foreground, background. The background stays the terminal's. */
function attributes(bits: number, colour: number): number {
	return (bits << 18) | (colour << 9) | NO_COLOUR;
}
