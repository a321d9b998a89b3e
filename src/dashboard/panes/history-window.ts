/** The history of a scene as a window: its blocks, and the room for them. */
import type { Size } from "../scene/line.ts";
import type { Scene } from "../scene/scene.ts";
import { soughtText } from "../scene/ui-state.ts";
import type { BlockWindow } from "./block-window.ts";
import { historyBlocks } from "./history-blocks.ts";
import { markMatches } from "./history-find.ts";
import { markedLink } from "./history-links.ts";
import { linkLine } from "./link-line.ts";

/** A pane that is lower spares no line for what the agent has spent. */
const FACTS_FROM_ROWS = 8;

export function hasFacts({ rows }: Size): boolean {
	return rows >= FACTS_FROM_ROWS;
}

export function windowOf(scene: Scene, size: Size): BlockWindow {
	const { run, history, now, activity, ui } = scene;
	const children = scene.branches.get(history.agent)?.children ?? [];
	const blocks = historyBlocks(history, { agent: run.agents[history.agent], children, now, activity });
	const sought = soughtText(ui);
	let first: string | undefined;
	const marked = () => {
		if (ui.side !== "history") return undefined;
		first ??= markedLink(window, ui)?.key ?? "";
		return first;
	};
	const window: BlockWindow = {
		...{ blocks, width: size.columns, height: size.rows - (hasFacts(size) ? 1 : 0) },
		linkLine: (id, { key }) => linkLine(scene, id, key === marked()),
		decorate: (line, block, row) => markMatches(line, { block, row, text: sought }),
	};
	return window;
}
