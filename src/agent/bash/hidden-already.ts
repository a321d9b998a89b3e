/**
 * A sandbox in another one, whose mounts are all in it from the start: what is hidden or kept already need not be mounted once more. Each
 * mount costs bwrap a look at all others. What is there is seen, not told: whoever starts an agent may be in no sandbox.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { isAtOrBelow } from "../../core/at-or-below.ts";

export interface SeenMounts {
	/** An empty file system of its own lies there. */
	readonly isEmptyMount: (path: string) => boolean;
	readonly isSameFile: (one: string, other: string) => boolean;
	/** What is mounted at that very path, if anything is. */
	readonly mountAt: (path: string) => "read-only" | "writable" | undefined;
}

/** The arguments of bwrap without the mounts that are there already; all of them where that cannot be seen. */
export function withoutHidden(args: readonly string[], look: () => SeenMounts = lookHere): readonly string[] {
	try {
		return without(args, look());
	} catch {
		return args; // a place that may not be looked at
	}
}

/** How many words an argument has that makes a mount; the last one is the path. */
const SIZES: Readonly<Record<string, number>> = {
	...{ "--perms": 4, "--dev": 2, "--proc": 2 },
	...{ "--ro-bind": 3, "--ro-bind-try": 3, "--bind": 3, "--bind-try": 3 },
};

interface Step {
	readonly word: string;
	readonly from: string | undefined;
	readonly path: string;
}

function without(args: readonly string[], seen: SeenMounts): string[] {
	const kept: string[] = [];
	const done: Step[] = [];
	for (let at = 0; at < args.length; ) {
		const word = args[at] ?? "";
		const part = args.slice(at, at + (SIZES[word] ?? 1));
		at += part.length;
		const step = { word, from: part.length === 3 ? part[1] : undefined, path: part.at(-1) ?? "" };
		const isLeftOut = part.length > 1 && isThere(step, done, seen);
		if (!isLeftOut) kept.push(...part);
		if (part.length > 1 && !(isLeftOut && word === "--perms")) done.push(step);
	}
	return kept;
}

function isThere(step: Step, done: readonly Step[], { isEmptyMount, isSameFile, mountAt }: SeenMounts): boolean {
	const { word, from, path } = step;
	const above = done.filter((other) => other.path !== path && isAtOrBelow(path, other.path));
	if (above.some((other) => other.word === "--perms")) return false; // nothing is to be seen there of what lay in it
	if (word === "--perms") return isEmptyMount(path);
	if (word === "--ro-bind" && from !== path) return isSameFile(from ?? "", path);
	if (!word.endsWith("-try") || from !== path || done.some((other) => other.path === path)) return false;
	const around = above.reduce((deepest, one) => (one.path.length > deepest.path.length ? one : deepest), ROOT_STEP);
	if (around.from !== around.path) return false; // a mount takes those below it along, as they are, when it is bound to its own place
	return word === "--ro-bind-try"
		? mountAt(path) === "read-only"
		: around.word.startsWith("--bind") && mountAt(path) !== undefined;
}

const ROOT_STEP: Step = { word: "--ro-bind", from: "/", path: "/" };

/** proc_pid_mountinfo(5): the fourth field is what of a file system is mounted, the fifth where, the sixth how, and its kind follows ` - `. */
function lookHere(): SeenMounts {
	const kinds = new Map<string | undefined, string>();
	const isReadOnly = new Map<string | undefined, boolean>();
	for (const line of readFileSync("/proc/self/mountinfo", "utf8").split("\n")) {
		const fields = line.split(" ");
		kinds.set(fields[4], `${fields[3]} ${fields[fields.indexOf("-") + 1]}`); // of two at one path the later one is seen
		isReadOnly.set(fields[4], fields[5]?.split(",").includes("ro") === true);
	}
	return {
		isEmptyMount: (path) => kinds.get(path) === "/ tmpfs" && readdirSync(path).length === 0,
		isSameFile: (one, other) => {
			const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
			return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
		},
		mountAt: (path) => (kinds.has(path) ? (isReadOnly.get(path) ? "read-only" : "writable") : undefined),
	};
}
