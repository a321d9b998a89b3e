import { existsSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";

/** Whether the directory is that of which the agent's directory in its worktree is a copy. */
export function isWorktreeOf({ path, cwd, origin }: OwnWorktree, directory: string): boolean {
	return existsSync(directory) && realpathSync(directory) === join(origin, relative(path, cwd));
}
