/**
 * A sandbox in another one, whose mounts are all in it from the start: what is hidden already need not be hidden once more. Each mount costs
 * bwrap a look at all others. That it is hidden is seen, not told: whoever starts an agent may be in no sandbox.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { isAtOrBelow } from "../../core/at-or-below.ts";

export interface SeenMounts {
	/** An empty file system of its own lies there. */
	readonly isEmptyMount: (path: string) => boolean;
	readonly isSameFile: (one: string, other: string) => boolean;
}

/** The arguments of bwrap without those that hide what is hidden; all of them where that cannot be seen. */
export function withoutHidden(args: readonly string[], look: () => SeenMounts = lookHere): readonly string[] {
	try {
		return without(args, look());
	} catch {
		return args; // a place that may not be looked at
	}
}

function without(args: readonly string[], { isEmptyMount, isSameFile }: SeenMounts): string[] {
	const kept: string[] = [];
	const covers: string[] = [];
	for (let at = 0; at < args.length; ) {
		const isDirectory = args[at] === "--perms"; // with its mode, --tmpfs and the path
		const size = isDirectory ? 4 : args[at] === "--ro-bind" ? 3 : 1;
		const part = args.slice(at, at + size);
		const path = part.at(-1) ?? "";
		const isHidden = isDirectory
			? isEmptyMount(path)
			: size === 3 && part[1] !== path && isSameFile(part[1] ?? "", path);
		at += size;
		if (isHidden && !covers.some((cover) => isAtOrBelow(path, cover))) continue;
		if (isDirectory) covers.push(path); // nothing is to be seen there of what lay in it
		kept.push(...part);
	}
	return kept;
}

/** proc_pid_mountinfo(5): the fourth field is what of a file system is mounted, the fifth where, and its kind follows ` - `. */
function lookHere(): SeenMounts {
	const kinds = new Map<string | undefined, string>();
	for (const line of readFileSync("/proc/self/mountinfo", "utf8").split("\n")) {
		const fields = line.split(" ");
		kinds.set(fields[4], `${fields[3]} ${fields[fields.indexOf("-") + 1]}`); // of two at one path the later one is seen
	}
	return {
		isEmptyMount: (path) => kinds.get(path) === "/ tmpfs" && readdirSync(path).length === 0,
		isSameFile: (one, other) => {
			const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
			return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
		},
	};
}
