/** A text of one or more lines that a person writes, as rows with the place of the cursor. Pure. */
import { rowsOf, type ShownLine } from "../text/styled-line.ts";
import type { TextEntry } from "../text/text-entry.ts";
import { displayWidth } from "../text/width.ts";

export interface DrawnEntry {
	readonly rows: readonly ShownLine[];
	readonly cursor: { readonly row: number; readonly column: number };
}

const MARK = "> ";

/** Of a longer text the rows around the cursor. */
export function drawEntry({ before, after }: TextEntry, columns: number, mostRows: number): DrawnEntry {
	const room = Math.max(1, columns - MARK.length);
	const rows = textRows(before + after, room);
	const ahead = textRows(before, room);
	const width = displayWidth(ahead.at(-1) ?? "");
	const isFull = width >= room;
	const at = isFull ? ahead.length : ahead.length - 1;
	const all = at >= rows.length ? [...rows, ""] : rows;
	const from = Math.max(0, Math.min(at - mostRows + 1, all.length - mostRows));
	const shown = all.slice(from, from + mostRows).map((text, n): ShownLine => {
		const mark = n + from === 0 ? MARK : n === 0 ? "↑ " : "  ";
		return {
			parts: [
				{ text: mark, style: "dim" },
				{ text, style: "plain" },
			],
		};
	});
	return { rows: shown, cursor: { row: at - from, column: MARK.length + (isFull ? 0 : width) } };
}

function textRows(text: string, room: number): string[] {
	return text.split("\n").flatMap((line) => {
		const parts = [{ text: line.replaceAll("\t", "    "), style: "plain", from: 0 } as const];
		const rows = rowsOf({ parts, hang: 0, from: 0, isVerbatim: true }, room);
		return rows.map((row) => row.parts.map((part) => part.text).join(""));
	});
}
