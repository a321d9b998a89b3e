/** Old tool results are the first that a full context can do without: for each stands a line that names its log. Pure. */
import type { ToolResultBlock, UserBlock } from "../../core/model.ts";
import type { CommandRecord } from "../../core/transcript.ts";
import { bytesOf, type HeldMessage } from "./held-message.ts";

type PathOf = (log: string) => string;

/** All but the newest `kept` results; one that is no longer than the line stays. */
export function dropResults(held: readonly HeldMessage[], kept: number, pathOf: PathOf): HeldMessage[] {
	let older = held.reduce((sum, { message }) => sum + message.content.filter(isResult).length, 0) - kept;
	return held.map((one): HeldMessage => {
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

/** How many results may stay, the newest of all, so that the messages together have at most `bytes`. */
export function resultsWithin(held: readonly HeldMessage[], bytes: number, pathOf: PathOf): number {
	let all = held.reduce((sum, one) => sum + one.bytes, 0);
	let kept = held.reduce((sum, { message }) => sum + message.content.filter(isResult).length, 0);
	for (const { message, commands } of held)
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
	const where = record?.log === undefined ? "no file holds it" : `the whole is in ${pathOf(record.log)}`;
	return `[dropped to make room: ${record?.outputBytes ?? block.content.length} bytes; ${where}]`;
}
