/** The editor as rows of a terminal. Pure. */
import type { StyledLine } from "../../text/styled-line.ts";
import { displayWidth } from "../../text/width.ts";
import type { Editor } from "./editor.ts";

export interface DrawnEditor {
	/** Each is at most as wide as the terminal, less a column: no row is carried to the next one. At least one. */
	readonly rows: readonly StyledLine[];
	/** Counted from 0, at the top and at the left. */
	readonly cursor: { readonly row: number; readonly column: number };
}

const MARK = "> ";
const INDENT = "  ";

export function drawEditor({ text, cursor }: Editor, columns: number): DrawnEditor {
	const room = Math.max(1, columns - MARK.length - 1);
	const before = text.slice(0, cursor).split("\n");
	const rows = text.split("\n").map((line, at) => row(`${at === 0 ? MARK : INDENT}${line.slice(0, room)}`));
	const column = MARK.length + Math.min(room, displayWidth(before.at(-1) ?? ""));
	return { rows, cursor: { row: before.length - 1, column } };
}

function row(text: string): StyledLine {
	return { parts: [{ text, style: "plain", from: 0 }], hang: 0, isVerbatim: true, from: 0 };
}
