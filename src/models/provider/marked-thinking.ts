/**
 * Thinking is bound to the service that it came from: no other one takes it back. The thinking of a service that signs nothing
 * gets a signature here, which says whose it is, with what goes back beside the text.
 */
import { type AssistantBlock, THOUGHT_MARK as MARK, signatureOf } from "../../core/model/message.ts";

type ThinkingBlock = Extract<AssistantBlock, { type: "thinking" }>;

/** `data`: what has to go back with it; empty when nothing has to. */
export function markedThinking(thinking: string, service: string, data = ""): ThinkingBlock {
	return { type: "thinking", thinking, signature: `${MARK}${service}:${data}` };
}

/** True for thinking of a service that signs nothing itself. */
export function isMarked(block: AssistantBlock): boolean {
	return signatureOf(block).startsWith(MARK);
}

/** The thinking of this service, and its data; undefined for any other block. */
export function thinkingOf(block: AssistantBlock, service: string): { thinking: string; data: string } | undefined {
	const mark = `${MARK}${service}:`;
	if (block.type !== "thinking" || !signatureOf(block).startsWith(mark)) return undefined;
	return { thinking: block.thinking, data: block.signature.slice(mark.length) };
}
