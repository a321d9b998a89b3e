/** Takes the user's own places that have gone since the run began out of the arguments of bwrap. */

/**
 * A file or a socket that is hidden may be gone by now, as when the program that listens there has ended: bwrap has nothing to mount
 * on then, and would start no command. `isThere`: whether there is something at a path.
 */
export function mountsThere(args: readonly string[], isThere: (path: string) => boolean): string[] {
	const kept: string[] = [];
	for (let at = 0; at < args.length; ) {
		const count = countAt(args, at);
		const words = args.slice(at, at + count);
		at += count;
		const path = count === 1 ? undefined : words.at(-1);
		if (path === undefined || isThere(path)) kept.push(...words);
	}
	return kept;
}

/** How many words a mount that hides something has, or one word of anything else. bubblewrap-args.ts writes them. */
function countAt(args: readonly string[], at: number): number {
	const [word, next, third, path] = args.slice(at, at + 4);
	if (word === "--perms" && third === "--tmpfs" && path !== undefined) return 4;
	return word === "--ro-bind" && third !== undefined && next !== third ? 3 : 1;
}
