/** The events about files: states of what agents work on, which are kept, git worktrees of agents, what sandboxes keep or hide. Pure. */
import type { RunEvent } from "./run-event.ts";

export type FilesEvent = Extract<RunEvent, { event: `${"tree" | "worktree" | "place"}_${string}` }>;

export function isFilesEvent(event: RunEvent): event is FilesEvent {
	return /^(tree|worktree|place)_/.test(event.event);
}
