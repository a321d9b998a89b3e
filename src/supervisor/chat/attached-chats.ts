/** The watchers at which a person talks with the root of a conversation: each is told how many others there are. */
import type { Watcher } from "../../wire/watcher-messages.ts";

export class AttachedChats {
	private readonly all = new Set<Watcher>();

	add(watcher: Watcher): void {
		this.all.add(watcher);
		this.tell();
	}

	remove(watcher: Watcher): void {
		if (this.all.delete(watcher)) this.tell();
	}

	/** Whether there is another one. */
	isBeside(watcher: Watcher): boolean {
		return this.all.size > (this.all.has(watcher) ? 1 : 0);
	}

	private tell(): void {
		for (const chat of [...this.all]) chat.send({ say: "talkers", others: this.all.size - 1 });
	}
}
