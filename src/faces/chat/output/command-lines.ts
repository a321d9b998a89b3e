/**
 * The commands of the root: each is shown when it starts, its newest lines are live while it runs, and the ends of its output
 * are shown when it has ended. Pure; what is kept of one is bounded, and forgotten with its result.
 */
import { formatElapsed } from "../../../text/durations.ts";
import { counted } from "../../../text/numbers.ts";
import { oneLine } from "../../../text/safe/terminal-safe.ts";
import type { Line } from "../../../tui/text/line.ts";
import type { CommandItem } from "../../../view/transcript/items.ts";
import { commandStanding, leftRunning, resultText } from "../../../view/transcript/words.ts";
import { cutRow, rowsWithin, type Spoken, shownLine } from "./shown-lines.ts";

const CALL_LINES = 4;
const CALL_CHARS = 1_200;
const WORTH_SAYING_MS = 5_000;
const LIVE_LINES = 3;

interface Shown {
	readonly text: string;
	readonly since: number;
	readonly output: OutputEnds;
	hasEnded: boolean;
}

export class CommandLines {
	private readonly columns: () => number;
	private readonly shown = new Map<string, Shown>();
	/** Whose line was appended last. */
	private newest: string | undefined;

	constructor(columns: () => number) {
		this.columns = columns;
	}

	/** `isBelow`: nothing was appended since the newest command was shown. What came of one that was lost is in its result. */
	take(item: CommandItem, isBelow: boolean): Spoken[] {
		const shown = this.shown.get(item.key);
		if (item.result !== undefined || item.state === "lost") this.shown.delete(item.key);
		if (shown === undefined) return item.result !== undefined ? this.whole(item) : this.begin(item);
		if (item.end === undefined || shown.hasEnded) return [];
		shown.hasEnded = true;
		return this.ended(item, shown, isBelow);
	}

	printed({ key }: CommandItem, lines: readonly string[], skippedBytes: number): void {
		this.shown.get(key)?.output.add(lines, skippedBytes);
	}

	/** Another answer comes. */
	forget(): void {
		for (const [key, { hasEnded }] of this.shown) if (hasEnded) this.shown.delete(key);
	}

	get hasRunning(): boolean {
		return this.running.length > 0;
	}

	/** For each that runs its newest lines, and for how long it has been running. */
	live(now: number, room: number): Line[] {
		const columns = this.columns();
		const { running } = this;
		const each = Math.max(1, Math.min(LIVE_LINES + 1, Math.floor(room / Math.max(1, running.length))));
		const rows = running.flatMap(([key, { text, since, output }]) => {
			const isNamed = running.length > 1 || this.newest !== key;
			const name = isNamed ? ` $ ${oneLine(text)}` : "";
			const head = cutRow(`running ${formatElapsed(now - since)}${name}`, "dim", { columns, first: "  " });
			return [...output.live(each - 1, columns), head];
		});
		return rows.slice(0, room);
	}

	private get running(): [string, Shown][] {
		return [...this.shown].filter(([, { hasEnded }]) => !hasEnded);
	}

	private begin({ key, state, text = "", startedAt: since = 0 }: CommandItem): Spoken[] {
		if (state !== "running") return [];
		this.shown.set(key, { text, since, output: new OutputEnds(), hasEnded: false });
		this.newest = key;
		return [{ kind: "command", lines: callLines(text, this.columns()) }];
	}

	private ended(item: CommandItem, { text, output }: Shown, isBelow: boolean): Spoken[] {
		const columns = this.columns();
		const left = leftRunning(item);
		const tail = [
			...output.shown(item.command, columns),
			...endLines(item, columns),
			...(left === undefined ? [] : rowsWithin(oneLine(left), "dim", { columns, first: "  " })),
		];
		if (tail.length === 0) return [];
		if (isBelow && this.newest === item.key) return [{ kind: "output", lines: tail }];
		return [
			{ kind: "command", lines: [cutRow(text, "dim", { columns, first: "$ " })] },
			{ kind: "output", lines: tail },
		];
	}

	/** A command that was not shown while it ran. */
	private whole(item: CommandItem): Spoken[] {
		const columns = this.columns();
		const output = new OutputEnds();
		const text = resultText(item).replace(/\n+$/, "");
		if (text !== "") output.add(text.split("\n"));
		return [
			{ kind: "command", lines: item.text === undefined ? [] : callLines(item.text, columns) },
			{ kind: "output", lines: [...output.shown(item.command, columns), ...endLines(item, columns)] },
		];
	}
}

function callLines(text: string, columns: number): Line[] {
	const rows = rowsWithin(text.slice(0, CALL_CHARS), "command", { columns, first: "$ " });
	const all = text.trimEnd().split("\n").length;
	const shown = Math.min(CALL_LINES, rows.length);
	if (rows.length <= CALL_LINES && text.length <= CALL_CHARS) return rows;
	const left = all > shown ? `${counted(all - shown, "more line")} of it` : `${counted(text.length, "character")}`;
	return [...rows.slice(0, CALL_LINES), shownLine(`  … ${left}`, "dim")];
}

/** Neither a short time nor a good end is worth a word. */
function endLines(item: CommandItem, columns: number): Line[] {
	if (item.end === undefined) return [];
	const { words, took, isGood } = commandStanding(item, { now: 0, isOver: true });
	const isLong = (item.endedAt ?? 0) - (item.startedAt ?? 0) >= WORTH_SAYING_MS;
	if (isGood) return isLong ? [shownLine(`  took ${took}`, "dim")] : [];
	return rowsWithin(`${oneLine(words)}${isLong ? `, ${took}` : ""}`, "bad", { columns, first: "  " });
}

const HEAD_LINES = 2;
const TAIL_LINES = 4;
const NEWEST_LINES = 10;
const MOST_CHARS = 2_000; // of a line
const INDENT = "  ";

class OutputEnds {
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
	shown(command: number | undefined, columns: number): Line[] {
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

	live(rows: number, columns: number): Line[] {
		return this.newest.slice(-rows).map((line) => cutRow(line, "dim", { columns, first: INDENT }));
	}
}
