/** Events about files, and the git worktrees of a run's agents as these events tell of them. Pure. */
import { type AgentId, parentOf } from "../model/agent.ts";
import type { KnownWorktree, OwnWorktree } from "../schemas/own-worktree.ts";
import type { RunEvent } from "../schemas/run-event.ts";
import type { RunState } from "../schemas/run-state.ts";

/** Events about files: saved states of what agents work on, worktrees of agents, what sandboxes protect or hide. */
export type FilesEvent = Extract<RunEvent, { event: `${"tree" | "worktree" | "place"}_${string}` }>;

export function isFilesEvent(event: RunEvent): event is FilesEvent {
	return /^(tree|worktree|place)_/.test(event.event);
}

export function afterFilesEvent(state: RunState, event: FilesEvent): RunState {
	if (event.event === "place_replaced") return state;
	const { agent } = event;
	const before = state.worktrees?.[agent];
	const after = afterEvent(before, event);
	return after === before || after === undefined
		? state
		: { ...state, worktrees: { ...state.worktrees, [agent]: after } };
}

function afterEvent(
	before: KnownWorktree | undefined,
	event: Exclude<FilesEvent, { event: "place_replaced" }>,
): KnownWorktree | undefined {
	switch (event.event) {
		case "tree_kept":
		case "tree_not_kept":
			return before;
		case "worktree_begun": {
			const { event: _, at: __, agent: ___, ...own } = event;
			return { ...own, state: { is: "used" } };
		}
		case "worktree_kept": {
			const { event: _, at: __, agent: ___, ...kept } = event;
			return before && { ...before, state: { is: "kept", ...kept } };
		}
		case "worktree_removed":
			return before && { ...before, state: { is: "removed" } };
	}
}

/** In which the agent works now. */
export function worktreeOf({ worktrees }: RunState, agent: AgentId): OwnWorktree | undefined {
	const known = worktrees?.[agent];
	if (known?.state.is !== "used") return undefined;
	const { state: _, ...own } = known;
	return own;
}

/** The directory of a run's worktrees. `home`: the state directory, without links. */
export function worktreesOfRun(run: string, home: string): string {
	return `${home}/worktrees/${run}`;
}

/**
 * The directory for the worktrees of what an agent starts: the agent may write there, in a sandbox, too, and no sibling of its may. Of
 * agents without a worktree it is that of what is above them; no agent is above the root.
 */
export function worktreesBelow(state: RunState, agent: AgentId | undefined, home: string): string {
	for (let at = agent; at !== undefined; at = parentOf(at)) {
		const own = worktreeOf(state, at);
		if (own !== undefined) return `${own.path}${BELOW}`;
	}
	return worktreesOfRun(state.run, home);
}

/** Ends no name of a worktree. */
export const BELOW = "+";

/** Those that may still be there, in the order in which they were made. */
export function worktreesLeft({
	worktrees = {},
}: Pick<RunState, "worktrees">): (readonly [agent: AgentId, KnownWorktree])[] {
	return Object.entries(worktrees).filter(([, { state }]) => state.is !== "removed");
}
