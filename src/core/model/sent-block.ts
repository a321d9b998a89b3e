/** A block of a message in the form in which it is sent to the service: nothing in it that the service refuses. Pure. */

import { isWellFormed, wellFormed } from "../well-formed.ts";
import type { AssistantBlock, ToolUseBlock, UserBlock } from "./message.ts";

/** Undefined for a block that is left out. */
export function sentUserBlock(block: UserBlock): UserBlock | undefined {
	if (block.type === "text" && block.text.trim() === "") return undefined;
	const sent = wellFormed(block);
	if (sent.type !== "tool_result") return sent;
	const id = validId(sent.tool_use_id);
	return id === sent.tool_use_id ? sent : { ...sent, tool_use_id: id };
}

/** Undefined for a block that is left out. No thinking block is altered: one with half a character in it is left out. */
export function sentAssistantBlock(block: AssistantBlock): AssistantBlock | undefined {
	if (block.type === "text") return block.text.trim() === "" ? undefined : wellFormed(block);
	if (block.type === "tool_use") return validCall(wellFormed(block));
	return isWellFormed(block) ? block : undefined;
}

function validCall(call: ToolUseBlock): ToolUseBlock {
	const id = validId(call.id);
	const isObject = typeof call.input === "object" && call.input !== null && !Array.isArray(call.input);
	return id === call.id && isObject ? call : { ...call, id, input: isObject ? call.input : {} };
}

/** An id of letters, digits, `_` and `-`, as the service demands. Equal ids stay equal, different ones stay different. */
function validId(id: string): string {
	if (id === "") return "_";
	return id.replaceAll(/[^a-zA-Z0-9_-]/g, (char) => `_x${char.charCodeAt(0).toString(16)}_`);
}
