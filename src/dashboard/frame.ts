/** The frame around the lines of a box, with the title in its upper edge. */
import { fitLine, type Line, lineWidth, type Size, segment } from "./scene/line.ts";

/** A frame is four columns wider than `inner`, and two rows higher than the lines that fit into it. */
export function framed(title: Line, lines: readonly Line[], inner: Size): Line[] {
	const width = inner.columns + 4;
	const head = fitTitle([segment(" "), ...title, segment(" ")], width - 3);
	return [
		[segment("┌─", "dim"), ...head, segment(`${"─".repeat(width - 3 - lineWidth(head))}┐`, "dim")],
		...lines
			.slice(0, inner.rows)
			.map((line) => [segment("│ ", "dim"), ...fitLine(line, inner.columns), segment(" │", "dim")]),
		[segment(`└${"─".repeat(width - 2)}┘`, "dim")],
	];
}

function fitTitle(title: Line, columns: number): Line {
	return lineWidth(title) > columns ? fitLine(title, columns) : title;
}
