/** What the person in front of the screen chose. */
import { type AgentId, ROOT } from "../../core/agent.ts";

export interface UiState {
	readonly selected: AgentId;
	readonly folded: ReadonlySet<AgentId>;
	/** The name of the side that has the keys: those that name no pane go there. */
	readonly side: string;
	readonly scroll: Scroll;
	/** `since`: when the selection moved to the agent that is selected now. */
	readonly follow: { readonly is: "off" } | { readonly is: "on"; readonly since: number };
	/** The pane that was opened as a box or in the bar; `top` is its first visible line. */
	readonly open: { readonly is: "none" } | { readonly is: "pane"; readonly name: string; readonly top: number };
}

/** `end`: the history is shown from its end, and stays there as it grows. `at`: the line at the top of the pane. */
export type Scroll = { readonly is: "end" } | { readonly is: "at"; readonly block: number; readonly line: number };

export const END: Scroll = { is: "end" };
export const TOP: Scroll = { is: "at", block: 0, line: 0 };

export const FIRST_UI: UiState = {
	selected: ROOT,
	folded: new Set(),
	side: "tree",
	scroll: END,
	follow: { is: "off" },
	open: { is: "none" },
};

/** Another agent is selected: its history is shown from its end. */
export function select(ui: UiState, agent: AgentId): UiState {
	return agent === ui.selected ? ui : { ...ui, selected: agent, scroll: END };
}

export function opened(ui: UiState, name: string, top = 0): UiState {
	return { ...ui, open: { is: "pane", name, top } };
}

export function isOpen({ open }: UiState, name: string): boolean {
	return open.is === "pane" && open.name === name;
}

export function closed(ui: UiState): UiState {
	return { ...ui, open: { is: "none" } };
}
