import type { CommandItem, TranscriptChange, TranscriptItem } from "./items.ts";

/** Collects the changes that one input makes. */
export class Changes {
	private list: TranscriptChange[] = [];

	/** Returns the item, so that whoever adds it can keep it. */
	added<T extends TranscriptItem>(item: T): T {
		this.list.push({ is: "added", item });
		return item;
	}

	changed<T extends TranscriptItem>(item: T): T {
		this.list.push({ is: "changed", item });
		return item;
	}

	/** More of an answer has streamed. */
	grown<T extends TranscriptItem>(item: T, grownBy: string): T {
		this.list.push({ is: "changed", item, grownBy });
		return item;
	}

	removed(key: string): void {
		this.list.push({ is: "removed", key });
	}

	printed(item: CommandItem, lines: readonly string[], skipped: number): void {
		this.list.push({ is: "printed", item, lines, skipped });
	}

	take(): TranscriptChange[] {
		const { list } = this;
		this.list = [];
		return list;
	}
}
