/** What happens to the files that agents work on: states that are kept, git worktrees, places that a sandbox guards. */
import type { FilesEvent } from "../../core/run/files-event.ts";
import { describeLeft } from "../words/worktrees.ts";
import type { Meaning, Meanings } from "./meaning.ts";

export const FILES_MEANINGS: Meanings<FilesEvent["event"]> = {
	tree_kept: ({ top, id, notice }) => ({
		text: `keeps the files of ${top} as state ${id}${notice === undefined ? "" : `, without ${notice}`}`,
		...(notice !== undefined && { news: "conversation", brief: `not restored by undo: ${notice}` }),
	}),
	tree_not_kept: ({ reason }) => ({
		text: `keeps no state of its files, so that undo takes nothing back: ${reason}`,
		...{ tone: "warn", news: "run", isInHistory: true },
		brief: `nothing that follows can be undone: ${reason}`,
	}),
	worktree_begun: ({ path, branch }) => ({
		text: `works in a git worktree: ${path}, on branch ${branch}`,
		isInHistory: true,
	}),
	worktree_kept: (event) => ({
		text: `leaves its git worktree, with ${describeLeft(event)}`,
		...{ news: "person", isInHistory: true },
	}),
	worktree_removed: () => ({
		text: "leaves no git worktree: nothing was in it that would be lost",
		isInHistory: true,
	}),
	place_replaced: placeReplaced,
};

type PlaceEvent = Extract<FilesEvent, { event: "place_replaced" }>;

const TONES: Readonly<Record<PlaceEvent["outcome"], "bad" | "warn" | undefined>> = {
	...{ covered: undefined, open: "warn", put_back: "bad", changed: "bad" },
};

function placeReplaced(event: PlaceEvent): Meaning {
	const tone = TONES[event.outcome];
	return { text: describePlace(event), tone, news: tone && "person", isInHistory: true };
}

function describePlace({ path, outcome, isHidden, kept, hasEnded }: PlaceEvent): string {
	const ended = hasEnded ? "; the commands that ran then were ended" : "";
	const replaced = "was replaced outside of the sandbox";
	switch (outcome) {
		case "covered":
			return `${path} ${replaced}: commands that ran could read it until it was hidden again`;
		case "open":
			return `${path} ${replaced}: commands that run can ${isHidden ? "read" : "write to"} it until they end`;
		case "put_back":
			return `PUT BACK: ${path} ${replaced} and changed while commands could write to it, nobody can tell by whom; it is as before, and what lay there is ${kept}${ended}`;
		case "changed":
			return `LOOK AT ${path} before you use it: it ${replaced}, and commands could write to it${ended}`;
	}
}
