/** The history of a scene as a window: its blocks, and the room for them. */
import type { Size } from "../scene/line.ts";
import type { Scene } from "../scene/scene.ts";
import type { BlockWindow } from "./block-window.ts";
import { historyBlocks } from "./history-blocks.ts";
import { linkLine } from "./link-line.ts";

/** A pane that is lower spares no line for what the agent has spent. */
const FACTS_FROM_ROWS = 8;

export function hasFacts({ rows }: Size): boolean {
	return rows >= FACTS_FROM_ROWS;
}

export function windowOf(scene: Scene, size: Size): BlockWindow {
	const { run, history, now, activity } = scene;
	const children = scene.branches.get(history.agent)?.children ?? [];
	const blocks = historyBlocks(history, { agent: run.agents[history.agent], children, now, activity });
	return {
		...{ blocks, width: size.columns, height: size.rows - (hasFacts(size) ? 1 : 0) },
		linkLine: (id) => linkLine(scene, id, false),
	};
}
