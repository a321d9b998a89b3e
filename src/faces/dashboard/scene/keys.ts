/** The keys of the dashboard, but for those that open a pane: each of those is with its pane. */
import { defined } from "../../../core/defined.ts";

export type Action =
	| "up"
	| "down"
	| "first"
	| "last"
	| "fold"
	| "fold_in"
	| "fold_out"
	| "fold_all"
	| "unfold_all"
	| "fold_ended"
	| "filter"
	| "alive_only"
	| "sort"
	| "sort_anew"
	| "problem_next"
	| "problem_previous"
	| "follow"
	| "switch_side"
	| "to_left"
	| "to_right"
	| "page_up"
	| "page_down"
	| "half_up"
	| "half_down"
	| "go_in"
	| "go_back"
	| "next_link"
	| "previous_link"
	| "read_whole"
	| "read_transcript"
	| "copy_answer"
	| "find_next"
	| "find_previous"
	| "zoom_in"
	| "zoom_out"
	| "whole_time"
	| "earlier"
	| "later"
	| "choose"
	| "of_branch"
	| "of_notable"
	| "find_here"
	| "open"
	| "zoom"
	| "redraw"
	| "mouse"
	| "leave"
	| "interrupt"
	| "cancel"
	| "pause"
	| "freeze"
	| "stop_agent"
	| "kill_agent"
	| "stop_run"
	| "leave_running";

export interface KeyBinding {
	readonly action: Action;
	/** As `nameOf` of tui/keys names them: `G`, `ctrl-u`, `pageup`, `space`. */
	readonly names: readonly string[];
	/** The pane that acts; without it the side that has the keys. */
	readonly pane?: string;
	/** The key counts only while this side has the keys; without it always. */
	readonly side?: string;
	/** The pane that it opens. */
	readonly opens?: string;
}

/** A key that the help and the hints in the bar are made from. */
export interface ListedKey extends KeyBinding {
	/** The key's name for people. */
	readonly label: string;
	readonly help: string;
	/** A word for the bar; without it the key is in the help only. */
	readonly hint?: Hint;
	/** What stands for the key in the bar, where it is not the first word of the label. */
	readonly hintLabel?: string;
}

/** The words of the bar, in the order in which they stand there: the last two always fit. */
export const HINTS = [
	...[
		"move",
		"fold",
		"read",
		"go in",
		"back",
		"zoom",
		"find",
		"filter",
		"sort",
		"problem",
		"output",
		"answer",
		"stop",
		"time",
	],
	...["follow", "pane", "usage", "more", "quit"],
] as const;
export type Hint = (typeof HINTS)[number];

/** Listed before the keys that open a pane. */
export const MOVES: readonly ListedKey[] = [
	{
		...{ action: "up", names: ["up", "k"], hint: "move", hintLabel: "↑↓" },
		...{ label: "↑ k", help: "previous agent, or scroll up in the transcript" },
	},
	{ action: "down", names: ["down", "j"], label: "↓ j", help: "next agent, or scroll down in the transcript" },
	{ action: "page_up", names: ["pageup", "ctrl-b"], label: "PgUp", help: "page up" },
	{ action: "page_down", names: ["pagedown", "ctrl-f"], label: "PgDn", help: "page down" },
	{ action: "half_up", names: ["ctrl-u"], label: "ctrl-u", help: "half a page up" },
	{ action: "half_down", names: ["ctrl-d"], label: "ctrl-d", help: "half a page down" },
	{ action: "first", names: ["home", "g"], label: "Home g", help: "first agent, or start of the transcript" },
	{ action: "last", names: ["end", "G"], label: "End G", help: "last agent, or end of the transcript and follow it" },
	{ action: "switch_side", names: ["tab"], label: "tab", help: "switch between tree and transcript", hint: "pane" },
	inTree("to_right", ["enter"], "enter", "open the agent's transcript", "read"),
	{ ...inTree("fold_in", ["left", "h"], "← h", "fold, or go to the parent", "fold"), hintLabel: "←→" },
	inTree("fold_out", ["right", "l"], "→ l", "unfold, or go to the first child"),
	inTree("fold", ["space"], "space", "fold or unfold"),
	inTree("fold_all", ["-"], "-", "fold all"),
	inTree("unfold_all", ["*"], "*", "unfold all"),
	{
		...{ action: "fold_ended", names: ["A"], pane: "tree" },
		...{ label: "A", help: "fold finished branches automatically: on, off" },
	},
	{
		action: "to_left",
		names: ["left", "h"],
		side: "transcript",
		label: "← h",
		help: "from the transcript to the tree",
	},
	inTranscript("go_in", ["enter"], "enter", "go to the agent of the selected link → 1.2", "go in"),
	inTranscript("go_back", ["backspace", "ctrl-h"], "backspace", "go back, else to the parent agent", "back"),
	inTranscript("next_link", ["]"], "]", "select the next link to an agent"),
	inTranscript("previous_link", ["["], "[", "select the previous link"),
	inTranscript("read_whole", ["o"], "o", "open the command's output, or the transcript, in $PAGER", "output"),
	inTranscript("read_transcript", ["O"], "O", "open the whole transcript in $PAGER"),
	{ action: "copy_answer", names: ["y"], pane: "transcript", label: "y", help: "copy the agent's answer" },
	{
		...{ action: "problem_next", names: ["!"], pane: "tree", hint: "problem" },
		...{ label: "!", help: "next agent that failed, is stuck, or is retrying" },
	},
	{ action: "problem_previous", names: ["~"], pane: "tree", label: "~", help: "the previous one" },
	{ action: "find_next", names: ["n"], label: "n", help: "next match" },
	{ action: "find_previous", names: ["N"], label: "N", help: "previous match" },
	{
		...{ action: "filter", names: ["F"], pane: "tree", hint: "filter" },
		...{ label: "F", help: "filter: words, failed, alive, stuck …" },
	},
	{ action: "alive_only", names: ["a"], pane: "tree", label: "a", help: "show only live agents" },
	inTree("sort", ["o"], "o", "sort by quiet, age, cost, tokens, or as a tree", "sort"),
	inTree("sort_anew", ["O"], "O", "re-sort; rows stay in place until then"),
	{
		...{ action: "follow", names: ["f"], pane: "tree" },
		...{ label: "f", help: "follow the active agent", hint: "follow" },
	},
];

/** Listed before the keys that open a pane. */
export const ACTS: readonly ListedKey[] = [
	{ action: "pause", names: ["p"], label: "p", help: "pause or continue it and all below it" },
];

/** Listed after the keys that open a pane. */
export const LEAVES: readonly ListedKey[] = [
	{ action: "zoom", names: ["z"], label: "z", help: "show the focused pane full screen", hint: "zoom" },
	{ action: "mouse", names: ["M"], label: "M", help: "mouse on, off; while on, shift selects text" },
	{ action: "redraw", names: ["ctrl-l"], label: "ctrl-l", help: "redraw the screen" },
	{ action: "leave_running", names: ["d"], label: "d", help: "close the dashboard and leave the run running" },
	{ action: "leave", names: ["q"], label: "q", help: "quit; asks if the run is still running", hint: "quit" },
	{ action: "interrupt", names: ["ctrl-c"], label: "ctrl-c", help: "quit; again: stop the run" },
];

/** The key is in no list of keys, since each box says in its title that it closes the box. */
export const CANCEL: KeyBinding = { action: "cancel", names: ["escape"] };

export function keyNamed(keys: readonly KeyBinding[], name: string, side?: string): KeyBinding | undefined {
	return keys.find((key) => key.names.includes(name) && (key.side === undefined || key.side === side));
}

/** The other side may use the same key for something else; so for the next one. */
function inTree(action: Action, names: readonly string[], label: string, help: string, hint?: Hint): ListedKey {
	return { action, names, side: "tree", label, help, ...defined({ hint }) };
}

function inTranscript(action: Action, names: readonly string[], label: string, help: string, hint?: Hint): ListedKey {
	return { action, names, side: "transcript", label, help, ...defined({ hint }) };
}

/** How far the keys go that move through lines or rows. Pure. */

interface Pages {
	readonly page: number;
	readonly half: number;
}

/** Undefined for an action that moves nothing. `first` and `last` go further than there is anything. */
export function distanceOf(action: Action, { page, half }: Pages): number | undefined {
	switch (action) {
		case "up":
			return -1;
		case "down":
			return 1;
		case "page_up":
			return -page;
		case "page_down":
			return page;
		case "half_up":
			return -half;
		case "half_down":
			return half;
		case "first":
			return Number.NEGATIVE_INFINITY;
		case "last":
			return Number.POSITIVE_INFINITY;
		default:
			return undefined;
	}
}

/** One row of the page before stays in sight. */
export function pagesOf(rows: number): Pages {
	return { page: Math.max(1, rows - 1), half: Math.max(1, Math.floor(rows / 2)) };
}
