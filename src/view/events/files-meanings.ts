/** What happens to the files that agents work on: states that are kept, git worktrees, places that a sandbox guards. */
import type { FilesEvent } from "../../core/run/files-event.ts";
import { describeLeft } from "../words/worktrees.ts";
import type { Meaning, Meanings } from "./meaning.ts";

export const FILES_MEANINGS: Meanings<FilesEvent["event"]> = {
	tree_kept: ({ top, id, notice }) => ({
		text: `saved the files of ${top} as state ${id}${notice === undefined ? "" : `, without ${notice}`}`,
		...(notice !== undefined && { news: "conversation", brief: `not restored by undo: ${notice}` }),
	}),
	tree_not_kept: ({ reason }) => ({
		text: `could not save its files, so undo will not work: ${reason}`,
		...{ tone: "warn", news: "run", isInHistory: true },
		brief: `undo is not available from here on: ${reason}`,
	}),
	worktree_begun: ({ path, branch }) => ({
		text: `works in a git worktree: ${path}, on branch ${branch}`,
		isInHistory: true,
	}),
	worktree_kept: (event) => ({
		text: `left its git worktree, with ${describeLeft(event)}`,
		...{ news: "person", isInHistory: true },
	}),
	worktree_removed: () => ({
		text: "removed its git worktree, which had no changes",
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
	const ended = hasEnded ? "; the commands running then were stopped" : "";
	const replaced = "was replaced from outside the sandbox";
	switch (outcome) {
		case "covered":
			return `${path} ${replaced}: running commands could read it until it was hidden again`;
		case "open":
			return `${path} ${replaced}: running commands can ${isHidden ? "read" : "write to"} it until they end`;
		case "put_back":
			return `RESTORED: ${path} ${replaced} and then changed while commands could write to it; the original is back, and the changed version is ${kept}${ended}`;
		case "changed":
			return `CHECK ${path} before you use it: it ${replaced}, and commands could write to it${ended}`;
	}
}
