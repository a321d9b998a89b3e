/** Which of a tree's files are kept. Pure. */
import type { Modes, Skipped } from "../../core/schemas/kept-tree.ts";

/** What lies at a path; `gone` also behind a link, and what was a file and is a directory. */
export type Seen =
	| {
			readonly is: "file";
			readonly path: string;
			readonly bytes: number;
			readonly mode: number;
	  }
	| { readonly is: "link" | "gone" | "special" | "not_readable"; readonly path: string };

export interface Room {
	/** A larger file is not kept. */
	readonly fileBytes: number;
	/** For all files that are kept with this state. */
	readonly newBytes: number;
}

interface KeepPlan {
	readonly take: readonly string[];
	readonly leave: readonly string[];
	readonly skipped: readonly Skipped[];
	/** The size of what is taken. */
	readonly bytes: number;
}

/** Small files first: where there is no room for all, what is left out is few, and not what people write. */
export function planKeep(seen: readonly Seen[], room: Room): KeepPlan {
	const skipped: Skipped[] = [];
	const take: string[] = [];
	let bytes = 0;
	const sizeOf = (one: Seen) => (one.is === "file" ? one.bytes : 0);
	for (const one of [...seen].sort((a, b) => sizeOf(a) - sizeOf(b))) {
		const because = whyNot(one, room, bytes);
		if (because !== undefined) skipped.push({ path: one.path, because });
		else if (one.is !== "gone") {
			take.push(one.path);
			bytes += sizeOf(one);
		}
	}
	const taken = new Set(take);
	const leave = seen.flatMap(({ path }) => (taken.has(path) ? [] : [path]));
	return { take, leave, skipped, bytes };
}

function whyNot(one: Seen, room: Room, bytes: number): Skipped["because"] | undefined {
	switch (one.is) {
		case "gone":
		case "link":
			return undefined;
		case "special":
		case "not_readable":
			return one.is;
		case "file":
			if (one.bytes > room.fileBytes) return "too_large";
			return bytes + one.bytes > room.newBytes ? "no_room" : undefined;
	}
}

const USUAL = { plain: 0o644, executable: 0o755 };

/** The modes of files as they have been seen; git's trees tell only whether a file may be run. */
export function modesOf(seen: readonly Seen[]): Modes {
	const other: Record<string, number> = {};
	for (const one of seen) {
		if (one.is !== "file") continue;
		const usual = (one.mode & 0o100) === 0 ? USUAL.plain : USUAL.executable;
		if (one.mode !== usual) other[one.path] = one.mode;
	}
	return { usual: USUAL, other };
}
