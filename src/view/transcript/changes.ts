/** How a transcript changes, and its items collected from that. Pure. */
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

/** Gives each item of the past once it no longer changes, and keeps only those of the newest turn. */
export class SettledItems {
	private open: TranscriptItem[] = [];

	take(changes: readonly TranscriptChange[]): TranscriptItem[] {
		const settled: TranscriptItem[] = [];
		for (const change of changes) {
			if (change.is === "printed" || isPassing(change)) continue;
			if (change.is === "removed") this.open = this.open.filter(({ key }) => key !== change.key);
			if (change.is === "added") {
				if (change.item.is === "turn") settled.push(...this.open.splice(0));
				this.open.push(change.item);
			}
			if (change.is === "changed") {
				const at = this.open.findLastIndex(({ key }) => key === change.item.key);
				if (at >= 0) this.open[at] = change.item;
			}
		}
		return settled;
	}

	/** Those that are left, when no more changes come. */
	rest(): TranscriptItem[] {
		return this.open.splice(0);
	}
}

/** All items, by keys that are unique. */
export class ItemList {
	private readonly items: TranscriptItem[] = [];
	/** Where the newest item of each key stands. */
	private readonly places = new Map<string, number>();
	private readonly uses = new Map<string, number>();
	/** Items before that one belong to older turns. */
	private settled = 0;
	private knownSettled: readonly TranscriptItem[] | undefined = [];

	take(changes: readonly TranscriptChange[]): void {
		for (const change of changes) {
			if (change.is === "printed" || isPassing(change)) continue;
			if (change.is === "removed") this.remove(change.key);
			if (change.is === "added") this.add(change.item);
			if (change.is === "changed") this.replace(change.item);
		}
	}

	/** Those of older turns: another list only when there are more of them, or one has changed. And those of the newest turn. */
	parts(): { readonly settled: readonly TranscriptItem[]; readonly newest: readonly TranscriptItem[] } {
		this.knownSettled ??= this.items.slice(0, this.settled);
		return { settled: this.knownSettled, newest: this.items.slice(this.settled) };
	}

	/** A service that gives one id to two calls must not make the second one unreachable. */
	private add(item: TranscriptItem): void {
		const { key } = item;
		const uses = (this.uses.get(key) ?? 0) + 1;
		this.uses.set(key, uses);
		this.places.set(key, this.items.length);
		if (item.is === "turn") this.settle(this.items.length);
		this.items.push(uses === 1 ? item : { ...item, key: `${key}#${uses}` });
	}

	private replace(item: TranscriptItem): void {
		const at = this.places.get(item.key);
		const known = at === undefined ? undefined : this.items[at];
		if (at === undefined || known === undefined) return;
		this.items[at] = known.key === item.key ? item : { ...item, key: known.key };
		if (at < this.settled) this.settle(this.settled);
	}

	private remove(key: string): void {
		const at = this.places.get(key);
		if (at === undefined) return;
		this.items.splice(at, 1);
		this.places.delete(key);
		for (const [other, place] of this.places) if (place > at) this.places.set(other, place - 1);
		if (this.settled > at) this.settle(this.settled - 1);
	}

	private settle(count: number): void {
		this.settled = count;
		this.knownSettled = undefined;
	}
}

function isPassing(change: TranscriptChange): boolean {
	return "item" in change && change.item.is === "notice" && change.item.isPassing;
}
