/** Which of a tree's files are kept. Pure. */
import type { Modes, Skipped } from "../../core/schemas/kept-tree.ts";

/** What lies at a path; `gone` also behind a link, and what was a file and is a directory. */
export type Seen =
	| {
			readonly is: "file";
			readonly path: string;
			readonly bytes: number;
			readonly mode: number;
			/** When anything of it was changed. */
			readonly changedAt: number;
	  }
	| { readonly is: "link" | "gone" | "special" | "not_readable"; readonly path: string };

export interface Room {
	/** A larger file is not kept. */
	readonly fileBytes: number;
	/** For all files that are kept with this state. */
	readonly newBytes: number;
}

export interface KeepPlan {
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

/** The modes when these files have been seen, too. `before`: undefined for the first ones, which tell what is usual. */
export function modesAfter(before: Modes | undefined, seen: readonly Seen[]): Modes {
	const files = seen.flatMap((one) => (one.is === "file" ? [one] : []));
	const usual = before?.usual ?? {
		plain: mostOften(files.filter(({ mode }) => !isExecutable(mode))) ?? 0o644,
		executable: mostOften(files.filter(({ mode }) => isExecutable(mode))) ?? 0o755,
	};
	const other = { ...before?.other };
	for (const { path } of seen) delete other[path];
	for (const { path, mode } of files)
		if (mode !== (isExecutable(mode) ? usual.executable : usual.plain)) other[path] = mode;
	return { usual, other };
}

export const RECENT_MS = 3_000; // a second of git's, and what the clocks of file systems may differ

/** The files that had just been changed when they were looked at. */
export function recentAmong(seen: readonly Seen[], now: number): string[] {
	return seen.flatMap((one) => (one.is === "file" && one.changedAt > now - RECENT_MS ? [one.path] : []));
}

/** As git sees it. */
function isExecutable(mode: number): boolean {
	return (mode & 0o100) !== 0;
}

function mostOften(files: readonly { readonly mode: number }[]): number | undefined {
	const counts = new Map<number, number>();
	for (const { mode } of files) counts.set(mode, (counts.get(mode) ?? 0) + 1);
	return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}
