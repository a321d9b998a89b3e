/** What is drawn in one piece: a character with its marks, a tab, or the label of a folded paste. Pure. */
import { drawableText } from "../../text/drawable.ts";
import { displayWidth, fitWidth } from "../../text/width.ts";
import { agreedWidth } from "../../text/width-table.ts";
import type { Editor } from "./editor.ts";
import { labelOf } from "./folded-paste.ts";

export interface Cell {
	readonly from: number;
	readonly to: number;
	readonly shown: string;
	readonly width: number;
	readonly isLabel: boolean;
	/** There is no room for it behind what stands before it. */
	readonly startsRow: boolean;
}

export type Shown = Pick<Editor, "text" | "pastes">;

/** Where a cell stands: at which column of how many. */
export interface Room {
	readonly room: number;
	readonly column: number;
}

const TAB_COLUMNS = 4;

/** The cell at `at`, which ends before `end`. */
export function cellAt(
	{ text, pastes }: Shown,
	at: number,
	{ end, room, column }: Room & { readonly end: number },
): Cell {
	const to = cellEnd(text, at, end);
	const piece = text.slice(at, to);
	const label = labelOf(piece, pastes);
	const inRow = (before: number) => (label === undefined ? drawn(piece, room, before) : fitWidth(label, room));
	const there = inRow(column);
	const startsRow = column + displayWidth(there) > room;
	const shown = startsRow ? inRow(0) : there;
	return { from: at, to, shown, width: displayWidth(shown), isLabel: label !== undefined, startsRow };
}

/** The columns of a character that nothing joins, found without drawing it; undefined for others. */
export function plainWidth(text: string, at: number, end: number): number | undefined {
	const code = text.codePointAt(at) ?? 0;
	if (code < SPACE || code === DELETE) return undefined;
	const width = code < DELETE ? 1 : agreedWidth(code);
	if (width === undefined || width === 0 || isJamo(code)) return undefined;
	return at + lengthAt(text, at) < end && joins(text, at + lengthAt(text, at)) ? undefined : width;
}

const SPACE = 0x20;
const DELETE = 0x7f;

export function lengthAt(text: string, at: number): 1 | 2 {
	return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function drawn(piece: string, room: number, column: number): string {
	if (piece === "\t") return " ".repeat(Math.min(room, TAB_COLUMNS - (column % TAB_COLUMNS)));
	if (/^[ -~]$/.test(piece)) return piece;
	const shown = drawableText(piece);
	return displayWidth(shown) > room ? fitWidth(shown, room) : shown;
}

const MOST_MARKS = 32;
/** Joins the character before it: composed with it, or without columns of its own. */
const JOINING = /^[\p{M}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}]/u;

function cellEnd(text: string, at: number, end: number): number {
	let to = at + lengthAt(text, at);
	if (text[at] === "\t") return to;
	for (let marks = 0; to < end && marks < MOST_MARKS && joins(text, to); marks++) to += lengthAt(text, to);
	return to;
}

function joins(text: string, at: number): boolean {
	const code = text.codePointAt(at) ?? 0;
	if (code < 0x300) return false;
	const width = agreedWidth(code);
	return width === 0 || isJamo(code) || (width === undefined && JOINING.test(String.fromCodePoint(code)));
}

/** Vowels and ends of Korean syllables, which are composed with what begins these. */
function isJamo(code: number): boolean {
	return code >= 0x1160 && code <= 0x11ff;
}
