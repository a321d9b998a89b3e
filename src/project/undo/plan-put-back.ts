/** What is to be done to a tree that it is as it was kept, and what is left as it is now. Pure. */
import { defined } from "../../core/defined.ts";
import type { Modes, Skipped, TreeFacts } from "../../core/schemas/kept-tree.ts";
import { type Difference, directoriesAbove, holderOf, isTreePath, shownPath, type TreeEntry } from "./tree-paths.ts";

export interface Compared {
	/** From the kept state to now. */
	readonly differences: readonly Difference[];
	readonly kept: TreeFacts;
	readonly now: TreeFacts;
	/** The directories with kept files in them. */
	readonly keptDirectories: readonly string[];
}

export type Step =
	| { readonly do: "remove"; readonly path: string }
	/** `replaces`: a file or a link that is there now; else nothing may be. */
	| {
			readonly do: "write";
			readonly path: string;
			readonly entry: TreeEntry;
			readonly mode: number;
			readonly replaces: boolean;
	  }
	| { readonly do: "set_mode"; readonly path: string; readonly mode: number }
	| { readonly do: "remove_directory" | "make_directory"; readonly path: string };

export interface Left {
	readonly path: string;
	readonly because: LeftReason;
}

/** Why something is left; `system` is the system's own reason. */
export type LeftReason =
	| { readonly is: "ignored" | "not_kept" | "changed_meanwhile" | "something_else_there" }
	| { readonly is: "system"; readonly code: string };

export interface PutBackPlan {
	readonly steps: readonly Step[];
	readonly left: readonly Left[];
	/** Directories that stay when they are empty. */
	readonly directories: ReadonlySet<string>;
}

/** How a file differs now from its kept state. */
export interface Change {
	readonly path: string;
	readonly is: "added" | "changed" | "deleted";
	readonly lines?: { readonly added: number; readonly removed: number };
}

export function changesOf(compared: Compared): Change[] {
	const differing = compared.differences.filter(({ path }) => isTreePath(path));
	const modes = modeChanges(compared).map(({ path }) => ({ path, is: "changed" }) as const);
	const { added, missing } = emptyChanges(compared);
	return [
		...differing.map(changeOf),
		...modes,
		...added.map((path) => ({ path: `${path}/`, is: "added" }) as const),
		...missing.map((path) => ({ path: `${path}/`, is: "deleted" }) as const),
	];
}

function changeOf({ path, before, after, lines }: Difference): Change {
	const is = before === undefined ? "added" : after === undefined ? "deleted" : "changed";
	return { path, is, ...defined({ lines }) };
}

/** Removals first, the deepest first of all: a file may stand where a directory was. */
export function planPutBack(compared: Compared): PutBackPlan {
	const whyLeft = reasonToLeave(compared);
	const left: Left[] = [];
	const removals: Step[] = [];
	const others: Step[] = [];
	const plan = (path: string, step: Step) => {
		const because = whyLeft(path);
		if (because !== undefined) left.push({ path, because: { is: because } });
		else (step.do === "remove" ? removals : others).push(step);
	};
	for (const { path, before, after } of compared.differences) {
		if (!isTreePath(path)) continue;
		if (before === undefined) plan(path, { do: "remove", path });
		else {
			const mode = modeIn(compared.kept.modes, path, before.kind === "executable");
			plan(path, { do: "write", path, entry: before, mode, replaces: after !== undefined });
		}
	}
	for (const { path, mode } of modeChanges(compared)) plan(path, { do: "set_mode", path, mode });
	const { added, missing, directories } = emptyChanges(compared);
	const steps: Step[] = [
		...removals.sort(deepestFirst),
		...added.map((path) => ({ do: "remove_directory", path }) as const).sort(deepestFirst),
		...others,
		...missing.map((path) => ({ do: "make_directory", path }) as const),
	];
	return { steps, left: [...left, ...newlySkipped(compared, left)], directories };
}

/** What has come since and could not be kept: a file that is too large, a repository. It could not be had again, and stays. */
function newlySkipped({ kept, now }: Compared, left: readonly Left[]): Left[] {
	const known = new Set([...kept.skipped, ...left].map(({ path }) => path));
	const come = now.skipped.filter(({ path }) => isTreePath(path.replace(/\/$/, "")) && !known.has(path));
	return come.map(({ path }) => ({ path, because: { is: "not_kept" } }));
}

/** Empty directories that came and went; `directories`: all that there were. */
function emptyChanges({ kept, now, keptDirectories }: Compared) {
	const directories = new Set([...keptDirectories, ...kept.empty, ...directoriesOfOthers(kept)]);
	const isNow = new Set(now.empty);
	return {
		directories,
		added: now.empty.filter((path) => isTreePath(path) && !directories.has(path)),
		missing: kept.empty.filter((path) => isTreePath(path) && !isNow.has(path)),
	};
}

/** What is ignored, now or then, is nobody's to touch; what is not kept as it is now could not be had again. */
function reasonToLeave({ kept, now }: Compared): (path: string) => "ignored" | "not_kept" | undefined {
	const isIgnored = [kept, now].map(({ ignored }) => holderOf(ignored));
	const isSkipped = [kept, now].map(({ skipped }) => holderOf(skipped.map(({ path }) => path)));
	return (path) => {
		if (isIgnored.some((is) => is(path))) return "ignored";
		return isSkipped.some((is) => is(path)) ? "not_kept" : undefined;
	};
}

/** The files of which the mode alone differs, with the kept one. Whether a file may be run, git has among its contents. */
function modeChanges({ differences, kept, now }: Compared): { path: string; mode: number }[] {
	const differing = new Set(differences.map(({ path }) => path));
	const named = new Set([...Object.keys(kept.modes.other), ...Object.keys(now.modes.other)]);
	return [...named].flatMap((path) => {
		if (differing.has(path) || !isTreePath(path)) return [];
		const isExecutable = ((kept.modes.other[path] ?? now.modes.other[path] ?? 0) & 0o100) !== 0;
		const mode = modeIn(kept.modes, path, isExecutable);
		return mode === modeIn(now.modes, path, isExecutable) ? [] : [{ path, mode }];
	});
}

function modeIn({ usual, other }: Modes, path: string, isExecutable: boolean): number {
	return other[path] ?? (isExecutable ? usual.executable : usual.plain);
}

/** The directories of what was there and is not kept. */
function directoriesOfOthers({ ignored, skipped }: TreeFacts): string[] {
	return [...ignored, ...skipped.map(({ path }) => path)].flatMap((path) => directoriesAbove(path.replace(/\/$/, "")));
}

function deepestFirst(a: Step, b: Step): number {
	return b.path.split("/").length - a.path.split("/").length;
}

/** What is not kept of a tree, and why something is left as it is, in words. Pure. */

const MAX_NAMED = 3;

/** `2 files are too large (a.bin, b.bin), 1 repository inside (sub/)`; undefined when all is kept. */
export function describeSkipped(skipped: readonly Skipped[]): string | undefined {
	const parts = WORDS.flatMap(({ because, one, many }) => {
		const paths = skipped.filter((other) => other.because === because).map(({ path }) => shownPath(path));
		if (paths.length === 0) return [];
		const named = paths.slice(0, MAX_NAMED).join(", ");
		return [`${paths.length} ${paths.length === 1 ? one : many} (${named}${paths.length > MAX_NAMED ? ", …" : ""})`];
	});
	return parts.length === 0 ? undefined : parts.join(", ");
}

const WORDS: readonly { because: Skipped["because"]; one: string; many: string }[] = [
	{ because: "too_large", one: "file that is too large", many: "files that are too large" },
	{ because: "no_room", one: "file for which there was no room", many: "files for which there was no room" },
	{ because: "repository", one: "repository inside", many: "repositories inside" },
	{ because: "not_readable", one: "file that cannot be read", many: "files that cannot be read" },
	{ because: "special", one: "that is not a file", many: "that are not files" },
];

export function describeLeft(because: LeftReason): string {
	switch (because.is) {
		case "ignored":
			return "git ignores it";
		case "not_kept":
			return "it is not saved";
		case "changed_meanwhile":
			return "it is being changed";
		case "something_else_there":
			return "something that is not saved is in its place";
		case "system":
			return SYSTEM[because.code] ?? because.code;
	}
}

const SYSTEM: Readonly<Record<string, string>> = {
	EACCES: "permission denied",
	EPERM: "permission denied",
	EROFS: "the file system is read-only",
	EBUSY: "it is in use",
	ETXTBSY: "it is in use",
	ENOSPC: "the disk is full",
	EDQUOT: "the disk is full",
	ENOTDIR: "a file is in place of its directory",
	ELOOP: "a link is in place of its directory",
	ENOTEMPTY: "a directory with unsaved files is in its place",
	ENOENT: "it is gone",
};
