/** The plan that the root keeps: all of it when it is made, and live what is done of it. Pure. */
import type { TodoItem } from "../../core/schemas/agent.ts";
import type { ShownLine } from "../../text/styled-line.ts";
import { counted, cutRow, shownLine } from "./shown-lines.ts";

const MARKS: Readonly<Record<TodoItem["is"], string>> = { open: "○", doing: "▸", done: "✓" };
const MOST_ROWS = 8;
const MOST_LINES = 20;

/** At most `room` rows, around what is being done. */
export function planRows(items: readonly TodoItem[], columns: number, room: number): ShownLine[] {
	const most = Math.min(MOST_ROWS, room);
	if (items.length === 0 || most < 1) return [];
	if (items.length <= most) return items.map((item) => itemRow(item, columns));
	const at = Math.max(
		0,
		items.findIndex(({ is }) => is !== "done"),
	);
	const from = Math.max(0, Math.min(at - 1, items.length - most + 1));
	const shown = items.slice(from, from + most - 1).map((item) => itemRow(item, columns));
	return [...shown, shownLine(`  … ${counted(items.length - most + 1, "more item")} of the plan`, "dim")];
}

/** For good: of a plan with other items than before all of them. */
export function planLines(items: readonly TodoItem[], before: readonly TodoItem[], columns: number): ShownLine[] {
	const isSame = items.length === before.length && items.every(({ text }, at) => text === before[at]?.text);
	if (isSame || items.length === 0) return [];
	const rows = items.slice(0, MOST_LINES).map((item) => itemRow(item, columns));
	const left = items.length - rows.length;
	return left === 0 ? rows : [...rows, shownLine(`  … ${counted(left, "more item")}`, "dim")];
}

function itemRow({ text, is }: TodoItem, columns: number): ShownLine {
	return cutRow(text, is === "doing" ? "plain" : "dim", { columns, first: `  ${MARKS[is]} ` });
}
