/** Tells of what happens to places, and of directories of places that are moved or removed themselves (inotify(7)). In order, and as far as the system tells. */
import { type FSWatcher, watch } from "node:fs";
import { basename, join } from "node:path";

export type Happened = "rename" | "change";

export class PlaceWatch {
	private readonly watchers = new Map<string, FSWatcher>();
	private readonly tell: (path: string, what: Happened) => void;
	private readonly moved: (directory: string) => void;

	constructor(tell: (path: string, what: Happened) => void, moved: (directory: string) => void) {
		this.tell = tell;
		this.moved = moved;
	}

	/** One that has gone, or for which the machine has no watch left, is not watched. */
	open(directory: string): void {
		if (this.watchers.has(directory)) return;
		try {
			const watcher = watch(directory, { persistent: false }, (what, name) => this.seen(directory, what, name ?? ""));
			watcher.on("error", () => watcher.close());
			this.watchers.set(directory, watcher);
		} catch {}
	}

	private seen(directory: string, what: Happened, name: string): void {
		this.tell(join(directory, name), what);
		if (name !== basename(directory) || what !== "rename") return; // else it may be what has happened to the directory itself
		this.watchers.get(directory)?.close();
		this.watchers.delete(directory);
		this.open(directory);
		this.moved(directory);
	}

	close(): void {
		for (const watcher of this.watchers.values()) watcher.close();
	}
}
