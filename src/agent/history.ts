/** The messages of one agent, as each request carries them; in no other process's memory. */
import type { AssistantBlock, Message, UserBlock } from "../core/model.ts";
import { validHistory } from "./valid-history.ts";

export class History {
	private list: Message[] = [];

	addUser(content: readonly UserBlock[]): void {
		this.list.push({ role: "user", content: [...content] });
	}

	addAssistant(content: readonly AssistantBlock[]): void {
		this.list.push({ role: "assistant", content: [...content] });
	}

	/** For a service that takes its own thinking no more. False when there is none. */
	dropThinking(): boolean {
		let hasDropped = false;
		this.list = this.list.map((message): Message => {
			if (message.role === "user") return message;
			const content = message.content.filter(({ type }) => type !== "thinking" && type !== "redacted_thinking");
			hasDropped ||= content.length < message.content.length;
			return { role: "assistant", content };
		});
		return hasDropped;
	}

	/** Always in the order that the service asks for. */
	get messages(): Message[] {
		return validHistory(this.list);
	}
}
