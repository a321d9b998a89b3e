/** What happens to the files that an agent works on, as sentences. Pure. */
import type { FilesEvent } from "../core/run/files-event.ts";
import { describeLeft } from "./words/worktrees.ts";

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
		case "place_replaced":
			return describePlace(event);
	}
}

type PlaceEvent = Extract<FilesEvent, { event: "place_replaced" }>;

/** What was not as it should be is told wherever there are people. */
export function troubleOfFiles(event: FilesEvent): "bad" | "warn" | undefined {
	if (event.event === "place_replaced") return TONES[event.outcome];
	return event.event === "tree_not_kept" ? "warn" : undefined;
}

const TONES: Readonly<Record<PlaceEvent["outcome"], "bad" | "warn" | undefined>> = {
	...{ covered: undefined, open: "warn", put_back: "bad", changed: "bad" },
};

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
