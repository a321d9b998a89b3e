/** The messages of one agent, as each request carries them; in no other process's memory. */
import type { AssistantBlock, Message, UserBlock } from "../core/model.ts";

export class History {
	private readonly list: Message[] = [];

	/** Messages with the roles in turn: what a user adds to a user's message joins it, results first. */
	addUser(content: UserBlock[]): void {
		const last = this.list.at(-1);
		if (last?.role === "user") last.content.push(...content);
		else this.list.push({ role: "user", content: [...content] });
	}

	addAssistant(content: AssistantBlock[]): void {
		if (content.length > 0) this.list.push({ role: "assistant", content });
	}

	get messages(): Message[] {
		return this.list;
	}
}
