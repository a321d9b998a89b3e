/** What happens to the files that an agent works on, as sentences. Pure. */
import type { FilesEvent } from "../core/files-event.ts";
import { describeLeft } from "../text/worktrees.ts";

export function describeFiles(event: FilesEvent): string {
	switch (event.event) {
		case "tree_kept":
			return `keeps the files of ${event.top} as state ${event.id}${event.notice === undefined ? "" : `, without ${event.notice}`}`;
		case "tree_not_kept":
			return `keeps no state of its files, so that undo takes nothing back: ${event.reason}`;
		case "worktree_begun":
			return `works in a git worktree: ${event.path}, on branch ${event.branch}`;
		case "worktree_kept":
			return `leaves its git worktree, with ${describeLeft(event)}`;
		case "worktree_removed":
			return "leaves no git worktree: nothing was in it that would be lost";
	}
}
