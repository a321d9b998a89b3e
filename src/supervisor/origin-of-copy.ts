import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isAtOrBelow } from "../core/at-or-below.ts";
import type { OwnWorktree } from "../core/schemas/own-worktree.ts";

/**
 * Where a directory of a git worktree lies in the tree of which it is a copy: what files tell agents there, and whether they are trusted,
 * holds for its worktrees, too.
 */
export function originOfCopy(directory: string, worktrees: readonly OwnWorktree[]): string {
	let at = directory;
	for (let depth = 0; depth < worktrees.length; depth++) {
		const holder = worktrees.find(({ path }) => isAtOrBelow(at, path));
		if (holder === undefined) break;
		at = join(holder.origin, relative(holder.path, at));
	}
	while (at !== directory && !existsSync(at) && dirname(at) !== at) at = dirname(at);
	return at;
}
