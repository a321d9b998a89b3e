/**
 * The commands of the root: each is told when it starts, its newest lines are live while it runs, and the ends of its output
 * are told when it has ended. Pure; what is kept of one is bounded, and forgotten with its result.
 */
import { type CommandEnd, describeCommandEnd } from "../../../core/command.ts";
import type { AssistantBlock, ToolResultBlock, ToolUseBlock } from "../../../core/model/message.ts";
import type { UserEntry } from "../../../core/model/transcript.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import { formatDuration, formatElapsed } from "../../../text/durations.ts";
import { oneLine } from "../../../text/safe/terminal-safe.ts";
import { commandText, withoutEndNote } from "../../../text/tool-call.ts";
import type { Line } from "../../../tui/text/line.ts";
import { counted, cutRow, rowsWithin, shownLine } from "./shown-lines.ts";
import type { Spoken } from "./spacing.ts";

type Started = Pick<Extract<RunEvent, { event: "command_started" }>, "command" | "toolUseId" | "text" | "at">;
type Ended = Extract<RunEvent, { event: "command_ended" }>;

const CALL_LINES = 4;
const CALL_CHARS = 1_200;
const WORTH_SAYING_MS = 5_000;
const LIVE_LINES = 3;

interface Running {
	readonly text: string;
	readonly since: number;
	readonly callId: string | undefined;
	readonly output: OutputEnds;
}

export class Commands {
	private readonly columns: () => number;
	private readonly running = new Map<number, Running>();
	/** The calls of the newest answer that have no results so far. */
	private calls: ToolUseBlock[] = [];
	/** Calls that were told while they ran, or by their results: a snapshot may be older than the transcript that goes with it. */
	private readonly told = new Set<string>();
	/** Whose line was appended last. */
	private newest: number | undefined;

	constructor(columns: () => number) {
		this.columns = columns;
	}

	answered(content: readonly AssistantBlock[]): void {
		this.calls = content.filter((block) => block.type === "tool_use");
		this.told.clear();
	}

	started({ command, toolUseId, text: begun, at }: Started): Spoken[] {
		if (toolUseId !== undefined && this.told.has(toolUseId)) return [];
		const call = this.calls.find(({ id }) => id === toolUseId);
		const text = call === undefined ? begun : commandText(call);
		this.running.set(command, { text, since: at, callId: toolUseId, output: new OutputEnds() });
		if (toolUseId !== undefined) this.told.add(toolUseId);
		this.newest = command;
		return [{ kind: "command", lines: callLines(text, this.columns()) }];
	}

	printed(command: number, lines: readonly string[], skippedBytes: number): void {
		this.running.get(command)?.output.add(lines, skippedBytes);
	}

	/** `isBelow`: nothing was appended since it was told that the newest command has started. */
	ended({ command, end, at, leftRunning }: Ended, isBelow: boolean): Spoken[] {
		const running = this.running.get(command);
		this.running.delete(command);
		if (running === undefined) return [];
		const columns = this.columns();
		const output = running.output.shown(command, columns);
		const left = leftRunning.map(({ pid, name }) => `${oneLine(name)} (${pid})`).join(", ");
		const tail = [...output, ...endLines(end, at - running.since, columns), ...leftLines(left, columns)];
		if (tail.length === 0) return [];
		if (isBelow && this.newest === command) return [{ kind: "output", lines: tail }];
		return [
			{ kind: "command", lines: [cutRow(running.text, "dim", { columns, first: "$ " })] },
			{ kind: "output", lines: tail },
		];
	}

	/** Of results only those whose commands were not told while they ran. */
	results({ content, commands = [] }: UserEntry): Spoken[] {
		return content.flatMap((block) => {
			if (block.type !== "tool_result") return [];
			const record = commands.find(({ toolUseId }) => toolUseId === block.tool_use_id);
			return this.result(block, record);
		});
	}

	/** Forgets those that were running and are over now: their results tell what came of them. */
	keep(running: readonly number[]): void {
		for (const [command, { callId }] of this.running) {
			if (running.includes(command)) continue;
			this.running.delete(command);
			if (callId !== undefined) this.told.delete(callId);
		}
	}

	get hasRunning(): boolean {
		return this.running.size > 0;
	}

	/** For each that runs its newest lines, and for how long it has been running. */
	live(now: number, room: number): Line[] {
		const columns = this.columns();
		const each = Math.max(1, Math.min(LIVE_LINES + 1, Math.floor(room / Math.max(1, this.running.size))));
		const rows = [...this.running].flatMap(([command, { text, since, output }]) => {
			const isNamed = this.running.size > 1 || this.newest !== command;
			const name = isNamed ? ` $ ${oneLine(text)}` : "";
			const head = cutRow(`running ${formatElapsed(now - since)}${name}`, "dim", { columns, first: "  " });
			return [...output.live(each - 1, columns), head];
		});
		return rows.slice(0, room);
	}

	private result(block: ToolResultBlock, record: { command: number; end: CommandEnd } | undefined): Spoken[] {
		const call = this.calls.find(({ id }) => id === block.tool_use_id);
		this.calls = this.calls.filter((one) => one !== call);
		if (this.told.has(block.tool_use_id)) return [];
		this.told.add(block.tool_use_id);
		const columns = this.columns();
		const output = new OutputEnds();
		const text = withoutEndNote(block.content, record?.end).replace(/\n+$/, "");
		if (text !== "") output.add(text.split("\n"));
		const lines = output.shown(record?.command, columns);
		const end = record === undefined ? [] : endLines(record.end, 0, columns);
		return [
			{ kind: "command", lines: call === undefined ? [] : callLines(commandText(call), columns) },
			{ kind: "output", lines: [...lines, ...end] },
		];
	}
}

export function callLines(text: string, columns: number): Line[] {
	const rows = rowsWithin(text.slice(0, CALL_CHARS), "command", { columns, first: "$ " });
	const all = text.trimEnd().split("\n").length;
	const shown = Math.min(CALL_LINES, rows.length);
	if (rows.length <= CALL_LINES && text.length <= CALL_CHARS) return rows;
	const left = all > shown ? `${counted(all - shown, "more line")} of it` : `${counted(text.length, "character")}`;
	return [...rows.slice(0, CALL_LINES), shownLine(`  … ${left}`, "dim")];
}

function endLines(end: CommandEnd, tookMs: number, columns: number): Line[] {
	const isGood = end.by === "exit" && end.code === 0;
	if (isGood && tookMs < WORTH_SAYING_MS) return [];
	if (isGood) return [shownLine(`  took ${formatDuration(tookMs)}`, "dim")];
	const took = tookMs < WORTH_SAYING_MS ? "" : `, ${formatDuration(tookMs)}`;
	return rowsWithin(`${oneLine(describeCommandEnd(end))}${took}`, "bad", { columns, first: "  " });
}

function leftLines(left: string, columns: number): Line[] {
	return left === "" ? [] : rowsWithin(`left running: ${left}`, "dim", { columns, first: "  " });
}

/** The beginning and the end of what a command prints, and how many lines are between. Pure; the room is bounded. */

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
