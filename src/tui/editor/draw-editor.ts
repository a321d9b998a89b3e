/** The editor as rows of a terminal. Pure. */
import { cleanText } from "../../text/safe/terminal-safe.ts";
import { displayWidth, fitWidth, padWidth } from "../../text/width/width.ts";
import { type Cursor, type Line, type Segment, type Style, segment } from "../text/line.ts";
import type { Choosing } from "./completion.ts";
import type { Choice, Editor, Search } from "./editor.ts";
import { nextCharacter, type TextField } from "./text-field.ts";
import { cellsOf, columnOf, marginOf, roomOf, rowOfCursor, rowsBeyond, rowsOfLine, type TextRow } from "./text-rows.ts";

interface DrawnEditor {
	readonly rows: readonly Line[];
	readonly cursor: Cursor;
}

const MOST_ROWS = 10;

/** `mostRows`: no more than that; of a longer text those around the cursor. */
export function drawEditor(editor: Editor, terminalColumns: number, mostRows = MOST_ROWS): DrawnEditor {
	const { mode } = editor;
	const [columns, most] = [Math.max(1, terminalColumns), Math.max(1, mostRows)];
	if (mode.is === "searching") return drawSearch(editor, mode, { columns, mostRows: most });
	const list = mode.is === "choosing" ? choiceRows(mode, columns, Math.floor(most / 2)) : [];
	const mark = promptMark(editor.text);
	const { rows, cursor } = drawField(editor, { columns, mostRows: most - list.length, mark });
	return { rows: [...rows, ...list], cursor };
}

interface Bounds {
	readonly columns: number;
	readonly mostRows: number;
}

interface FieldBounds extends Bounds {
	/** Two columns before the first row. */
	readonly mark?: string;
}

/** `!command` runs here; `!!command` does, and the agent does not learn of it. */
function promptMark(text: string): string {
	if (text.startsWith("!!")) return "% ";
	return text.startsWith("!") ? "$ " : "> ";
}

function drawSearch(editor: Editor, { query, isFailing }: Search, { columns, mostRows }: Bounds): DrawnEditor {
	const room = roomOf(columns);
	const label = fitWidth(isFailing ? "no match: " : "search: ", Math.floor(room / 2));
	const shown = endOf(cleanText(query).replaceAll("\t", " "), room - displayWidth(label));
	const head = [segment(label, "dim"), segment(shown, isFailing ? "plain" : "strong")];
	const cursor = { row: 0, column: Math.min(columns - 1, displayWidth(label + shown)) };
	const bounds = { columns, mostRows: Math.max(1, mostRows - 1), mark: promptMark(editor.text) };
	const { rows } = drawField(editor, bounds, isFailing ? 0 : query.length);
	return { rows: mostRows > 1 ? [head, ...rows] : [head], cursor };
}

function endOf(text: string, columns: number): string {
	let end = columns < 1 ? "" : text.slice(-columns);
	while (displayWidth(end) > columns) end = end.slice((end.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
	return end;
}

export function drawField(field: TextField, { columns, mostRows, mark = "> " }: FieldBounds, found = 0): DrawnEditor {
	const room = roomOf(columns);
	const { rows, at, isAbove, isBelow } = rowsAround(field, room, mostRows);
	const own = rows[at];
	const margin = marginOf(columns);
	const drawn = rows.map((row, n) => {
		const isFirst = n === 0 && !isAbove;
		const before = isFirst ? mark : n === 0 ? "↑ " : n === rows.length - 1 && isBelow ? "↓ " : "  ";
		const marks = margin === 0 ? [] : [segment(before, isFirst ? "strong" : "dim")];
		return [...marks, ...partsOf(field, row, { room, from: field.cursor, to: field.cursor + found })];
	});
	const column = own === undefined ? 0 : columnOf(field, own, room);
	return { rows: drawn, cursor: { row: at, column: Math.min(columns - 1, margin + column) } };
}

interface Around {
	readonly rows: readonly TextRow[];
	readonly at: number;
	readonly isAbove: boolean;
	readonly isBelow: boolean;
}

/** The cursor is in the middle, but near the begin and the end of the text. */
function rowsAround(field: TextField, room: number, most: number): Around {
	const { cursor } = field;
	const own = rowsOfLine(field, cursor, room);
	const at = rowOfCursor(own, cursor);
	const look = { most: most + 1, room };
	const above = [...own.slice(0, at).toReversed(), ...rowsBeyond(field, cursor, { ...look, isUp: true })].slice(
		0,
		most + 1,
	);
	const below = [...own.slice(at + 1), ...rowsBeyond(field, cursor, { ...look, isUp: false })].slice(0, most + 1);
	const half = Math.floor((most - 1) / 2);
	const up = Math.min(above.length, Math.max(half, most - 1 - below.length));
	const down = Math.min(below.length, most - 1 - up);
	const rows = [...above.slice(0, up).toReversed(), ...own.slice(at, at + 1), ...below.slice(0, down)];
	return { rows, at: up, isAbove: above.length > up, isBelow: below.length > down };
}

interface Marked {
	readonly room: number;
	readonly from: number;
	readonly to: number;
}

/** Cells of one style are one part. */
function partsOf(field: TextField, row: TextRow, { room, from, to }: Marked): Segment[] {
	const parts: { text: string; style: Style }[] = [];
	for (const cell of cellsOf(field, row, room)) {
		const style = cell.isLabel ? "code" : cell.from >= from && cell.from < to ? "strong" : "plain";
		const last = parts.at(-1);
		if (last?.style === style) last.text += cell.shown;
		else parts.push({ text: cell.shown, style });
	}
	return parts;
}

const GAP = 2;
const WIDEST_NAME = 40;
/** Of more choices the widths are not looked at: they are about as wide. */
const MOST_MEASURED = 500;

/** At most as many as asked for, those around the selected choice; the last one says how many more choices there are. */
function choiceRows({ choices, selected }: Choosing, columns: number, most: number): Line[] {
	if (most < 1) return [];
	const hasNotes = choices.some(({ note }) => note !== undefined);
	const room = Math.max(1, columns - 1);
	const measured = choices.slice(0, MOST_MEASURED).map((choice) => displayWidth(nameOf(choice)));
	const width = Math.min(room, hasNotes ? WIDEST_NAME : room, Math.max(1, ...measured) + GAP);
	const across = hasNotes ? 1 : Math.max(1, Math.floor(room / width));
	const total = Math.ceil(choices.length / across);
	const isCut = total > most && most > 1;
	const shown = isCut ? most - 1 : Math.min(most, total);
	const selectedRow = Math.floor((selected ?? 0) / across);
	const first = Math.max(0, Math.min(selectedRow - Math.floor(shown / 2), total - shown));
	const rows = Array.from({ length: shown }, (_, n) => {
		const from = (first + n) * across;
		return rowOf(choices.slice(from, from + across), { room, width, selected: (selected ?? -1) - from });
	});
	const rest = choices.length - Math.min(choices.length, shown * across);
	return isCut ? [...rows, [segment(fitWidth(`… ${rest} more`, room), "dim")]] : rows;
}

interface RowShape {
	readonly room: number;
	readonly width: number;
	/** Which of the row is selected, if one is. */
	readonly selected: number;
}

function rowOf(choices: readonly Choice[], { room, width, selected }: RowShape): Line {
	const parts = choices.flatMap((choice, n) => {
		const name = padWidth(nameOf(choice), width);
		const note = choice.note === undefined ? "" : fitWidth(cleanText(choice.note), room - width);
		const style = n === selected ? "strong" : "plain";
		return [segment(name, style), segment(note, "dim")];
	});
	return parts.filter(({ text }) => text !== "");
}

function nameOf({ text, label }: Choice): string {
	return cleanText(label ?? text).replace(/[\n\t]/g, " ");
}

const KEYS = "  enter, esc";

/** So many columns are for the text, however long the prompt is; on a narrow screen a third of all. */
const LEAST_ROOM = 12;

/** Of a text that is too long the part around the cursor is shown. What `esc` does is said as long as there is room. */
export function fieldLine(wholePrompt: string, { text, cursor: at }: TextField, columns: number): Line {
	const prompt = fitWidth(wholePrompt, columns - 1 - Math.min(LEAST_ROOM, Math.floor(columns / 3)));
	const room = Math.max(1, columns - displayWidth(prompt) - 1);
	const behind = nextCharacter(text, at);
	const under = inOneLine(text.slice(at, behind)) || " ";
	const cursorWidth = displayWidth(under);
	const shownBefore = lastColumns(inOneLine(text.slice(0, at)), room - cursorWidth);
	const left = room - displayWidth(shownBefore) - cursorWidth;
	const shownAfter = firstColumns(inOneLine(text.slice(behind)), left);
	const cursor: Segment = { text: under, style: "plain", isSelected: true };
	const hasRoom = displayWidth(shownAfter) + displayWidth(KEYS) <= left;
	return [
		segment(` ${prompt}`, "heading"),
		segment(shownBefore),
		cursor,
		segment(shownAfter),
		...(hasRoom ? [segment(KEYS, "dim")] : []),
	];
}

/** A line end of a paste is shown as a mark. */
function inOneLine(text: string): string {
	return text.replace(/\n/g, "⏎").replace(/\t/g, " ");
}

function lastColumns(text: string, columns: number): string {
	return withinColumns([...text].reverse(), columns)
		.reverse()
		.join("");
}

function firstColumns(text: string, columns: number): string {
	return withinColumns([...text], columns).join("");
}

function withinColumns(characters: readonly string[], columns: number): string[] {
	const fitting: string[] = [];
	let left = columns;
	for (const character of characters) {
		left -= displayWidth(character);
		if (left < 0) break;
		fitting.push(character);
	}
	return fitting;
}
