/** Calls of the tool and their results, as people read them. Nothing is made safe for a terminal here. */
import { type CommandEnd, describeCommandEnd } from "../core/command.ts";
import type { ToolUseBlock } from "../core/model/message.ts";

const MOST_NOTES = 5; // lines of the tool's own that may follow an output

/** The command of a call; undefined for what is no command. */
export function commandIn({ input }: Pick<ToolUseBlock, "input">): string | undefined {
	const command = (input as { command?: unknown } | null | undefined)?.command;
	return typeof command === "string" ? command : undefined;
}

/** The command of a call; of what is no command the name and the input: `edit {"path":"x"}`. */
export function commandText(call: Pick<ToolUseBlock, "name" | "input">): string {
	return commandIn(call) ?? `${call.name} ${JSON.stringify(call.input)}`;
}

/** The text of a result without its line on how the command ended, for readers who are told that beside it. */
export function withoutEndNote(text: string, end: CommandEnd | undefined): string {
	if (end === undefined) return text;
	const note = `[${describeCommandEnd(end)}]`;
	const lines = text.split("\n");
	const at = lines.lastIndexOf(note);
	const behind = lines.slice(at + 1);
	const isOfTool = behind.length <= MOST_NOTES && behind.every((line) => line.startsWith("["));
	return at < 0 || !isOfTool ? text : [...lines.slice(0, at), ...lines.slice(at + 1)].join("\n");
}

/** Of a result whose middle the tool has left out: how many lines were printed, where that is known. Undefined for others. */
export function middleLeftOut(result: string): { readonly lines: number | undefined } | undefined {
	const marker = /\n\[\.\.\. the middle is left out\b(?<facts>.*) \.\.\.\]\n/.exec(result)?.groups?.facts;
	if (marker === undefined) return undefined;
	const lines = / bytes in ([\d,]+) lines in all;/.exec(marker)?.[1];
	return { lines: lines === undefined ? undefined : Number(lines.replaceAll(",", "")) };
}
