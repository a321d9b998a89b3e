/** What fills a context, by kinds: sizes in bytes, which the tokens that the service has counted are shared out by. Pure. */
import type { Message } from "../../core/model/message.ts";
import { SUMMARY_FOLLOWS } from "../../core/model/placeholder-texts.ts";
import type { ContextParts } from "../../wire/watcher-messages.ts";
import { TOOLS } from "./tools.ts";

const BYTES_A_TOKEN = 3; // as agents estimate, where nothing was counted
/** No text has so few tokens: a service that tells of fewer has not counted what it was sent. */
const MOST_BYTES_A_TOKEN = 50;

interface ContextFacts {
	readonly messages: readonly Message[];
	readonly system: string;
	/** What stands of files of the project and the user in `system`. */
	readonly instructions: string | undefined;
	/** As the service has counted the newest context; undefined where it has not. */
	readonly countedTokens: number | undefined;
}

interface CountedContext {
	readonly parts: ContextParts;
	/** The whole is not what the service has counted. */
	readonly isEstimated: boolean;
}

export function contextParts({ messages, system, instructions = "", countedTokens }: ContextFacts): CountedContext {
	const bytes = emptyParts();
	bytes.instructions = byteLength(instructions);
	bytes.system = Math.max(0, byteLength(system) - bytes.instructions);
	bytes.tools = byteLength(TOOLS);
	for (const message of messages)
		for (const block of message.content) bytes[partOf(message.role, block)] += byteLength(block);
	const all = Object.values(bytes).reduce((sum, part) => sum + part, 0);
	const isEstimated = countedTokens === undefined || countedTokens * MOST_BYTES_A_TOKEN < all;
	const tokens = isEstimated ? Math.ceil(all / BYTES_A_TOKEN) : countedTokens;
	const shared = Object.entries(bytes).map(([part, size]) => [part, Math.round((tokens * size) / Math.max(1, all))]);
	return { parts: Object.fromEntries(shared) as ContextParts, isEstimated };
}

function partOf(role: Message["role"], block: Message["content"][number]): keyof ContextParts {
	switch (block.type) {
		case "text":
			if (role === "assistant") return "answers";
			return block.text.startsWith(SUMMARY_FOLLOWS) ? "summary" : "messages";
		case "tool_result":
			return "results";
		case "tool_use":
			return "calls";
		case "thinking":
		case "redacted_thinking":
			return "thinking";
	}
}

function emptyParts(): { -readonly [K in keyof ContextParts]: number } {
	const sizes = { system: 0, instructions: 0, tools: 0, messages: 0, answers: 0 };
	return { ...sizes, thinking: 0, calls: 0, results: 0, summary: 0 };
}

/** The size of what a request has: of a text without the escapes of JSON, which are no tokens. */
function byteLength(value: unknown): number {
	return Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value));
}
