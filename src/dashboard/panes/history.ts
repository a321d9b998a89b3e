/** The history of the selected agent: who it is, what it has spent, and what it said and did. */
import type { Action } from "../scene/keys.ts";
import { fitLine, type Line, lineWidth, type Size, segment } from "../scene/line.ts";
import type { Pane } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { END, type Scroll, TOP, type UiState } from "../scene/ui-state.ts";
import { type BlockWindow, hasMoreBelow, scrollBy, windowLines } from "./block-window.ts";
import { historyBlocks } from "./history-blocks.ts";
import { headLine, spentLine } from "./history-head.ts";

const NAME = "history";
/** From this height on the pane spares a line for what the agent has spent. */
const SPENT_FROM_ROWS = 15;

export const historyPane: Pane = {
	name: NAME,
	place: { is: "right" },
	title,
	lines: (scene, size) => [...spentLines(scene, size), ...windowLines(windowOf(scene, size), scene.ui.scroll)],
	act: (action, scene, size) => {
		const ui = uiAfter(action, scene.ui, windowOf(scene, size));
		return ui && { ui };
	},
};

function title(scene: Scene, size: Size): Line {
	const { run, ui, history, now } = scene;
	const more = hasMoreBelow(windowOf(scene, size), ui.scroll) ? [segment(" ↓ more ", "warn")] : [];
	const width = size.columns - lineWidth(more);
	const agent = run.agents[history.agent];
	const isActive = ui.side === NAME;
	const head =
		agent === undefined
			? [segment(history.agent, "strong")]
			: headLine({ run, agent, now, width, isActive, hasSpentLine: hasSpentLine(size) });
	return [...fitLine(head, width), ...more];
}

/** The part of the pane below the line of what was spent. */
function windowOf(scene: Scene, size: Size): BlockWindow {
	const { run, history, now } = scene;
	const children = scene.branches.get(history.agent)?.children ?? [];
	const blocks = historyBlocks(history, { agent: run.agents[history.agent], children, now });
	return { blocks, width: size.columns, height: size.rows - spentLines(scene, size).length };
}

function spentLines({ run, history }: Scene, size: Size): Line[] {
	const agent = run.agents[history.agent];
	const line = agent === undefined || !hasSpentLine(size) ? undefined : spentLine(run, agent, size.columns);
	return line === undefined ? [] : [fitLine(line, size.columns)];
}

function hasSpentLine({ rows }: Size): boolean {
	return rows >= SPENT_FROM_ROWS;
}

function uiAfter(action: Action, ui: UiState, window: BlockWindow): UiState | undefined {
	const page = Math.max(1, window.height - 1);
	const half = Math.max(1, Math.floor(window.height / 2));
	const by = (lines: number) => scrolled(ui, scrollBy(window, ui.scroll, lines));
	switch (action) {
		case "up":
			return by(-1);
		case "down":
			return by(1);
		case "page_up":
			return by(-page);
		case "page_down":
			return by(page);
		case "half_up":
			return by(-half);
		case "half_down":
			return by(half);
		case "first":
			return scrolled(ui, scrollBy(window, TOP, 0));
		case "last":
			return { ...ui, scroll: END };
		default:
			return undefined;
	}
}

/** A person who reads further up does not want to be led away: following ends. */
function scrolled(ui: UiState, scroll: Scroll): UiState {
	return { ...ui, scroll, follow: scroll.is === "end" ? ui.follow : { is: "off" } };
}
