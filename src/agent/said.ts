/** What the model is told in one user message, and what is noted beside it. */
import type { UserBlock } from "../core/model.ts";
import type { CommandRecord } from "../core/transcript.ts";

export interface Said {
	content: UserBlock[];
	commands?: CommandRecord[];
}

export type CallResults = Required<Said>;

export function saying(...texts: string[]): Said {
	return { content: texts.map((text) => ({ type: "text", text })) };
}
