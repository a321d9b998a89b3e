/** What one user message to the model contains, and what the transcript keeps beside it. */
import type { UserBlock } from "../core/model/message.ts";
import type { CommandRecord } from "../core/model/transcript.ts";

export interface UserContent {
	content: UserBlock[];
	commands?: CommandRecord[];
}

export function userText(...texts: string[]): UserContent {
	return { content: texts.map((text) => ({ type: "text", text })) };
}
