/** Old tool results are what a full context can best do without: a line that names the log stands in place of each. Pure. */
import type { ToolResultBlock, UserBlock } from "../../core/model/message.ts";
import { droppedResult } from "../../core/model/placeholder-texts.ts";
import type { CommandRecord } from "../../core/model/transcript.ts";
import { bytesOf, type HistoryMessage } from "./history-message.ts";

type PathOf = (log: string) => string;

/** Drops all results but the newest `kept`. A result that is not longer than the line in its place stays. */
export function dropResults(messages: readonly HistoryMessage[], kept: number, pathOf: PathOf): HistoryMessage[] {
	let older = messages.reduce((sum, { message }) => sum + message.content.filter(isResult).length, 0) - kept;
	return messages.map((one): HistoryMessage => {
		const { message, commands } = one;
		if (older <= 0 || message.role === "assistant") return one;
		const content = message.content.map((block): UserBlock => {
			if (block.type !== "tool_result") return block;
			older -= 1;
			return older < 0 ? block : shorter(block, lineFor(block, commands, pathOf));
		});
		if (content.every((block, n) => block === message.content[n])) return one;
		return { ...one, message: { role: "user", content }, bytes: bytesOf(content) };
	});
}

/** How many of the newest results may stay so that all messages together have at most `bytes`. */
export function resultsWithin(messages: readonly HistoryMessage[], bytes: number, pathOf: PathOf): number {
	let all = messages.reduce((sum, one) => sum + one.bytes, 0);
	let kept = messages.reduce((sum, { message }) => sum + message.content.filter(isResult).length, 0);
	for (const { message, commands } of messages)
		for (const block of message.content) {
			if (all <= bytes) return kept;
			if (block.type !== "tool_result") continue;
			all -= bytesOf(block) - bytesOf(shorter(block, lineFor(block, commands, pathOf)));
			kept -= 1;
		}
	return kept;
}

function isResult(block: { type: string }): boolean {
	return block.type === "tool_result";
}

function shorter(block: ToolResultBlock, line: string): ToolResultBlock {
	return bytesOf(block.content) <= bytesOf(line) ? block : { ...block, content: line };
}

function lineFor(block: ToolResultBlock, commands: readonly CommandRecord[], pathOf: PathOf): string {
	const record = commands.find(({ toolUseId }) => toolUseId === block.tool_use_id);
	const path = record?.log === undefined ? undefined : pathOf(record.log);
	return droppedResult(record?.outputBytes ?? block.content.length, path);
}
