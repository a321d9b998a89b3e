/** The keys of the dashboard, but for those that open a pane: each of those is with its pane. */

export type Action =
	| "up"
	| "down"
	| "first"
	| "last"
	| "fold"
	| "follow"
	| "switch_side"
	| "to_left"
	| "to_right"
	| "page_up"
	| "page_down"
	| "half_up"
	| "half_down"
	| "top"
	| "end"
	| "find_next"
	| "find_previous"
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

export interface Key {
	readonly action: Action;
	/** Names as the terminal library gives them: `S-g` is a capital G, `C-u` is Ctrl-U. */
	readonly names: readonly string[];
	/** The pane that acts; without it the side that has the keys. */
	readonly pane?: string;
	/** The key counts only while this side has the keys; without it always. */
	readonly side?: string;
	/** The pane that it opens. */
	readonly opens?: string;
}

/** A key that the help and the hints in the bar are made from. */
export interface ListedKey extends Key {
	/** The key's name for people. */
	readonly label: string;
	readonly help: string;
	/** A word for the bar; without it the key is in the help only. */
	readonly hint?: string;
}

/** Listed before the keys that open a pane. */
export const MOVES: readonly ListedKey[] = [
	{ action: "up", names: ["up", "k"], label: "↑ k", help: "agent above, or scroll up in the history" },
	{ action: "down", names: ["down", "j"], label: "↓ j", help: "agent below, or scroll down in the history" },
	{ action: "first", names: ["g"], label: "g", help: "first agent, or start of the history" },
	{ action: "last", names: ["S-g"], label: "G", help: "last agent, or end of the history" },
	{ action: "fold", names: ["enter", "space"], label: "enter space", help: "fold or unfold", hint: "fold" },
	{
		...{ action: "follow", names: ["f"], pane: "tree" },
		...{ label: "f", help: "follow the agent that works", hint: "follow" },
	},
	{ action: "switch_side", names: ["tab"], label: "tab", help: "switch between tree and history", hint: "pane" },
	{ action: "to_left", names: ["left", "h"], label: "← h", help: "to the tree" },
	{ action: "to_right", names: ["right", "l"], label: "→ l", help: "to the history" },
	scroll("page_up", ["pageup", "C-b"], "PgUp", "scroll the history up a page"),
	scroll("page_down", ["pagedown", "C-f"], "PgDn", "scroll the history down a page"),
	scroll("half_up", ["C-u"], "ctrl-u", "scroll the history up half a page"),
	scroll("half_down", ["C-d"], "ctrl-d", "scroll the history down half a page"),
	scroll("top", ["home"], "Home", "start of the history"),
	scroll("end", ["end"], "End", "end of the history, and stay there"),
	{ action: "find_next", names: ["n"], label: "n", help: "next match of what was looked for" },
	{ action: "find_previous", names: ["S-n"], label: "N", help: "match before" },
];

/** Listed before the keys that open a pane. */
export const ACTS: readonly ListedKey[] = [
	{ action: "pause", names: ["p"], label: "p", help: "pause it and all below it, or let it go on" },
];

/** Listed after the keys that open a pane. */
export const LEAVES: readonly ListedKey[] = [
	{ action: "zoom", names: ["z"], label: "z", help: "give the pane that has the keys the whole screen", hint: "zoom" },
	{ action: "mouse", names: ["S-m"], label: "M", help: "mouse on and off; while it is on, shift selects text" },
	{ action: "redraw", names: ["C-l"], label: "ctrl-l", help: "draw everything anew" },
	{ action: "leave_running", names: ["d"], label: "d", help: "close the dashboard, and leave the run running" },
	{ action: "leave", names: ["q"], label: "q", help: "leave; asks while the run is alive", hint: "quit" },
	{ action: "interrupt", names: ["C-c"], label: "ctrl-c", help: "as q; once more: stop the run" },
];

/** The key is in no list of keys, since each box says in its title that it closes the box. */
export const CANCEL: Key = { action: "cancel", names: ["escape"] };

export function keyNamed(keys: readonly Key[], name: string, side?: string): Key | undefined {
	return keys.find((key) => key.names.includes(name) && (key.side === undefined || key.side === side));
}

/** The history scrolls also while the keys are with the tree. */
function scroll(action: Action, names: readonly string[], label: string, help: string): ListedKey {
	return { action, names, pane: "history", label, help };
}
