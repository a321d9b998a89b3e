/** The history of a scene as a window: its blocks, and the room for them. */

import type { Agent, AgentId } from "../../../../core/model/agent.ts";
import { formatDuration } from "../../../../text/durations.ts";
import { formatCost } from "../../../../text/money.ts";
import { type Line, type Segment, type Size, segment, selectLine } from "../../../../tui/text/line.ts";
import type { Scene } from "../../scene/scene.ts";
import { soughtText } from "../../scene/ui-state.ts";
import { doingText } from "../agent-line.ts";
import { MARKS } from "../agent-mark.ts";
import type { BlockWindow } from "./block-window.ts";
import { historyBlocks } from "./history-blocks.ts";
import { markMatches } from "./history-find.ts";
import { markedLink } from "./history-links.ts";

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

/** The row of a history that leads to an agent: how it stands, as the tree says it. */

/** `→ 1.3 linker ✓ 1m08s $0.02  the first line of its answer`. `isMarked`: the enter key leads there. */
function linkLine(scene: Scene, id: AgentId, isMarked: boolean): Line {
	const agent = scene.run.agents[id];
	const line = [segment("→ ", "calm"), segment(id, "strong"), ...(agent === undefined ? [] : standing(agent, scene))];
	return isMarked ? selectLine(line) : line;
}

function standing(agent: Agent, scene: Scene): Segment[] {
	const view = scene.view.of(agent);
	const { glyph, tone } = MARKS[view.doing];
	const cost = formatCost(agent.costUsd);
	return [
		segment(` ${view.name} `),
		segment(glyph, tone),
		segment(` ${formatDuration(Math.max(1_000, view.ageMs))}${cost === "-" ? "" : ` ${cost}`}  `, "dim"),
		segment(doingText(view), view.tone === "plain" ? "dim" : view.tone),
	];
}
