/** What fills the window of the model that a person talks with: what the service has counted, shared out by size. */
import { ROOT } from "../../core/agent.ts";
import type { AssistantBlock, UserBlock } from "../../core/message.ts";
import { describeContext, formatShare } from "../../models/context-use.ts";
import { forEachEntry } from "../../store/read-events.ts";
import { readableAgentFile } from "../../store/read-run.ts";
import { padWidth } from "../../text/width.ts";
import { loadRunNow } from "../io/io.ts";

const KINDS = [
	"system prompt and instructions",
	"your messages",
	"answers",
	"commands asked for",
	"what commands printed",
] as const;
type Kind = (typeof KINDS)[number];

/** Compacted parts of the history are counted as their summary: what the service is sent now. */
export function contextLines(directory: string): string[] {
	const { state } = loadRunNow(directory);
	const root = state.agents[ROOT];
	const known = root === undefined ? undefined : describeContext(root);
	const sizes = new Map<Kind, number>([
		["system prompt and instructions", readableAgentFile(directory, ROOT)?.system.length ?? 0],
	]);
	const add = (kind: Kind, size: number) => sizes.set(kind, (sizes.get(kind) ?? 0) + size);
	forEachEntry(directory, ROOT, (entry) => {
		if (entry.role === "note") return;
		for (const block of entry.content) add(kindOf(block, entry.role), JSON.stringify(block).length);
	});
	const all = [...sizes.values()].reduce((sum, size) => sum + size, 0);
	const width = Math.max(...KINDS.map((kind) => kind.length));
	return [
		known ?? "nothing has been counted so far",
		...KINDS.map((kind) => `  ${padWidth(kind, width)}  ${formatShare((sizes.get(kind) ?? 0) / Math.max(1, all))}`),
	];
}

function kindOf(block: UserBlock | AssistantBlock, role: "user" | "assistant"): Kind {
	if (block.type === "tool_use") return "commands asked for";
	if (block.type === "tool_result") return "what commands printed";
	return role === "user" ? "your messages" : "answers";
}
