/**
 * The terminal, and the only file that knows blessed. We fill the cells of blessed's screen ourselves, and blessed writes
 * the cells that have changed since the last frame. So neither its tags nor its idea of wide characters matter.
 */
import { EventEmitter } from "node:events";
import blessed from "blessed";
import type { Line, Size } from "./scene/line.ts";
import { type Cell, cellsOf, hasWide } from "./screen/cells.ts";
import type { MouseEvent, TerminalInput } from "./screen/input-decoder.ts";
import { openKeyboard } from "./screen/keyboard.ts";
import { Modes } from "./screen/modes.ts";

export interface ScreenOptions {
	readonly input: NodeJS.ReadableStream;
	readonly output: NodeJS.WritableStream;
	readonly hasColours: boolean;
	/** Called with the names of scene/keys.ts, and with the character that was typed, when it is one that can be seen. */
	readonly onKey: (key: string, character: string | undefined) => void;
	/** Called with a whole paste, its lines parted by line feeds. Nothing of a paste is a key. */
	readonly onPaste?: (text: string) => void;
	/** Called while the mouse is on. */
	readonly onMouse?: (event: MouseEvent) => void;
	readonly onResize: () => void;
}

export interface Screen {
	size(): Size;
	draw(lines: readonly Line[]): void;
	/** Gives the terminal back while `stop` stops this process, and takes it again when it goes on. */
	suspend(stop: () => void): void;
	/** Off at first: it takes the terminal's own selection of text. */
	mouse(isOn: boolean): void;
	bell(): void;
	/** Names the window. The name that it had comes back when the terminal is given back. */
	title(text: string): void;
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
	const keys = new KeyInput(input);
	const program = blessed.program({
		input: keys,
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
	const modes = new Modes((text) => program._write(text));
	let isClosed = false;
	removeExitOnSignal();
	program.on("keypress", (character, key) => {
		if (key.full !== "return") options.onKey(key.full, isSeen(character) ? character : undefined);
	});
	const keyboard = openKeyboard(input, (told) => tellOf(told, keys, options));
	screen.on("resize", options.onResize);
	modes.begin();
	const take = () => {
		if (isClosed) return;
		setRawMode(input, false); // else Node believes that the mode is set already, and does nothing
		setRawMode(input, true);
		modes.end();
		screen.leave();
		screen.enter();
		modes.begin();
		options.onResize();
	};
	return {
		size: () => ({ columns: screen.lines[0]?.length ?? 0, rows: screen.lines.length }),
		draw: (lines) => drawLines(screen, lines, options.hasColours),
		suspend: (stop) => {
			modes.end();
			screen.leave();
			setRawMode(input, false);
			stop();
			setImmediate(take);
		},
		mouse: (isOn) => modes.mouse(isOn),
		bell: () => program._write(BELL),
		title: (text) => modes.title(text),
		redraw: take,
		close: () => {
			if (isClosed) return;
			isClosed = true;
			keyboard.close();
			modes.end();
			screen.destroy();
		},
	};
}

/** What blessed reads in place of the input: one key at a time. It knows the names of keys, but neither pastes nor pieces. */
class KeyInput extends EventEmitter {
	readonly #input: NodeJS.ReadableStream & { readonly isRaw?: boolean; readonly destroyed?: boolean };

	constructor(input: NodeJS.ReadableStream) {
		super();
		this.#input = input;
	}

	get isRaw(): boolean {
		return this.#input.isRaw === true;
	}

	get destroyed(): boolean {
		return this.#input.destroyed === true;
	}

	setRawMode(isRaw: boolean): void {
		setRawMode(this.#input, isRaw);
	}

	resume(): void {
		this.#input.resume();
	}

	pause(): void {
		this.#input.pause();
	}
}

function tellOf(told: TerminalInput, keys: EventEmitter, options: ScreenOptions): void {
	switch (told.is) {
		case "key":
			if (told.sequence > "\u009f") options.onKey(told.sequence, told.sequence);
			else keys.emit("data", told.sequence);
			return;
		case "paste":
			options.onPaste?.(told.text);
			return;
		case "mouse":
			options.onMouse?.({ x: told.x, y: told.y, button: told.button });
			return;
		case "cursor":
			return;
	}
}

function isSeen(character: string | undefined): boolean {
	return character !== undefined && /^[ -~]$/.test(character);
}

const BELL = "\u0007";
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

/** Parts of blessed that its type declarations leave out. */
interface BlessedScreen {
	/** `lines`: the next frame. `olines`: what is on the terminal. */
	lines: (Cell[] & { dirty: boolean })[];
	olines: Cell[][];
	on(event: "resize", listener: () => void): void;
	draw(from: number, to: number): void;
	enter(): void;
	leave(): void;
	destroy(): void;
}

interface Key {
	full: string;
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
