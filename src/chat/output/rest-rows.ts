/** The rows of a line of which some were given already, at any width. Pure. */
import { type Part, type Row, rowsOf, type StyledLine } from "../../text/styled-line.ts";

/** The rows of what stands in the source from `given` on; 0: of the whole line. They are the last rows of it, at an equal width. */
export function restRows(line: StyledLine, given: number, columns: number): Row[] {
	if (given === 0) return rowsOf(line, columns);
	const hang = line.hang <= columns / 2 ? line.hang : 0;
	const rest = line.parts.flatMap((part) => restOf(part, given));
	const parts = rest.map((part, at) => (at > 0 || line.isVerbatim ? part : { ...part, text: part.text.trimStart() }));
	const rows = rowsOf({ ...line, parts, hang: 0, from: given }, columns - hang);
	if (hang === 0) return rows;
	const indent = { text: " ".repeat(hang), style: "plain" } as const;
	return rows.map((row) => ({ ...row, indent: hang, parts: [indent, ...row.parts] }));
}

function restOf(part: Part, given: number): Part[] {
	if (part.from >= given) return [part];
	const cut = given - part.from;
	if (part.isReplaced === true || cut >= part.text.length) return [];
	return [{ ...part, text: part.text.slice(cut), from: given }];
}
