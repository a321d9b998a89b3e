/** What the person in front of the screen chose. */
import { type AgentId, ROOT } from "../../core/agent.ts";
import type { Tone } from "./line.ts";
import { EMPTY_ENTRY, type TextEntry, textOf } from "./text-entry.ts";

export interface UiState {
	readonly selected: AgentId;
	readonly folded: ReadonlySet<AgentId>;
	/** The name of the side that has the keys: those that name no pane go there. */
	readonly side: string;
	/** The side that has the keys takes the whole body. */
	readonly isZoomed: boolean;
	readonly scroll: Scroll;
	/** `since`: when the selection moved to the agent that is selected now. */
	readonly follow: { readonly is: "off" } | { readonly is: "on"; readonly since: number };
	/** The pane that was opened as a box or in the bar; `top` is its first visible line, `entry` the text typed into it. */
	readonly open:
		| { readonly is: "none" }
		| { readonly is: "pane"; readonly name: string; readonly top: number; readonly entry: TextEntry };
	/** Said in the bar until the next key, or until `until`. */
	readonly notice?: Notice;
	/** What the keys n and N look for, in whichever pane has the keys; absent: nothing. */
	readonly find?: Find;
	/** The terminal reports the mouse to the dashboard, and selects no text itself. */
	readonly isMouseOn: boolean;
}

export interface Find {
	/** Never empty; a find is not particular about capital letters. */
	readonly text: string;
}

export interface Notice {
	readonly text: string;
	readonly tone: Tone;
	/** Milliseconds since the epoch. */
	readonly until: number;
}

/** `end`: the history is shown from its end, and stays there as it grows. `at`: the line at the top of the pane. */
export type Scroll = { readonly is: "end" } | { readonly is: "at"; readonly block: number; readonly line: number };

export const END: Scroll = { is: "end" };
export const TOP: Scroll = { is: "at", block: 0, line: 0 };

export const FIRST_UI: UiState = {
	selected: ROOT,
	folded: new Set(),
	side: "tree",
	isZoomed: false,
	scroll: END,
	follow: { is: "off" },
	open: { is: "none" },
	isMouseOn: false,
};

/** Another agent is selected: its history is shown from its end. */
export function select(ui: UiState, agent: AgentId): UiState {
	return agent === ui.selected ? ui : { ...ui, selected: agent, scroll: END };
}

export function opened(ui: UiState, name: string, top = 0): UiState {
	return { ...ui, open: { is: "pane", name, top, entry: EMPTY_ENTRY } };
}

/** The text that is typed into the open pane. */
export function entryOf({ open }: UiState): TextEntry {
	return open.is === "none" ? EMPTY_ENTRY : open.entry;
}

/** The name of the pane into which the text of a find is typed. */
export const FIND = "find";

/** What is marked where it stands: the text that is being typed for a find, else that of the last find; "" for nothing. */
export function soughtText(ui: UiState): string {
	const typed = isOpen(ui, FIND) ? textOf(entryOf(ui)) : "";
	return typed === "" ? (ui.find?.text ?? "") : typed;
}

/** The open pane has another text typed into it. */
export function withEntry(ui: UiState, entry: TextEntry): UiState {
	return ui.open.is === "none" ? ui : { ...ui, open: { ...ui.open, entry } };
}

export function isOpen({ open }: UiState, name: string): boolean {
	return open.is === "pane" && open.name === name;
}

export function closed(ui: UiState): UiState {
	return { ...ui, open: { is: "none" } };
}
