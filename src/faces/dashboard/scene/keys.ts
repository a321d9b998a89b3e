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
	| "read_history"
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
		...{ label: "↑ k", help: "agent above, or scroll up in the history" },
	},
	{ action: "down", names: ["down", "j"], label: "↓ j", help: "agent below, or scroll down in the history" },
	{ action: "page_up", names: ["pageup", "ctrl-b"], label: "PgUp", help: "up a page" },
	{ action: "page_down", names: ["pagedown", "ctrl-f"], label: "PgDn", help: "down a page" },
	{ action: "half_up", names: ["ctrl-u"], label: "ctrl-u", help: "up half a page" },
	{ action: "half_down", names: ["ctrl-d"], label: "ctrl-d", help: "down half a page" },
	{ action: "first", names: ["home", "g"], label: "Home g", help: "first agent, or start of the history" },
	{ action: "last", names: ["end", "G"], label: "End G", help: "last agent, or end of the history, and stay there" },
	{ action: "switch_side", names: ["tab"], label: "tab", help: "switch between tree and history", hint: "pane" },
	inTree("to_right", ["enter"], "enter", "read the history of the agent", "read"),
	{ ...inTree("fold_in", ["left", "h"], "← h", "fold, or go to the agent above", "fold"), hintLabel: "←→" },
	inTree("fold_out", ["right", "l"], "→ l", "unfold, or go to the first agent below"),
	inTree("fold", ["space"], "space", "fold or unfold"),
	inTree("fold_all", ["-"], "-", "fold all"),
	inTree("unfold_all", ["*"], "*", "unfold all"),
	{
		...{ action: "fold_ended", names: ["A"], pane: "tree" },
		...{ label: "A", help: "finished branches fold by themselves: on, off" },
	},
	{ action: "to_left", names: ["left", "h"], side: "history", label: "← h", help: "from the history to the tree" },
	inHistory("go_in", ["enter"], "enter", "go to the agent of the marked row → 1.2", "go in"),
	inHistory(
		"go_back",
		["backspace", "ctrl-h"],
		"backspace",
		"go back to where you came from; else to the agent above",
		"back",
	),
	inHistory("next_link", ["]"], "]", "mark the next row that leads to an agent"),
	inHistory("previous_link", ["["], "[", "mark the one before"),
	inHistory("read_whole", ["o"], "o", "open the whole output of the command, or the history, in $PAGER", "output"),
	inHistory("read_history", ["O"], "O", "open the whole history in $PAGER"),
	{ action: "copy_answer", names: ["y"], pane: "history", label: "y", help: "copy the agent's answer" },
	{
		...{ action: "problem_next", names: ["!"], pane: "tree", hint: "problem" },
		...{ label: "!", help: "next agent that failed, is stuck or retries" },
	},
	{ action: "problem_previous", names: ["~"], pane: "tree", label: "~", help: "the one before" },
	{ action: "find_next", names: ["n"], label: "n", help: "next match of what was looked for" },
	{ action: "find_previous", names: ["N"], label: "N", help: "match before" },
	{
		...{ action: "filter", names: ["F"], pane: "tree", hint: "filter" },
		...{ label: "F", help: "only what matches: words, failed, alive, stuck …" },
	},
	{ action: "alive_only", names: ["a"], pane: "tree", label: "a", help: "only agents that are alive" },
	inTree("sort", ["o"], "o", "sort by quiet, age, dollars, tokens; or the tree", "sort"),
	inTree("sort_anew", ["O"], "O", "sort the list anew; until then no row moves"),
	{
		...{ action: "follow", names: ["f"], pane: "tree" },
		...{ label: "f", help: "follow the agent that works", hint: "follow" },
	},
];

/** Listed before the keys that open a pane. */
export const ACTS: readonly ListedKey[] = [
	{ action: "pause", names: ["p"], label: "p", help: "pause it and all below it, or let it go on" },
];

/** Listed after the keys that open a pane. */
export const LEAVES: readonly ListedKey[] = [
	{ action: "zoom", names: ["z"], label: "z", help: "give the pane that has the keys the whole screen", hint: "zoom" },
	{ action: "mouse", names: ["M"], label: "M", help: "mouse on and off; while it is on, shift selects text" },
	{ action: "redraw", names: ["ctrl-l"], label: "ctrl-l", help: "draw everything anew" },
	{ action: "leave_running", names: ["d"], label: "d", help: "close the dashboard, and leave the run running" },
	{ action: "leave", names: ["q"], label: "q", help: "leave; asks while the run is alive", hint: "quit" },
	{ action: "interrupt", names: ["ctrl-c"], label: "ctrl-c", help: "as q; once more: stop the run" },
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

function inHistory(action: Action, names: readonly string[], label: string, help: string, hint?: Hint): ListedKey {
	return { action, names, side: "history", label, help, ...defined({ hint }) };
}
