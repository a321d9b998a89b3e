/**
 * The part of an answer that goes into history, transcript and commands: nothing that the service would refuse when it is
 * sent back, and no call that may not be run. Thinking blocks and blocks of unknown types are kept as they came or left
 * out: the service refuses mended ones.
 */

import { isWellFormed, wellFormed } from "../../core/json-value.ts";
import { type AssistantBlock, callIdsIn, type Message, type ToolUseBlock } from "../../core/model/message.ts";

/** The one field of the input of a call that was no JSON object: the beginning of what the model had written. */
const UNREADABLE = "unreadable_json";
const KEPT_OF_UNREADABLE = 300; // enough to see what went wrong; the whole may be an answer's length

/**
 * Stop reasons after which an answer keeps its calls: `tool_use` and the ends of a turn ask for them, and after
 * `max_tokens`, when none may be run, the model is told so call by call. An answer that was refused, or that ended in
 * another way, loses its calls.
 */
const KEEPS_CALLS = ["tool_use", "end_turn", "stop_sequence", "max_tokens"];
const CALL_ID = /^[a-zA-Z0-9_-]+$/;
const MAX_NAME = 64; // the least that a service takes of a name

/** `messages`: those of the request. `turn`: the agent's, for new ids of calls whose own ids cannot be used. */
export function validContent(
	content: readonly AssistantBlock[],
	stopReason: string,
	{ messages, turn }: { messages: readonly Message[]; turn: number },
): AssistantBlock[] {
	const kept = content.filter((block) => block.type !== "tool_use" || KEEPS_CALLS.includes(stopReason));
	const used = new Set(messages.flatMap(({ role, content }) => (role === "assistant" ? callIdsIn(content) : [])));
	let n = 0;
	return callsAfterTexts(kept).flatMap((block): AssistantBlock[] => {
		if (block.type === "text") return block.text.trim() === "" ? [] : [wellFormed(block)]; // white space is refused
		if (block.type !== "tool_use") return isWellFormed(block) ? [block] : [];
		n += 1;
		return [{ ...validCall(block), id: freeCallId(String(block.id ?? ""), used, `${turn}_${n}`) }];
	});
}

/** Results must follow their calls at once, so the service takes no text between them: such a text goes before the first call. */
function callsAfterTexts(content: readonly AssistantBlock[]): readonly AssistantBlock[] {
	const first = content.findIndex(({ type }) => type === "tool_use");
	if (first < 0) return content;
	const [before, from] = [content.slice(0, first), content.slice(first)];
	const isText = ({ type }: AssistantBlock) => type === "text";
	return [...before, ...from.filter(isText), ...from.filter((block) => !isText(block))];
}

/** The input for a call that was no JSON object: its result then tells the model so. */
export function unreadableInput(json: string): Record<string, string> {
	return { [UNREADABLE]: json.slice(0, KEPT_OF_UNREADABLE).toWellFormed() };
}

/** The id itself when it is valid and not used yet, else a new one. Adds it to `used`. */
function freeCallId(id: string, used: Set<string>, place: string): string {
	let free = id;
	for (let n = 0; !CALL_ID.test(free) || used.has(free); n++) free = `toolu_agentree_${place}${n === 0 ? "" : `_${n}`}`;
	used.add(free);
	return free;
}

function validCall(block: ToolUseBlock): ToolUseBlock {
	const name = String(block.name ?? "").replace(/[^a-zA-Z0-9_-]/g, "_");
	const input = isObject(block.input) ? block.input : unreadableInput(JSON.stringify(block.input) ?? "");
	return wellFormed({ ...block, name: name.slice(0, MAX_NAME) || "unnamed", input });
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
