/** A transcript as a person reads it. Pure; what agents wrote is made safe for a terminal. */
import { type CommandEnd, describeCommandEnd } from "../core/command.ts";
import { formatDuration, stripControl } from "../core/format.ts";
import type { AssistantBlock, UserBlock } from "../core/model.ts";
import type { AssistantEntry, CommandRecord, TranscriptEntry, UserEntry } from "../core/transcript.ts";
import { clockTime, describeUsage } from "./event-text.ts";
import type { Paint } from "./paint.ts";

const MAX_RESULT_LINES = 20;

export interface TranscriptView {
	readonly paint: Paint;
	/** How long a command ran, when that is known. */
	readonly durationOf: (command: number) => number | undefined;
	/** Path of a file of the agent, for people: `out/0003.log` → what they can open. */
	readonly pathOf: (log: string) => string;
}

export function entryLines(entry: TranscriptEntry, view: TranscriptView): string[] {
	return isAssistant(entry) ? assistantLines(entry, view) : userLines(entry, view);
}

function assistantLines(entry: AssistantEntry, { paint }: TranscriptView): string[] {
	const what = [entry.stop_reason, describeUsage(entry.usage, entry.cost_usd)].join(", ");
	const title = `turn ${entry.turn}  ${clockTime(entry.at).slice(0, 8)}  ${stripControl(what)}`;
	return ["", paint.bold(title), ...entry.content.flatMap((block) => blockLines(block, paint))];
}

function blockLines(block: AssistantBlock, paint: Paint): string[] {
	switch (block.type) {
		case "text":
			return linesOf(block.text);
		case "thinking":
			return linesOf(block.thinking).map((line) => paint.dim(line));
		case "redacted_thinking":
			return [paint.dim("(thinking that the service does not show)")];
		case "tool_use":
			return commandLines(block.name, block.input, paint);
	}
	// A kind of block that the service has invented since.
	return [paint.dim(`(${stripControl(String((block as { type?: unknown }).type))})`)];
}

function commandLines(name: string, input: unknown, paint: Paint): string[] {
	const command = (input as { command?: unknown } | null)?.command;
	const text = typeof command === "string" ? command : `${name} ${JSON.stringify(input)}`;
	return linesOf(text).map((line, i) => paint.cyan(`${i === 0 ? "$" : ">"} ${line}`));
}

function userLines(entry: UserEntry, view: TranscriptView): string[] {
	return entry.content.flatMap((block) => resultLines(block, entry.commands ?? [], view));
}

function resultLines(block: UserBlock, commands: readonly CommandRecord[], view: TranscriptView): string[] {
	if (block.type === "text") return ["", ...linesOf(block.text).map((line) => view.paint.bold(`> ${line}`))];
	if (block.type !== "tool_result") return [];
	const record = commands.find((command) => command.tool_use_id === block.tool_use_id);
	const lines = linesOf(block.content);
	const more = lines.length - MAX_RESULT_LINES;
	const file = record?.log === undefined ? "agent show --json" : view.pathOf(record.log);
	return [
		...lines.slice(0, MAX_RESULT_LINES).map((line) => `    ${line}`),
		...(more > 0 ? [view.paint.dim(`    … ${more} more ${more === 1 ? "line" : "lines"} (${file})`)] : []),
		...(record === undefined ? [] : [view.paint.dim(`    ${endOf(record, view)}`)]),
	];
}

/** `command 3: exit status 0, 1m05s`. */
function endOf({ command, end }: CommandRecord, { paint, durationOf }: TranscriptView): string {
	const ms = durationOf(command);
	const how = stripControl(describeCommandEnd(end));
	return `command ${command}: ${isGood(end) ? how : paint.red(how)}${ms === undefined ? "" : `, ${formatDuration(ms)}`}`;
}

function isGood(end: CommandEnd): boolean {
	return end.by === "exit" && end.code === 0;
}

/** No line for nothing; the line feed that ends the last line begins no other. */
function linesOf(text: unknown): string[] {
	const clean = stripControl(typeof text === "string" ? text : JSON.stringify(text)).replace(/\n+$/, "");
	return clean === "" ? [] : clean.split("\n");
}

function isAssistant(entry: TranscriptEntry): entry is AssistantEntry {
	return entry.role === "assistant";
}
