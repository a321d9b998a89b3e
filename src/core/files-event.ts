/** The events about the files that agents work on: states of them that are kept, and git worktrees of agents. Pure. */
import type { RunEvent } from "./run-event.ts";

export type FilesEvent = Extract<RunEvent, { event: `tree_${string}` | `worktree_${string}` }>;

export function isFilesEvent(event: RunEvent): event is FilesEvent {
	return event.event.startsWith("tree_") || event.event.startsWith("worktree_");
}
