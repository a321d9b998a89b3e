/** The arguments of bwrap (bwrap(1)) as steps: those that mount something, and single words of anything else. bubblewrap-args.ts writes them. Pure. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { ifThere } from "../../core/if-there.ts";
import { isAtOrBelow } from "../../core/machine/paths.ts";

export interface Step {
	readonly words: readonly string[];
	/** What is mounted, and how; absent for what mounts nothing. */
	readonly mount?: Mounting;
}

interface Mounting {
	/** The first word: `--tmpfs` stands behind `--perms`. */
	readonly word: string;
	/** Absent for a new file system. */
	readonly from: string | undefined;
	readonly path: string;
}

/** How many words such a mount has; the last one is the path. */
const SIZES: Readonly<Record<string, number>> = {
	...{ "--perms": 4, "--dev": 2, "--proc": 2 },
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
	const kept = mountSteps(args).filter(
		({ mount }) => mount === undefined || !(hides(mount) || mount.from === mount.path) || isThere(mount.path),
	);
	return kept.flatMap(({ words }) => words);
}

/**
 * A sandbox in another one, whose mounts are all in it from the start: what is hidden or kept already need not be mounted once more. Each
 * mount costs bwrap a look at all others. What is there is seen, not told: whoever starts an agent may be in no sandbox.
 */

export interface SeenMounts {
	/** An empty file system of its own lies there. */
	readonly isEmptyMount: (path: string) => boolean;
	readonly isSameFile: (one: string, other: string) => boolean;
	/** What is mounted at that very path, if anything is. */
	readonly mountAt: (path: string) => "read-only" | "writable" | undefined;
}

/** The arguments of bwrap without the mounts that are there already; all of them where that cannot be seen. */
export function withoutHidden(args: readonly string[], look: () => SeenMounts = lookHere): readonly string[] {
	return ifThere(() => without(args, look())) ?? args; // a place that may not be looked at
}

function without(args: readonly string[], seen: SeenMounts): string[] {
	const kept: string[] = [];
	const done: Mounting[] = [];
	for (const { words, mount } of mountSteps(args)) {
		const isLeftOut = mount !== undefined && isThere(mount, done, seen);
		if (!isLeftOut) kept.push(...words);
		if (mount !== undefined && !(isLeftOut && mount.word === "--perms")) done.push(mount);
	}
	return kept;
}

function isThere(
	mount: Mounting,
	done: readonly Mounting[],
	{ isEmptyMount, isSameFile, mountAt }: SeenMounts,
): boolean {
	const { word, from, path } = mount;
	const above = done.filter((other) => other.path !== path && isAtOrBelow(path, other.path));
	if (above.some((other) => other.word === "--perms")) return false; // nothing is to be seen there of what lay in it
	if (word === "--perms") return isEmptyMount(path);
	if (hides(mount)) return isSameFile(from ?? "", path);
	if (!word.endsWith("-try") || from !== path || done.some((other) => other.path === path)) return false;
	const around = above.reduce((deepest, one) => (one.path.length > deepest.path.length ? one : deepest), ROOT_MOUNT);
	if (around.from !== around.path) return false; // a mount takes those below it along, as they are, when it is bound to its own place
	return word === "--ro-bind-try"
		? mountAt(path) === "read-only"
		: around.word.startsWith("--bind") && mountAt(path) !== undefined;
}

const ROOT_MOUNT: Mounting = { word: "--ro-bind", from: "/", path: "/" };

interface SeenMount {
	readonly is: "read-only" | "writable";
	/** What of which kind of file system: `/ tmpfs`. */
	readonly of: string;
}

/** proc_pid_mountinfo(5): the fourth field is what of a file system is mounted, the fifth where, the sixth how, and its kind follows ` - `. */
function lookHere(): SeenMounts {
	const mounts = new Map<string | undefined, SeenMount>(); // of two at one path the later one is seen
	for (const line of readFileSync("/proc/self/mountinfo", "utf8").split("\n")) {
		const fields = line.split(" ");
		const is = fields[5]?.split(",").includes("ro") ? "read-only" : "writable";
		mounts.set(fields[4], { is, of: `${fields[3]} ${fields[fields.indexOf("-") + 1]}` });
	}
	return {
		isEmptyMount: (path) => mounts.get(path)?.of === "/ tmpfs" && readdirSync(path).length === 0,
		isSameFile: (one, other) => {
			const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
			return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
		},
		mountAt: (path) => mounts.get(path)?.is,
	};
}
