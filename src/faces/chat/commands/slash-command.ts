/** A slash command of the conversation, as a row of its table. */
import type { ChatState, Next } from "../chat-state.ts";

export interface SlashCommand {
	readonly word: string;
	/** Other words for it, as people know them from elsewhere. */
	readonly synonyms?: readonly string[];
	/** `[agent]`, `<question>`: what may and what must follow; absent: nothing may. */
	readonly argument?: string;
	/** What the argument may be, for completion. */
	readonly completes?: "agents" | "models" | "efforts" | "limits" | "commands" | "files" | "roles";
	readonly help: string;
	/** Before the first message there is nothing that it could be about. */
	readonly needsRun?: true;
	/** `given`: what follows the word, without blanks around it. */
	readonly act: (state: ChatState, given: string) => Next;
}

/** Whether the word, without its slash, stands for the command. */
export function isCalled({ word, synonyms = [] }: SlashCommand, by: string): boolean {
	return word === by || synonyms.includes(by);
}
