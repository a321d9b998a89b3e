/** The help screen, made from the table of keys: a frame over the panes. */
import { padWidth } from "../../text/width.ts";
import { KEYS } from "../keys.ts";
import { fitLine, type Line, segment } from "../styled.ts";

const LABEL_WIDTH = 13;
const MOST_WIDTH = 66;

/** At most `rows` lines of exactly the same width. */
export function helpBox(columns: number, rows: number, top: number): Line[] {
	const width = Math.min(columns, MOST_WIDTH);
	const inner = Math.max(0, width - 4);
	const room = Math.max(1, rows - 2);
	const first = Math.max(0, Math.min(top, KEYS.length - room));
	const body = KEYS.slice(first, first + room).map(({ label, help }) => [
		segment("│ ", "dim"),
		...fitLine([segment(padWidth(label, LABEL_WIDTH), "strong"), segment(help)], inner),
		segment(" │", "dim"),
	]);
	const title = first > 0 || room < KEYS.length ? " Keys (↑↓ for more, esc closes) " : " Keys (esc closes) ";
	const rule = "─".repeat(Math.max(0, width - title.length - 3));
	return [
		[segment("┌─", "dim"), segment(title, "heading"), segment(`${rule}┐`, "dim")],
		...body,
		[segment(`└${"─".repeat(Math.max(0, width - 2))}┘`, "dim")],
	];
}
