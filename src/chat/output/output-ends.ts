/** The beginning and the end of what a command prints, and how many lines are between. Pure; the room is bounded. */
import type { ShownLine } from "../../text/styled-line.ts";
import { counted, cutRow, shownLine } from "./shown-lines.ts";

const HEAD_LINES = 2;
const TAIL_LINES = 4;
const NEWEST_LINES = 10;
const MOST_CHARS = 2_000; // of a line
const INDENT = "  ";

export class OutputEnds {
	private readonly head: string[] = [];
	private readonly newest: string[] = [];
	private lines = 0;
	/** Some of it was not read, so nobody has counted its lines. */
	private isSkipped = false;

	add(lines: readonly string[], skippedBytes = 0): void {
		if (skippedBytes > 0) this.isSkipped = true;
		for (const line of lines.slice(0, HEAD_LINES - this.head.length)) this.head.push(line.slice(0, MOST_CHARS));
		this.lines += lines.length;
		this.newest.push(...lines.slice(-NEWEST_LINES).map((line) => line.slice(0, MOST_CHARS)));
		this.newest.splice(0, Math.max(0, this.newest.length - NEWEST_LINES));
	}

	/** All of it when that is short. `command`: the number with which the rest can be asked for. */
	shown(command: number | undefined, columns: number): ShownLine[] {
		const row = (line: string) => cutRow(line, "plain", { columns, first: INDENT });
		const all = HEAD_LINES + TAIL_LINES + 1;
		if (!this.isSkipped && this.lines <= all) {
			const before = this.head.slice(0, Math.max(0, this.lines - this.newest.length));
			return [...before, ...this.newest].map(row);
		}
		const left = this.isSkipped ? "more" : counted(this.lines - HEAD_LINES - TAIL_LINES, "more line");
		const how = command === undefined ? "" : ` (/expand ${command})`;
		const tail = this.newest.slice(-TAIL_LINES);
		return [...this.head.map(row), shownLine(`${INDENT}… ${left}${how}`, "dim"), ...tail.map(row)];
	}

	live(rows: number, columns: number): ShownLine[] {
		return this.newest.slice(-rows).map((line) => cutRow(line, "dim", { columns, first: INDENT }));
	}
}
