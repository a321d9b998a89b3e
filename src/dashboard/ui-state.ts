/** What the person in front of the screen chose: pure, a key or an event gives the next state and perhaps a wish. */
import { type AgentId, isOver, ROOT } from "../core/agent.ts";
import type { RunState } from "../core/run-state.ts";
import { type Action, actionOf, answerOf, KEYS } from "./keys.ts";
import { END, type HistoryPane, type Scroll, scrollBy, TOP } from "./panes/history-pane.ts";
import { type TreeRow, visibleRowOf } from "./panes/tree.ts";

export interface UiState {
	readonly selected: AgentId;
	readonly folded: ReadonlySet<AgentId>;
	readonly pane: "tree" | "history";
	readonly scroll: Scroll;
	/** `since`: when it moved to the agent that is selected now. */
	readonly follow: { readonly is: "off" } | { readonly is: "on"; readonly since: number };
	readonly overlay:
		| { readonly is: "none" }
		| { readonly is: "question" }
		| { readonly is: "usage" }
		| { readonly is: "help"; readonly top: number };
}

export const FIRST_UI: UiState = {
	selected: ROOT,
	folded: new Set(),
	pane: "tree",
	scroll: END,
	follow: { is: "off" },
	overlay: { is: "none" },
};

/** What is on the screen while the key is pressed. */
export interface Scene {
	readonly rows: readonly TreeRow[];
	readonly history: HistoryPane;
	/** The run has ended, or nobody is there any more who could stop it. */
	readonly isOver: boolean;
}

export type Wish = "close" | "stop_run" | "leave_running";

export interface Next {
	readonly ui: UiState;
	readonly wish?: Wish;
}

/** With many agents at work the eye needs time: it stays with one for that long, unless it ends. */
const FOLLOW_HOLD_MS = 1_500;

/** The others go on meaning what they do: one looks at one agent after the other. */
const CLOSES_USAGE: ReadonlySet<Action> = new Set(["usage", "leave", "cancel"]);

export function pressKey(ui: UiState, key: string, scene: Scene): Next {
	if (ui.overlay.is === "question") return answer(ui, answerOf(key));
	const action = actionOf(key);
	if (action === undefined) return { ui };
	if (ui.overlay.is === "help" && action !== "leave" && action !== "interrupt")
		return { ui: { ...ui, overlay: moveHelp(ui.overlay.top, action) } };
	if (ui.overlay.is === "usage" && CLOSES_USAGE.has(action)) return { ui: { ...ui, overlay: { is: "none" } } };
	if (action === "leave" || action === "interrupt") {
		if (ui.overlay.is === "help" && action === "leave") return { ui: { ...ui, overlay: { is: "none" } } };
		return scene.isOver ? { ui, wish: "close" } : { ui: { ...ui, overlay: { is: "question" } } };
	}
	return { ui: act(ui, action, scene) };
}

/** The agent did something: if the person follows, the selection goes there. */
export function agentWorked(ui: UiState, agent: AgentId, run: RunState, at: number): UiState {
	if (ui.follow.is === "off" || ui.selected === agent) return ui;
	const current = run.agents[ui.selected];
	const isHeld = current !== undefined && !isOver(current) && current.state.is !== "waiting";
	if (isHeld && at - ui.follow.since < FOLLOW_HOLD_MS) return ui;
	return { ...select(ui, agent), follow: { is: "on", since: at } };
}

/** The run is over: a question about stopping it has no meaning any more. */
export function runIsOver(ui: UiState): UiState {
	return ui.overlay.is === "question" ? { ...ui, overlay: { is: "none" } } : ui;
}

function answer(ui: UiState, action: Action | undefined): Next {
	if (action === undefined) return { ui };
	const closed: UiState = { ...ui, overlay: { is: "none" } };
	return action === "stop_run" || action === "leave_running" ? { ui: closed, wish: action } : { ui: closed };
}

function moveHelp(top: number, action: Action): UiState["overlay"] {
	if (action === "up") return { is: "help", top: Math.max(0, top - 1) };
	return action === "down" ? { is: "help", top: Math.min(top + 1, KEYS.length) } : { is: "none" };
}

function act(ui: UiState, action: Action, scene: Scene): UiState {
	const page = Math.max(1, scene.history.height - 1);
	const half = Math.max(1, Math.floor(scene.history.height / 2));
	switch (action) {
		case "up":
			return step(ui, -1, scene);
		case "down":
			return step(ui, 1, scene);
		case "first":
			return ui.pane === "history" ? scrolled(ui, TOP, scene) : selectRow(ui, 0, scene);
		case "last":
			return ui.pane === "history" ? { ...ui, scroll: END } : selectRow(ui, scene.rows.length - 1, scene);
		case "page_up":
			return scroll(ui, -page, scene);
		case "page_down":
			return scroll(ui, page, scene);
		case "half_up":
			return scroll(ui, -half, scene);
		case "half_down":
			return scroll(ui, half, scene);
		case "top":
			return scrolled(ui, TOP, scene);
		case "end":
			return { ...ui, scroll: END };
		case "fold":
			return ui.pane === "tree" ? fold(ui, scene) : ui;
		case "follow":
			return ui.follow.is === "on"
				? { ...ui, follow: { is: "off" } }
				: { ...select(ui, latestAtWork(scene.rows) ?? ui.selected), follow: { is: "on", since: 0 }, scroll: END };
		case "switch_pane":
			return { ...ui, pane: ui.pane === "tree" ? "history" : "tree" };
		case "to_tree":
		case "cancel":
			return { ...ui, pane: "tree" };
		case "to_history":
			return { ...ui, pane: "history" };
		case "usage":
			return { ...ui, overlay: { is: "usage" } };
		case "help":
			return { ...ui, overlay: { is: "help", top: 0 } };
		case "leave":
		case "interrupt":
		case "stop_run":
		case "leave_running":
			return ui;
	}
}

function step(ui: UiState, by: 1 | -1, scene: Scene): UiState {
	if (ui.pane === "history") return scroll(ui, by, scene);
	return selectRow(ui, visibleRowOf(scene.rows, ui.selected) + by, scene);
}

/** A person who chooses an agent does not want to be led away from it. */
function selectRow(ui: UiState, row: number, { rows }: Scene): UiState {
	const chosen = rows[Math.max(0, Math.min(row, rows.length - 1))];
	return chosen === undefined ? ui : { ...select(ui, chosen.agent.id), follow: { is: "off" } };
}

function latestAtWork(rows: readonly TreeRow[]): AgentId | undefined {
	let latest: { id: AgentId; at: number } | undefined;
	for (const { agent } of rows) {
		if (agent.state.is !== "thinking" && agent.state.is !== "running") continue;
		const at = Math.max(agent.state.since, ...agent.running.map(({ since }) => since));
		if (latest === undefined || at > latest.at) latest = { id: agent.id, at };
	}
	return latest?.id;
}

function select(ui: UiState, agent: AgentId): UiState {
	return agent === ui.selected ? ui : { ...ui, selected: agent, scroll: END };
}

function scroll(ui: UiState, lines: number, scene: Scene): UiState {
	return scrolled(ui, scrollBy(scene.history, ui.scroll, lines), scene);
}

/** Whoever reads further up stays where they read. */
function scrolled(ui: UiState, to: Scroll, { history }: Scene): UiState {
	const next = to.is === "end" ? END : scrollBy(history, to, 0);
	return { ...ui, scroll: next, follow: next.is === "end" ? ui.follow : { is: "off" } };
}

function fold(ui: UiState, { rows }: Scene): UiState {
	const row = rows[visibleRowOf(rows, ui.selected)];
	if (row === undefined || !row.hasChildren) return ui;
	const folded = new Set(ui.folded);
	if (!folded.delete(row.agent.id)) folded.add(row.agent.id);
	return { ...ui, selected: row.agent.id, scroll: row.agent.id === ui.selected ? ui.scroll : END, folded };
}
