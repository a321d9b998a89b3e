/**
 * A transcript as a person reads it: for each turn what was thought and said, then one command after the other, each with
 * its output and its end. Nothing is printed here; what agents wrote is made safe for a terminal.
 */
import { type CommandEnd, describeCommandEnd } from "../../core/command.ts";
import type { AssistantBlock, ToolResultBlock, ToolUseBlock } from "../../core/message.ts";
import type { AssistantEntry, CommandRecord, TranscriptEntry, UserEntry } from "../../core/transcript.ts";
import { totalTokens } from "../../core/usage.ts";
import { clockTime } from "../../events/event-text.ts";
import { formatDuration } from "../../text/durations.ts";
import { isBeginningOf } from "../../text/logged-command.ts";
import { oneLine } from "../../text/terminal-safe.ts";
import { describeUsage } from "../../text/usage.ts";
import type { LoggedCommand } from "./logged-commands.ts";
import { noteLines } from "./note-lines.ts";
import type { Paint } from "./paint.ts";
import { linesOf } from "./text-lines.ts";

const MAX_RESULT_LINES = 20;
const THINKING = "(thinking) ";

export interface TranscriptView {
	readonly paint: Paint;
	/** The header has shown the task already. */
	readonly task: string;
	/** Messages are shown as they come: calls at once, and again above their results where there are several. */
	readonly isLive: boolean;
	/** The command in the event log, if it is there: by its number, and by the id of its tool call. */
	readonly commandOf: (command: number) => LoggedCommand | undefined;
	readonly commandOfCall: (toolUseId: string) => LoggedCommand | undefined;
	/** Path of a file of the agent, for people: `out/0003.log` → what they can open. */
	readonly pathOf: (log: string) => string;
}

/** A command whose result is not recorded: it runs, or its agent ended before the turn was over. */
export interface OpenCommand {
	readonly logged: LoggedCommand;
	/** The last lines of its output; undefined when there is none. */
	readonly tail: { readonly text: string; readonly isCut: boolean; readonly bytes: number } | undefined;
}

export class TranscriptText {
	private readonly view: TranscriptView;
	private readonly recorded = new Set<number>();
	/** The calls of the last answer that have no results so far. */
	private calls: readonly ToolUseBlock[] = [];

	constructor(view: TranscriptView) {
		this.view = view;
	}

	lines(entry: TranscriptEntry): string[] {
		if (entry.role === "note") return noteLines(entry, this.view.paint);
		return entry.role === "assistant" ? this.answer(entry) : this.results(entry);
	}

	isRecorded(command: number): boolean {
		return this.recorded.has(command);
	}

	/** The commands that the transcript has no result of; `now` is undefined when the agent is over. */
	rest(commands: readonly OpenCommand[], now: number | undefined): string[] {
		const unmatched = [...commands];
		const lines = this.calls.flatMap((call) => {
			const at = unmatched.findIndex(({ logged }) => isBeginningOf(logged.text, commandText(call)));
			const command = at < 0 ? undefined : unmatched.splice(at, 1)[0];
			const rest = command === undefined ? [this.notStarted(now)] : this.open(command, now);
			return [...this.callAbove(call), ...rest];
		});
		const others = unmatched.flatMap((command) => [
			...marked(linesOf(command.logged.text), this.view.paint),
			...this.open(command, now),
		]);
		return [...lines, ...others];
	}

	private answer(entry: AssistantEntry): string[] {
		const { paint, isLive } = this.view;
		const unanswered = isLive ? [] : this.calls.flatMap((call) => commandLines(call, paint));
		this.calls = entry.content.filter((block) => block.type === "tool_use");
		const shown = entry.content.filter((block) => isLive || block.type !== "tool_use");
		return [...unanswered, "", paint.bold(titleOf(entry)), ...shown.flatMap((block) => blockLines(block, paint))];
	}

	private results(entry: UserEntry): string[] {
		const { paint, task } = this.view;
		const results = entry.content.filter((block) => block.type === "tool_result");
		const known = this.calls.filter(({ id }) => results.some((result) => result.tool_use_id === id));
		const lines = results.flatMap((result) => {
			const call = known.find(({ id }) => id === result.tool_use_id);
			const record = entry.commands?.find((command) => command.toolUseId === result.tool_use_id);
			if (record !== undefined) this.recorded.add(record.command);
			const shown = record === undefined ? this.interrupted(result) : this.result(result, record);
			return [...(call === undefined ? [] : this.callAbove(call)), ...shown];
		});
		if (results.length > 0) this.calls = this.calls.filter((call) => !known.includes(call));
		const texts = entry.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
		const said = texts.filter((text) => text.trim() !== task.trim());
		return [...lines, ...said.flatMap((text) => ["", ...quoted(text, paint)])];
	}

	private callAbove(call: ToolUseBlock): string[] {
		return this.view.isLive && this.calls.length < 2 ? [] : commandLines(call, this.view.paint);
	}

	/** The lines of a command whose agent ended first: its output is in its log, and how it ended is not known. */
	private interrupted(result: ToolResultBlock): string[] {
		const logged = this.view.commandOfCall(result.tool_use_id);
		if (logged === undefined) return this.result(result, undefined);
		this.recorded.add(logged.command);
		const log = this.view.paint.dim(` (${this.view.pathOf(logged.log)})`);
		return [...this.result(result, undefined), `${this.openEnd(logged, undefined)}${log}`];
	}

	private result({ content }: ToolResultBlock, record: CommandRecord | undefined): string[] {
		const { paint, pathOf } = this.view;
		const lines = withoutEndNote(linesOf(content), record);
		const more = lines.length - MAX_RESULT_LINES;
		// The model's text may be cut itself: its lines are not those of the log.
		const where =
			record?.log === undefined
				? `${more} more ${more === 1 ? "line" : "lines"} (agent show --json)`
				: `more; ${record.outputBytes} bytes in all (${pathOf(record.log)})`;
		return [
			...lines.slice(0, MAX_RESULT_LINES).map((line) => `    ${line}`),
			...(more > 0 ? [paint.dim(`    … ${where}`)] : []),
			...(record === undefined ? [] : [this.end(record.command, record.end)]),
		];
	}

	private open({ logged, tail }: OpenCommand, now: number | undefined): string[] {
		const { paint, pathOf } = this.view;
		const lines = linesOf(tail?.text ?? "");
		const isCut = tail?.isCut === true || lines.length > MAX_RESULT_LINES;
		const bytes = logged.ended?.outputBytes ?? tail?.bytes ?? 0;
		const file = tail === undefined ? "" : ` (${pathOf(logged.log)})`;
		return [
			...(isCut ? [paint.dim("    … earlier output left out")] : []),
			...lines.slice(-MAX_RESULT_LINES).map((line) => `    ${line}`),
			`${this.openEnd(logged, now)}${paint.dim(`, ${bytes} ${bytes === 1 ? "byte" : "bytes"}${file}`)}`,
		];
	}

	private notStarted(now: number | undefined): string {
		return this.view.paint.dim(`    not started${now === undefined ? "" : " yet"}`);
	}

	private openEnd(logged: LoggedCommand, now: number | undefined): string {
		if (logged.ended !== undefined) return this.end(logged.command, logged.ended.end);
		const how =
			now === undefined ? "cut off, its end is not known" : `running ${formatDuration(now - logged.startedAt)}`;
		return this.view.paint.dim(`    command ${logged.command}: ${how}`);
	}

	/** `command 3: exit status 0, 1m05s`. */
	private end(command: number, end: CommandEnd): string {
		const { paint, commandOf } = this.view;
		const logged = commandOf(command);
		const took = logged?.ended === undefined ? "" : `, ${formatDuration(logged.ended.at - logged.startedAt)}`;
		const how = oneLine(describeCommandEnd(end));
		const isGood = end.by === "exit" && end.code === 0;
		return paint.dim(`    command ${command}: ${isGood ? how : paint.red(how)}${took}`);
	}
}

/** The words of a person, or of the agent above. */
export function quoted(text: string, paint: Paint): string[] {
	return linesOf(text).map((line) => paint.bold(`> ${line}`));
}

/** `turn 2  20:15:32  1.2k in / 80 out`. Values that say nothing new are left out. */
function titleOf(entry: AssistantEntry): string {
	const isUsual = entry.stopReason === "tool_use" || entry.stopReason === "end_turn";
	const isFree = totalTokens(entry.usage) === 0 && !entry.costUsd;
	const what = [
		...(isUsual ? [] : [entry.stopReason]),
		...(isFree ? [] : [describeUsage(entry.usage, entry.costUsd)]),
	].join(", ");
	return `turn ${entry.turn}  ${clockTime(entry.at).slice(0, 8)}  ${oneLine(what)}`.trimEnd();
}

function blockLines(block: AssistantBlock, paint: Paint): string[] {
	switch (block.type) {
		case "text":
			return linesOf(block.text);
		case "thinking":
			return linesOf(block.thinking).map((line, i) =>
				paint.dim(`${i === 0 ? THINKING : " ".repeat(THINKING.length)}${line}`),
			);
		case "redacted_thinking":
			return [paint.dim("(thinking that the service does not show)")];
		case "tool_use":
			return commandLines(block, paint);
	}
	// A kind of block that this version does not know.
	return [paint.dim(`(${oneLine(String((block as { type?: unknown }).type))})`)];
}

function commandLines(call: ToolUseBlock, paint: Paint): string[] {
	return marked(linesOf(commandText(call)), paint);
}

function marked(lines: readonly string[], paint: Paint): string[] {
	return lines.map((line, i) => paint.cyan(`${i === 0 ? "$" : ">"} ${line}`));
}

function commandText({ name, input }: ToolUseBlock): string {
	const command = (input as { command?: unknown } | null | undefined)?.command;
	return typeof command === "string" ? command : `${name} ${JSON.stringify(input)}`;
}

/** The result's text without its line on how the command failed, which is shown by itself. */
function withoutEndNote(lines: string[], record: CommandRecord | undefined): string[] {
	const isNote = record !== undefined && lines.at(-1) === `[${describeCommandEnd(record.end)}]`;
	return isNote ? lines.slice(0, -1) : lines;
}
