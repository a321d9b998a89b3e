/**
 * What a terminal would show of an output, as plain text: escape sequences are parted from the text, and TerminalRows has
 * what they leave of it. The output may come in pieces, cut anywhere.
 */

export function plainText(text: string): string {
	if (!/[\b\r\x1b]/.test(text)) return text.replace(CONTROLS, "");
	let shown = "";
	const rendering = new Rendering((part) => {
		shown += part;
	});
	rendering.write(text);
	rendering.end();
	return shown;
}

/** DEL, C1, and C0 without tab and newline. */
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;
/** CSI with its parameters and its final byte · any other escape. Sticky: they read at `lastIndex`. */
const SEQUENCE = /\x1b(?:\[([0-?]*)[ -/]*([@-~])?|[ -/]*([0-Z\\-~])?)/y;
/** Escapes of one character that move the cursor, and the CSI that do the same. */
const MOVES: ReadonlyMap<string, string> = new Map([
	["M", "A"],
	["D", "B"],
	["E", "E"],
	["7", "s"],
	["8", "u"],
]);
const END_OF_STRING = /[\x07\x1b\n]/g;
const MOST_HELD = 1000; // characters of a sequence whose end has not come
const MOST_OF_IMAGE = 1024 * 1024;

export class Rendering {
	private readonly rows: TerminalRows;
	private readonly final: (text: string) => void;
	/**
	 * Within an OSC (titles, links), which ends with its line, else it would eat the rest; within a DCS, SOS, PM or APC (images),
	 * which may go over many lines when it has an end: ST, and no other escape before it.
	 */
	private within: "text" | "string" | "image" = "text";
	/** The beginning of a sequence that is not complete. */
	private held = "";
	private image: string[] = [];
	private imageSize = 0;

	/** `final` gets the text that can no longer change. */
	constructor(final: (text: string) => void) {
		this.final = final;
		this.rows = new TerminalRows(final);
	}

	/** Nothing is under way: what only prints needs no rendering from here on. */
	get isAtEnd(): boolean {
		return this.within === "text" && this.held === "" && this.rows.isAtEnd;
	}

	write(text: string): void {
		const all = this.held + text;
		this.held = "";
		for (let at = 0; at < all.length; )
			if (this.within === "text") at = this.text(all, at);
			else at = this.within === "string" ? this.string(all, at) : this.imagePart(all, at);
	}

	/** Gives what is still on the screen. Nothing may be written after it. */
	end(onScreen = this.final): void {
		this.held = "";
		if (this.within === "image") this.asString();
		onScreen(this.rows.text());
	}

	/** Reads on from `at`, and gives where it has come to; so do the next three. */
	private text(all: string, at: number): number {
		const found = all.indexOf("\x1b", at);
		this.rows.write(all.slice(at, found < 0 ? all.length : found));
		return found < 0 ? all.length : this.sequence(all, found);
	}

	private sequence(all: string, at: number): number {
		SEQUENCE.lastIndex = at;
		const [sequence = "", parameters = "", final, other] = SEQUENCE.exec(all) ?? [];
		const end = at + sequence.length;
		if (final === undefined && other === undefined && end === all.length) this.held = sequence.slice(0, MOST_HELD);
		else if (final !== undefined) this.rows.control(final, parameters);
		else if (other !== undefined && MOVES.has(other)) this.rows.control(MOVES.get(other) ?? "", "");
		else if (other === "]") this.within = "string";
		else if (/[PX^_]/.test(other ?? "")) this.within = "image";
		return end;
	}

	private string(all: string, at: number): number {
		END_OF_STRING.lastIndex = at;
		const end = END_OF_STRING.exec(all);
		if (end === null) return all.length;
		this.within = "text"; // where ST is a sequence that does nothing
		return end[0] === "\x07" ? end.index + 1 : end.index;
	}

	private imagePart(all: string, at: number): number {
		const found = all.indexOf("\x1b", at);
		const end = found < 0 ? all.length : found;
		this.image.push(all.slice(at, end));
		this.imageSize += end - at;
		if (found >= 0 && found + 1 === all.length) this.held = "\x1b";
		else if (found >= 0 && all[found + 1] === "\\") this.endImage();
		else if (found >= 0 || this.imageSize > MOST_OF_IMAGE) this.asString();
		return this.held === "" ? end : all.length;
	}

	private endImage(): string {
		const image = this.image.join("");
		this.image = [];
		this.imageSize = 0;
		this.within = "text";
		return image;
	}

	/** Without an end it is no image, and ends with its line. */
	private asString(): void {
		const begun = this.endImage();
		this.within = "string";
		this.write(begun);
	}
}

const ROWS = 128; // that can still be changed; a terminal has fewer
const COLUMNS = 2048; // then a line goes on in the next row, as in a terminal
const SKIPPED_COLUMNS = 200; // that a move to the right leaves blank at most: a far column does not make a long line
const SKIPPED_ROWS = 50; // and a move down, at most
const BLANK = " ";
/** Characters of one UTF-16 unit, and a single other character: a pair, or a control character. Sticky. */
const RUN = /[\t -~\xa0-\ud7ff\ue000-\uffff]+/y;
const SINGLE = /[\ud800-\udbff][\udc00-\udfff]|./sy;

/** A character each; one text as long as none was replaced, which is how nearly all rows stay. */
type Cells = string | string[];

interface Row {
	cells: Cells;
	/** The row was full: the next one belongs to the same line. */
	goesOn: boolean;
}

/**
 * The lower rows of a terminal, as the output of a program leaves them: what a carriage return, a backspace, a cursor move
 * or an erasure replaced is gone. Rows that have moved out at the top are final. The work is proportional to what is
 * written, even on hostile input, and the memory is bounded.
 */
class TerminalRows {
	private readonly rows: Row[] = [newRow()];
	private readonly final: (text: string) => void;
	private row = 0;
	private column = 0;
	/** `addressed`: what was written since stands at a place of the screen, such as a status line at its bottom. */
	private saved: { row: number; column: number } | "addressed" | undefined;

	/** `final` gets the text of the rows that can no longer change. */
	constructor(final: (text: string) => void) {
		this.final = final;
	}

	/** The cursor stands where a program that only prints has it. */
	get isAtEnd(): boolean {
		return this.row === this.rows.length - 1 && this.column >= this.current.cells.length;
	}

	/** What is on the screen. */
	text(): string {
		return textOf(this.rows).slice(0, -1);
	}

	/** Text without escape sequences. Control characters but for tab, line feed, carriage return and backspace are dropped. */
	write(text: string): void {
		for (let at = 0; at < text.length; ) {
			RUN.lastIndex = SINGLE.lastIndex = at;
			const run = RUN.exec(text)?.[0];
			const piece = run ?? SINGLE.exec(text)?.[0] ?? "";
			at += piece.length;
			if (run !== undefined) this.putRun(run);
			else if (piece === "\n") this.nextRow(false);
			else if (piece === "\r") this.column = 0;
			else if (piece === "\b") this.column = Math.max(0, this.column - 1);
			else if (piece > "\x9f") this.put(piece);
		}
	}

	/** Keeps where the cursor is, for restoreCursor. */
	private saveCursor(): void {
		this.saved = { row: this.row, column: this.column };
	}

	/** The saved row may have moved out at the top, or been erased. */
	private restoreCursor(): void {
		if (this.saved === "addressed") return this.beginScreen();
		if (this.saved === undefined) return;
		this.row = Math.max(0, Math.min(this.saved.row, this.rows.length - 1));
		this.column = this.saved.column;
	}

	/** CSI: a cursor move, an erasure, or a shift of what is there; all others, such as colors, change nothing here. */
	control(final: string, parameters: string): void {
		const count = Math.min(Number.parseInt(parameters, 10) || 1, COLUMNS);
		if (final === "A" || final === "F") this.row = Math.max(0, this.row - count);
		if (final === "B" || final === "E") this.moveDown(Math.min(count, SKIPPED_ROWS));
		if (final === "E" || final === "F") this.column = 0;
		if (final === "C") this.column = Math.min(COLUMNS, this.column + Math.min(count, SKIPPED_COLUMNS));
		if (final === "D") this.column = Math.max(0, this.column - count);
		if (final === "G") this.column = Math.min(this.current.cells.length, count - 1);
		if (final === "s" && parameters === "") this.saveCursor();
		if (final === "u" && parameters === "") this.restoreCursor();
		if (final === "K") this.eraseInRow(parameters);
		if (final === "P" || final === "X") this.removeInRow(count, final === "X");
		if (final === "L") this.insertRows(Math.min(count, SKIPPED_ROWS));
		if (final === "M") this.deleteRows(count);
		if (final === "J") this.eraseInScreen(parameters);
		if (final === "H" || final === "f") this.address(/^1?(?:;1?)?$/.test(parameters));
	}

	private get current(): Row {
		return this.rows[this.row] as Row;
	}

	private putRun(run: string): void {
		const { current, column } = this;
		const { cells } = current;
		const isWhole = column === 0 && run.length >= cells.length;
		const mayBeText = typeof cells === "string" && column + run.length <= COLUMNS;
		if (!mayBeText || (column < cells.length && !isWhole)) {
			for (const character of run) this.put(character);
			return;
		}
		current.cells = isWhole ? run : cells + BLANK.repeat(column - cells.length) + run;
		this.column += run.length;
	}

	private put(character: string): void {
		if (this.column >= COLUMNS) this.nextRow(true);
		const cells = this.separateCells();
		const { length } = cells;
		if (length < this.column) {
			cells.length = this.column;
			cells.fill(BLANK, length);
		}
		cells[this.column++] = character;
	}

	private separateCells(): string[] {
		const { current } = this;
		if (typeof current.cells === "string") current.cells = [...current.cells];
		return current.cells;
	}

	private nextRow(goesOn: boolean): void {
		this.current.goesOn = goesOn;
		this.column = 0;
		this.moveDown(1);
	}

	private moveDown(count: number): void {
		this.row += count;
		while (this.rows.length <= this.row) this.rows.push(newRow());
		this.giveUpperRows();
	}

	private giveUpperRows(): void {
		if (this.rows.length <= 2 * ROWS) return;
		this.final(textOf(this.rows.splice(0, ROWS)));
		this.row = Math.max(0, this.row - ROWS);
		if (typeof this.saved === "object") this.saved.row = Math.max(0, this.saved.row - ROWS);
	}

	/** IL: what a terminal would push out at the bottom stays. */
	private insertRows(count: number): void {
		this.column = 0;
		this.rows.splice(this.row, 0, ...Array.from({ length: count }, newRow));
		this.giveUpperRows();
	}

	/** DL */
	private deleteRows(count: number): void {
		this.column = 0;
		this.rows.splice(this.row, count);
		if (this.rows.length <= this.row) this.rows.push(newRow());
	}

	/** DCH: characters at the cursor go, and the rest moves up; ECH: they become blanks. */
	private removeInRow(count: number, leavesBlanks: boolean): void {
		const { current, column } = this;
		if (column >= current.cells.length) return;
		if (leavesBlanks) this.separateCells().fill(BLANK, column, column + count);
		else this.separateCells().splice(column, count);
	}

	/** ED: 0 or nothing erases below the cursor. What a cleared screen had stays, and what comes then begins a new row. */
	private eraseInScreen(how: string): void {
		if (how === "2" || how === "3") this.beginScreen();
		if (Number(how) !== 0) return;
		this.eraseInRow("");
		this.rows.length = this.row + 1;
	}

	/** CUP: the places of a screen are not known here, so what is written at one is in a row of its own when it is left again. */
	private address(isHome: boolean): void {
		if (isHome || this.saved !== undefined) this.beginScreen();
		if (!isHome && this.saved !== undefined) this.saved = "addressed";
	}

	/** The cursor goes below all that is there. */
	private beginScreen(): void {
		this.row = this.rows.length - 1;
		if (this.current.cells.length > 0) this.nextRow(false);
		this.column = 0;
	}

	/** EL: 0 or nothing erases from the cursor on, 1 up to the cursor, 2 all; the cursor stays. */
	private eraseInRow(how: string): void {
		const { current, column } = this;
		if (how === "2") current.cells = "";
		else if (how === "1") this.separateCells().fill(BLANK, 0, column + 1);
		else if (Number(how) === 0 && column === 0) current.cells = "";
		else if (Number(how) === 0 && column < current.cells.length) this.separateCells().length = column;
	}
}

/** Each line with a line feed, the last one, too. */
function textOf(rows: readonly Row[]): string {
	let text = "";
	for (const { cells, goesOn } of rows)
		text += (typeof cells === "string" ? cells : cells.join("")) + (goesOn ? "" : "\n");
	return text;
}

function newRow(): Row {
	return { cells: "", goesOn: false };
}
