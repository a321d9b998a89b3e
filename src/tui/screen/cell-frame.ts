/** A frame of a whole screen: lines as its cells, and what to write so that a terminal that shows one frame shows the next. Pure. */
import { cleanText } from "../../text/safe/terminal-safe.ts";
import { characterWidth } from "../../text/width/width.ts";
import type { Line, Size } from "../text/line.ts";
import { type Colors, type Sgr, sgrOf } from "./paint.ts";

/** One column. The cell behind a wide character is empty; a mark without width is with the character before it. */
type Cell = readonly [style: Sgr, text: string];
type Row = readonly Cell[];
export type Frame = readonly Row[];

interface Abilities {
	readonly colors: Colors;
	readonly charset: Charset;
}

/** Exactly the size: what is too much is cut, what is missing is blank. */
export function frameOf(lines: readonly Line[], { columns, rows }: Size, abilities: Abilities): Frame {
	return Array.from({ length: rows }, (_, y) => rowOf(lines[y] ?? [], columns, abilities));
}

const BLANK: Cell = ["", " "];

function rowOf(line: Line, columns: number, abilities: Abilities): Row {
	const cells: Cell[] = [];
	for (const piece of line) {
		const style = sgrOf(piece, abilities.colors);
		const text = safeForCells(piece.text);
		if (PLAIN.test(text)) for (const character of text) cells.push([style, character]);
		else cells.push(...cellsOf(text, style, abilities.charset));
		if (cells.length > columns) break;
	}
	return fitted(cells, columns);
}

const PLAIN = /^[ -~]*$/;

/** Panes clean what they show; whatever they missed must not reach the terminal either. */
function safeForCells(text: string): string {
	return PLAIN.test(text) ? text : cleanText(text).replace(/[\n\t]/g, " ");
}

const MOST_MARKS = 4; // terminals keep no more in a cell, and a tower of marks hides the rows above it

function cellsOf(text: string, style: Sgr, charset: Charset): Cell[] {
	const cells: Cell[] = [];
	let base: number | undefined;
	let marks = 0;
	for (const character of text) {
		const width = characterWidth(character);
		if (width > 0) {
			base = cells.push([style, inCharset(character, width, charset)]) - 1;
			marks = 0;
			if (width === 2) cells.push([style, charset === "ascii" ? " " : ""]);
		} else if (base !== undefined && charset === "unicode" && ++marks <= MOST_MARKS)
			cells[base] = [style, `${cells[base]?.[1]}${character}`];
	}
	return cells;
}

/** A wide character that would be cut in two is left out. */
function fitted(cells: Cell[], columns: number): Cell[] {
	const isHalved = cells.length > columns && cells[columns]?.[1] === "";
	const kept = cells.slice(0, isHalved ? columns - 1 : columns);
	while (kept.length < columns) kept.push(BLANK);
	return kept;
}

/**
 * Only cells that differ are written, and the cursor is placed again behind each that a terminal might draw with another width after
 * all. `before`: undefined when nobody knows what the terminal shows: then it is erased. Both frames have the same size. After a
 * resize tmux keeps what was outside meanwhile, halves of wide characters too, which take a neighbor away when they are
 * written over.
 */
export function difference(before: Frame | undefined, next: Frame): string {
	const pen = new Pen(before === undefined ? ERASE : "");
	for (const [y, row] of next.entries()) drawRow(y, before?.[y] ?? row.map(() => BLANK), row, pen);
	pen.style("");
	return pen.written;
}

const ERASE = "\u001b[m\u001b[2J";

/** A run of blanks up to the end of a row is cheaper to erase than to write. */
const FEWEST_ERASED = 4;

function drawRow(y: number, before: Row, next: Row, pen: Pen): void {
	const changed = changedColumns(before, next);
	const last = changed.lastIndexOf(true);
	if (last < 0) return;
	const blankFrom = next.findLastIndex((cell) => !isSame(cell, BLANK)) + 1;
	for (let x = changed.indexOf(true); x <= last; x++) {
		const [style, text] = next[x] ?? BLANK;
		if (!changed[x] || text === "") continue;
		pen.place(x, y);
		if (x >= blankFrom && last - x >= FEWEST_ERASED) return pen.eraseToEnd();
		pen.style(style);
		pen.put(text, next[x + 1]?.[1] === "" ? 2 : 1);
	}
}

/** What stands behind marks is written once more: a terminal that knows no marks draws each in a column of its own. */
function changedColumns(before: Row, next: Row): boolean[] {
	const changed = next.map((cell, x) => !isSame(cell, before[x]));
	for (const [x, cell] of next.entries()) {
		const last = next[x + 1]?.[1] === "" ? x + 1 : x;
		for (let mark = changed[x] ? marksOf(cell) : 0; mark > 0; mark--)
			if (last + mark < next.length) changed[last + mark] = true;
	}
	return changed;
}

function isSame([style, text]: Cell, other: Cell | undefined): boolean {
	return other !== undefined && style === other[0] && text === other[1];
}

const CSI = "\u001b[";

/** The terminal's cursor and style, as far as they are known. */
class Pen {
	written: string;
	#row = -1;
	#column: number | undefined;
	#style: Sgr = "";

	constructor(written: string) {
		this.written = written;
	}

	place(x: number, y: number): void {
		if (y !== this.#row) this.written += x === 0 ? `${CSI}${y + 1}H` : `${CSI}${y + 1};${x + 1}H`;
		else if (x !== this.#column) this.written += `${CSI}${x + 1}G`;
		this.#row = y;
		this.#column = x;
	}

	style(style: Sgr): void {
		if (style === this.#style) return;
		this.written += style === "" ? `${CSI}m` : `${CSI}${this.#style === "" ? "" : "0;"}${style}m`;
		this.#style = style;
	}

	put(text: string, width: number): void {
		const x = this.#column ?? 0;
		const isDoubtful = mayDiffer(text, width);
		// A terminal that draws one column only would leave what stood in the second.
		if (isDoubtful && width === 2) this.written += `  ${CSI}${x + 1}G`;
		this.written += text;
		this.#column = isDoubtful ? undefined : x + width;
	}

	eraseToEnd(): void {
		this.style("");
		this.written += `${CSI}K`;
	}
}

/** Old terminals draw marks and emoji otherwise. All have agreed on the wide letters of East Asia. */
function mayDiffer(text: string, width: number): boolean {
	if (marksOf(["", text]) > 0) return true;
	if (width === 1) return false;
	const code = text.codePointAt(0) ?? 0;
	return code < 0x1100 || (code > 0x115f && code < 0x2e80) || (code > 0xffff && code < 0x20000);
}

function marksOf([, text]: Cell = BLANK): number {
	return text.length < 2 ? 0 : [...text].length - 1;
}

/** `wide_ambiguous`: it draws lines, arrows and many letters two columns wide, as terminals for Chinese and Japanese may. */
export type Charset = "unicode" | "wide_ambiguous" | "ascii";

/** The character, or an ASCII one in its place. `width`: the columns that it takes in `unicode`; they stay the same. */
export function inCharset(character: string, width: number, charset: Charset): string {
	if (charset === "unicode" || character <= "~") return character;
	if (charset === "wide_ambiguous" && width === 2) return character;
	return STAND_INS.get(character) ?? byBlock(character) ?? withoutAccent(character) ?? "?";
}

/** The charset that the locale names; Unicode when it names none. */
export function localeCharset({ LC_ALL, LC_CTYPE, LANG }: Readonly<Record<string, string | undefined>>): Charset {
	const locale = LC_ALL || LC_CTYPE || LANG;
	return locale === undefined || locale === "" || /utf-?8/i.test(locale) ? "unicode" : "ascii";
}

const STAND_INS: ReadonlyMap<string, string> = new Map(
	[
		["─┄┈╌‐‑‒–—―−▬", "-"],
		["━═┅┉╍▂▃▄", "="],
		["│┆┊╎├┤┃┇┋╏║▏▎▍▌▐▕❘¦", "|"],
		["┏┓┗┛┣┫┳┻╋╔╗╚╝╠╣╦╩╬▓█▅▆▇▉▊▋", "#"],
		["■◼", "&"],
		["▁", "_"],
		["░▒·◌∙", "."],
		["●◉⬤•★", "*"],
		["◆◈", "%"],
		["○◯□◇◻°", "o"],
		["✓✔", "+"],
		["✗✘✕✖×", "x"],
		["↻↺⟳⟲", "@"],
		["→▸▶►⇒›", ">"],
		["←◂◀◄⇐‹", "<"],
		["↑▴▲⇑", "^"],
		["↓▾▼⇓", "v"],
		["…", "~"],
		["⚠¡", "!"],
		["‘’‚′´", "'"],
		["“”„″«»‖∥", '"'],
		["\u00a0\u2002\u2003\u2009\u202f\u3000", " "],
	].flatMap(([characters = "", standIn = ""]) => [...characters].map((character) => [character, standIn] as const)),
);

const BLOCKS: readonly (readonly [from: string, to: string, standIn: string])[] = [
	["\u2190", "\u21ff", ">"], // arrows
	["\u2500", "\u257f", "+"], // corners and crossings of lines
	["\u2580", "\u259f", "#"], // blocks
	["\u25a0", "\u25ff", "*"], // shapes
	["\u2800", "\u28ff", ":"], // Braille
];

function byBlock(character: string): string | undefined {
	return BLOCKS.find(([from, to]) => character >= from && character <= to)?.[2];
}

function withoutAccent(character: string): string | undefined {
	const [letter = ""] = character.normalize("NFD");
	return letter <= "~" && letter !== "" ? letter : undefined;
}

/**
 * Asks the terminal what it makes of a character of several bytes: it writes one, asks where the cursor is, and takes it away
 * again. The locale is about the programs of a machine, not of the terminal at the other end of a line.
 */
/**
 * One column in all terminals that read UTF-8, three in those that take each byte for a character. Both of its later bytes are
 * printable in Latin-1, too, so none of them is obeyed.
 */
const THREE_BYTES = "\u2820";
/** Two columns where ambiguous characters are wide. */
const AMBIGUOUS = "\u00b1";

const ASK_CURSOR = "\u001b[6n";
const HOME = "\u001b[H";
const ERASE_ROW = "\u001b[K";

export const CHARSET_QUESTION = `${HOME}${THREE_BYTES}${ASK_CURSOR}${HOME}${AMBIGUOUS}${ASK_CURSOR}${HOME}${ERASE_ROW}`;

/** Of an answer to `ASK_CURSOR`. */
export function cursorColumn(answer: string): number | undefined {
	const [, column] = /^\u001b\[\d+;(\d+)R$/.exec(answer) ?? [];
	return column === undefined ? undefined : Number(column);
}

/** The cursor's columns, counted from 1, in the order of the answers; undefined while one is missing. */
export function charsetFrom([afterThreeBytes, afterAmbiguous]: readonly number[]): Charset | undefined {
	if (afterThreeBytes === undefined || afterAmbiguous === undefined) return undefined;
	if (afterThreeBytes !== 2) return "ascii";
	return afterAmbiguous === 2 ? "unicode" : "wide_ambiguous";
}
