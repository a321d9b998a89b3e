/**
 * Messages in the shape of the Messages API. Unknown blocks pass through unchanged: the service refuses a thinking block
 * that comes back altered.
 */
import { isWellFormed, wellFormed } from "../json-value.ts";
import type { AssistantBlock, AssistantMessage, ToolUseBlock, UserBlock, UserMessage } from "../schemas/message.ts";

export type { AssistantBlock, ToolResultBlock, ToolUseBlock, UserBlock, UserMessage } from "../schemas/message.ts";

export type Message = UserMessage | AssistantMessage;

/** The stop reason of an answer that a person cut short. No service gives it. */
export const INTERRUPTED_STOP = "interrupted";

/** An estimate where the service has not counted, rather too high: code and logs have about so many, prose more. */
export const BYTES_A_TOKEN = 3;

export interface Tool {
	name: string;
	description: string;
	/** Of its input, as JSON Schema. */
	input_schema: { type: "object"; properties: Record<string, object>; required: string[] };
}

/** The text of a message, without thinking and calls. */
export function textOf(content: readonly AssistantBlock[]): string {
	return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n");
}

/** The command of a call; undefined for what is no command. */
export function commandIn({ input }: Pick<ToolUseBlock, "input">): string | undefined {
	const command = (input as { command?: unknown } | null | undefined)?.command;
	return typeof command === "string" ? command : undefined;
}

/** What a model has thought, readable or not: it is for that model alone. */
export function isThought({ type }: AssistantBlock): boolean {
	return type === "thinking" || type === "redacted_thinking";
}

/** Begins the signature of a thought whose service signs none. Behind it stand the service, and what goes back beside the text. */
export const THOUGHT_MARK = "agentree:";

/** The signature of a thought; "" for any other block, and where what was recorded has none. */
export function signatureOf(block: AssistantBlock): string {
	return block.type === "thinking" && typeof block.signature === "string" ? block.signature : "";
}

/** True for a thought that is plain text: its service takes it back whichever of its models had it, and no other one is sent it. */
export function isOfAnyModel(block: AssistantBlock): boolean {
	const signature = signatureOf(block);
	return signature.startsWith(THOUGHT_MARK) && signature.endsWith(":");
}

/** The calls in an answer, in their order. */
export function callsIn(content: readonly AssistantBlock[] = []): ToolUseBlock[] {
	return content.filter((block) => block.type === "tool_use");
}

/** Their ids. */
export function callIdsIn(content: readonly AssistantBlock[]): string[] {
	return callsIn(content).map(({ id }) => id);
}

/** The block as the service accepts it; undefined for one that is left out. */
export function sentUserBlock(block: UserBlock): UserBlock | undefined {
	if (block.type === "text" && block.text.trim() === "") return undefined;
	const sent = wellFormed(block);
	if (sent.type !== "tool_result") return sent;
	const id = validId(sent.tool_use_id);
	return id === sent.tool_use_id ? sent : { ...sent, tool_use_id: id };
}

/** The same for a block of an answer. No thinking block is altered: one with half a character in it is left out. */
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
