import type { Message } from "../../core/model.ts";
import type { CommandRecord } from "../../core/transcript.ts";

/** A message of the history, with what is known beside it. */
export interface HeldMessage {
	readonly message: Message;
	/** Of the tool results in it. */
	readonly commands: readonly CommandRecord[];
	/** Of its content, in a request. */
	readonly bytes: number;
}

export function bytesOf(content: unknown): number {
	return Buffer.byteLength(JSON.stringify(content));
}
