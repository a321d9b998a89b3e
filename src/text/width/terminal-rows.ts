/**
 * The lower rows of a terminal, as the output of a program leaves them: what a carriage return, a backspace, a cursor move
 * or an erasure replaced is gone. Rows that have moved out at the top are final. The work is proportional to what is
 * written, also on hostile input, and the memory is bounded.
 */

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

export class TerminalRows {
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

	/** CSI: a cursor move, an erasure, or a shift of what is there; all others, such as colours, change nothing here. */
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
