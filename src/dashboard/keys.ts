/** Every key of the dashboard. The help screen and the hints in the footer are made from this table. */

export type Action =
	| "up"
	| "down"
	| "first"
	| "last"
	| "fold"
	| "page_up"
	| "page_down"
	| "half_up"
	| "half_down"
	| "top"
	| "end"
	| "follow"
	| "switch_pane"
	| "to_tree"
	| "to_history"
	| "usage"
	| "help"
	| "leave"
	| "interrupt"
	| "cancel"
	| "stop_run"
	| "leave_running";

export interface Key {
	readonly action: Action;
	/** Names as the terminal library gives them: `S-g` is a capital G, `C-u` is Ctrl-U. */
	readonly names: readonly string[];
	/** As a person reads it. */
	readonly label: string;
	readonly help: string;
	/** A word for the footer; without it the key is in the help only. */
	readonly hint?: string;
}

export const KEYS: readonly Key[] = [
	{ action: "up", names: ["up", "k"], label: "↑ k", help: "agent above, or scroll up in the history" },
	{
		action: "down",
		names: ["down", "j"],
		label: "↓ j",
		help: "agent below, or scroll down in the history",
	},
	{ action: "first", names: ["g"], label: "g", help: "first agent, or start of the history" },
	{ action: "last", names: ["S-g"], label: "G", help: "last agent, or end of the history" },
	{ action: "fold", names: ["enter", "space"], label: "enter space", help: "fold or unfold", hint: "fold" },
	{ action: "follow", names: ["f"], label: "f", help: "follow the agent that works", hint: "follow" },
	{ action: "switch_pane", names: ["tab"], label: "tab", help: "switch between tree and history", hint: "pane" },
	{ action: "to_tree", names: ["left", "h"], label: "← h", help: "to the tree" },
	{ action: "to_history", names: ["right", "l"], label: "→ l", help: "to the history" },
	{ action: "page_up", names: ["pageup", "C-b"], label: "PgUp", help: "scroll the history up a page" },
	{ action: "page_down", names: ["pagedown", "C-f"], label: "PgDn", help: "scroll the history down a page" },
	{ action: "half_up", names: ["C-u"], label: "ctrl-u", help: "scroll the history up half a page" },
	{ action: "half_down", names: ["C-d"], label: "ctrl-d", help: "scroll the history down half a page" },
	{ action: "top", names: ["home"], label: "Home", help: "start of the history" },
	{ action: "end", names: ["end"], label: "End", help: "end of the history, and stay there" },
	{
		action: "usage",
		names: ["u"],
		label: "u",
		help: "tokens and dollars spent, and budgets",
		hint: "usage",
	},
	{ action: "help", names: ["?"], label: "?", help: "this help", hint: "help" },
	{ action: "leave", names: ["q"], label: "q", help: "leave; asks while the run is alive", hint: "quit" },
	{ action: "interrupt", names: ["C-c"], label: "ctrl-c", help: "as q; once more: stop the run" },
];

/** Keys that mean something else while the question is asked. */
const ANSWERS: readonly { action: Action; names: readonly string[] }[] = [
	{ action: "stop_run", names: ["s", "C-c"] },
	{ action: "leave_running", names: ["l"] },
	{ action: "cancel", names: ["escape", "q"] },
];

export function actionOf(key: string): Action | undefined {
	return key === "escape" ? "cancel" : KEYS.find(({ names }) => names.includes(key))?.action;
}

export function answerOf(key: string): Action | undefined {
	return ANSWERS.find(({ names }) => names.includes(key))?.action;
}
