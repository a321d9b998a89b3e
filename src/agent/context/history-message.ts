import type { Message } from "../../core/model/message.ts";
import type { CommandRecord } from "../../core/model/transcript.ts";
import { jsonOf } from "../json-of.ts";

/** A message of the history, with the records of its commands and its size. */
export interface HistoryMessage {
	readonly message: Message;
	/** The commands whose results are in the message. */
	readonly commands: readonly CommandRecord[];
	/** The size of its content in a request. */
	readonly bytes: number;
}

export function bytesOf(content: object | string): number {
	return Buffer.byteLength(typeof content === "string" ? JSON.stringify(content) : jsonOf(content));
}
