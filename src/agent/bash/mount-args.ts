/** The arguments of bwrap (bwrap(1)) as steps: those that mount something, and single words of anything else. bubblewrap-args.ts writes them. Pure. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { ifThere } from "../../core/if-there.ts";
import { isAtOrBelow, unescaped } from "../../core/machine/paths.ts";
import { deepestOver } from "../../core/machine/sandbox.ts";

export interface Step {
	readonly words: readonly string[];
	/** What is mounted, and how; absent for what mounts nothing. */
	readonly mount?: Mounting;
}

interface Mounting {
	/** The first word: `--tmpfs` stands behind `--perms`. `--remount-ro` mounts nothing: it comes after what it makes read-only. */
	readonly word: string;
	/** Absent for a new file system. */
	readonly from: string | undefined;
	readonly path: string;
}

/** How many words such a mount has; the last one is the path. */
const SIZES: Readonly<Record<string, number>> = {
	...{ "--perms": 4, "--dev": 2, "--proc": 2, "--remount-ro": 2 },
	...{ "--ro-bind": 3, "--ro-bind-try": 3, "--bind": 3, "--bind-try": 3 },
};

export function mountSteps(args: readonly string[]): Step[] {
	const steps: Step[] = [];
	for (let at = 0; at < args.length; ) {
		const word = args[at] ?? "";
		const words = args.slice(at, at + (SIZES[word] ?? 1));
		at += words.length;
		const path = words.at(-1) ?? "";
		steps.push(
			words.length === 1
				? { words }
				: { words, mount: { word, from: words.length === 3 ? words[1] : undefined, path } },
		);
	}
	return steps;
}

/** An empty directory, or an empty file from elsewhere, in place of what is there. */
export function hides({ word, from, path }: Mounting): boolean {
	return word === "--perms" || (word === "--ro-bind" && from !== path);
}

/** Takes places that have gone since the run began out of the arguments of bwrap. */

/**
 * A file or a socket that is hidden may be gone by now, as when the program that listens there has ended: bwrap has nothing to mount
 * on then, and would start no command. Nor would it where a directory above what is kept has become a file, as when git takes a submodule's
 * repository out of its tree: `-try` is for what is not there. `isThere`: whether there is something at a path.
 */
export function mountsThere(args: readonly string[], isThere: (path: string) => boolean): string[] {
	const kept = mountSteps(args).filter(({ mount }) => mount === undefined || !needsPlace(mount) || isThere(mount.path));
	return kept.flatMap(({ words }) => words);
}

function needsPlace(mount: Mounting): boolean {
	return hides(mount) || mount.from === mount.path || mount.word === "--remount-ro";
}

/**
 * A sandbox in another one begins with all mounts of that one. What is mounted as it is wanted need not be mounted once more: for each mount bwrap
 * looks at all others. What is there is seen, not told: whoever starts an agent may be in no sandbox.
 */

export interface SeenMount {
	readonly isReadOnly: boolean;
	/** A whole file system in memory. */
	readonly isTmpfs: boolean;
}

export interface SeenMounts {
	/** By their paths; those alone that are not covered by another one. */
	readonly mounts: ReadonlyMap<string, SeenMount>;
	readonly isSameFile: (one: string, other: string) => boolean;
	readonly namesIn: (directory: string) => readonly string[];
}

/** The table of the mounts of this process; undefined where it cannot be read. */
export function mountTable(): string | undefined {
	return ifThere(() => readFileSync("/proc/self/mountinfo", "utf8"));
}

/** The arguments of bwrap without the mounts that are there already, by that table; all of them where that cannot be seen. */
export function withoutThere(
	args: readonly string[],
	table: string | undefined,
	look: (table: string) => SeenMounts = lookHere,
): readonly string[] {
	return (table === undefined ? undefined : ifThere(() => without(args, look(table)))) ?? args; // a place that may not be looked at
}

function without(args: readonly string[], seen: SeenMounts): string[] {
	const steps = mountSteps(args);
	const wanted = steps.flatMap(({ mount }) => (mount === undefined || mount.word === "--remount-ro" ? [] : [mount]));
	const root: Mounting = { word: isConfined(wanted, seen) ? "--bind" : "--ro-bind", from: "/", path: "/" };
	const made: Mounting[] = [];
	const kept: string[] = [];
	for (const { words, mount } of steps) {
		if (mount !== undefined && mount.path !== "/" && isThere(mount, { made, wanted, seen })) continue;
		if (mount !== undefined) made.push(mount.path === "/" ? root : mount);
		kept.push(...(mount?.path === "/" ? [root.word, "/", "/"] : words));
	}
	return kept;
}

/**
 * Whether nothing is writable here but places that are mounted anew, or as they are wanted: then all that is mounted here can be taken along as it is,
 * and need not be made read-only.
 */
function isConfined(wanted: readonly Mounting[], { mounts }: SeenMounts): boolean {
	const isSettled = (path: string) =>
		wanted.some((mount) => mount.path === path || (mount.from === undefined && isAtOrBelow(path, mount.path)));
	return (
		mounts.get("/")?.isReadOnly === true && [...mounts].every(([path, { isReadOnly }]) => isReadOnly || isSettled(path))
	);
}

interface Surroundings {
	/** Those that are made, in order. */
	readonly made: readonly Mounting[];
	readonly wanted: readonly Mounting[];
	readonly seen: SeenMounts;
}

function isThere(mount: Mounting, { made, wanted, seen }: Surroundings): boolean {
	const { word, from, path } = mount;
	if (word === "--remount-ro") return !made.some((other) => other.path === path);
	const around = deepestOver(path, made);
	if (around === undefined || around.path === path || around.from !== around.path) return false; // it takes what is below it along where it is bound to its own place
	const there = seen.mounts.get(path);
	if (there === undefined) return false;
	const isReadOnly = there.isReadOnly || around.word.startsWith("--ro-bind");
	if (word === "--perms") return isReadOnly && there.isTmpfs && hasOnly(wanted, path, seen);
	if (hides(mount)) return isReadOnly && seen.isSameFile(from ?? "", path);
	return from === path && word.startsWith("--ro-bind") === isReadOnly;
}

/** Whether a directory, a file system of its own, has nothing in it but places of mounts, which are wanted there or are covered. */
function hasOnly(wanted: readonly Mounting[], directory: string, { mounts, namesIn }: SeenMounts): boolean {
	const isIn = (path: string) => path !== directory && isAtOrBelow(path, directory);
	const within = [...mounts.keys()].filter(isIn);
	const isSettled = (path: string) =>
		wanted.some((mount) => mount.path === path || (hides(mount) && isIn(mount.path) && isAtOrBelow(path, mount.path)));
	const isOnTheWay = (name: string) => within.some((path) => isAtOrBelow(path, `${directory}/${name}`));
	return within.every(isSettled) && namesIn(directory).every(isOnTheWay);
}

function lookHere(table: string): SeenMounts {
	return {
		mounts: uncovered(table),
		isSameFile: (one, other) => {
			const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
			return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
		},
		namesIn: (directory) => readdirSync(directory),
	};
}

interface ListedMount extends SeenMount {
	readonly id: string;
	/** That on which it lies. */
	readonly parent: string;
	readonly path: string;
}

/**
 * The mounts of a process that no other one covers. proc_pid_mountinfo(5): `id parent major:minor what path options … - kind source …`.
 */
export function uncovered(mountinfo: string): Map<string, SeenMount> {
	const listed = [...mountinfo.matchAll(LISTED)].map(listedMount);
	if (listed.length !== mountinfo.trimEnd().split("\n").length) throw new Error("a mount is written in another way");
	const on = new Map<string, ListedMount[]>();
	for (const mount of listed) on.set(mount.parent, [...(on.get(mount.parent) ?? []), mount]);
	const root = listed.find(({ parent, path }) => path === "/" && !listed.some(({ id }) => id === parent));
	const isClear = root !== undefined && on.get(root.id)?.some(({ path }) => path === "/") !== true; // what lies on it is not its own root
	const waiting = isClear ? [root] : [];
	const found = new Map<string, SeenMount>();
	for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
		const { path: own, isReadOnly, isTmpfs } = at;
		const above = on.get(at.id) ?? [];
		const over = above.findLast(({ path }) => path === own);
		if (over === undefined) found.set(own, { isReadOnly, isTmpfs });
		waiting.push(...(over === undefined ? above.filter((mount) => !isCovered(mount, above)) : [over]));
	}
	return found;
}

/** By another one that lies on the same mount. */
function isCovered({ path }: ListedMount, above: readonly ListedMount[]): boolean {
	return above.some((other) => other.path !== path && isAtOrBelow(path, other.path));
}

const LISTED = /^(\d+) (\d+) [^ \n]+ ([^ \n]+) (\/[^ \n]*) (r[ow])\b[^\n]*? - ([^ \n]+) /gm;

function listedMount([, id = "", parent = "", what, path = "", is, kind]: RegExpMatchArray): ListedMount {
	return { id, parent, path: unescaped(path), isReadOnly: is === "ro", isTmpfs: what === "/" && kind === "tmpfs" };
}
