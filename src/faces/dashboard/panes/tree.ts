/** The tree: one row an agent, below the heads of the columns. */
import { oneLine } from "../../../text/safe/terminal-safe.ts";
import { fitLine, type Line, lineWidth, type Segment, type Size, segment, selectLine } from "../../../tui/text/line.ts";
import { treeOf } from "../../../view/agents/agent-tree.ts";
import type { Pane } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { type TreeRow, treeWindow } from "../scene/tree-rows.ts";
import { filterText, soughtText } from "../scene/ui-state.ts";
import { agentLine, headLine, layOutRows } from "./agent-line.ts";
import { markFound } from "./transcript/find-text.ts";
import { selectAgent, TREE, treeStep } from "./tree-steps.ts";

export const treePane: Pane = {
	name: TREE,
	place: { is: "left" },
	title,
	lines,
	act: (action, scene, size) => treeStep(action, scene, agentRows(size)),
	click: (scene, size, row) => {
		const agent = agentAtRow(scene, size, row);
		return agent && { ui: selectAgent(scene, agent.agent, agentRows(size)) };
	},
};

/** From this height on the pane has a line for the heads of the columns. */
const HEADS_FROM_ROWS = 4;

/** How many of the pane's lines have agents. */
function agentRows({ rows }: Size): number {
	return rows < HEADS_FROM_ROWS ? rows : rows - 1;
}

/** The rows that the pane shows. */
export function rowsInPane({ rows, ui }: Scene, size: Size): readonly TreeRow[] {
	const height = agentRows(size);
	const { first } = treeWindow(rows, ui, height);
	return rows.slice(first, first + height);
}

/** What a line of the pane, counted from 0, shows; undefined for the heads, and below the last agent. */
function agentAtRow(scene: Scene, size: Size, row: number): TreeRow | undefined {
	const at = row - (size.rows - agentRows(size));
	return at < 0 ? undefined : rowsInPane(scene, size)[at];
}

function lines(scene: Scene, size: Size): Line[] {
	const shown = rowsInPane(scene, size);
	const layout = layOutRows(shown, size.columns, scene);
	const { selected } = treeWindow(scene.rows, scene.ui, agentRows(size));
	const sought = soughtText(scene.ui);
	const agents = shown.map((row) => {
		const line = fitLine(agentLine(row, layout, scene), size.columns);
		return markFound(row === scene.rows[selected] ? selectLine(line) : line, sought);
	});
	return size.rows === agentRows(size) ? agents : [headLine(layout, scene), ...agents];
}

/** Words are left out where the frame is too narrow for all of them. */
function title(scene: Scene, { columns }: Size): Line {
	const { order } = scene.ui.tree;
	const name = segment("Tree", scene.ui.side === TREE ? "heading" : "strong");
	const sort = segment(
		`sort: ${order.is === "tree" ? "tree" : `${order.by}, O to re-sort`}`,
		order.is === "tree" ? "dim" : "busy",
	);
	const count = countWords(scene);
	const lines = [[name, segment("  "), sort, segment("  "), count], [name, segment("  "), count], [count]];
	return lines.find((line) => lineWidth(line) <= columns - 4) ?? [count];
}

/** `(all 61)`, `(alive 24 of 61)`, `(filter "failed": 6 of 61)`. */
function countWords({ run, ui, matching }: Scene): Segment {
	const { agents: all } = treeOf(run.agents);
	if (matching === undefined) return segment(`(all ${all})`, "dim");
	const filter = oneLine(filterText(ui));
	const what = [...(ui.tree.isAliveOnly ? ["alive"] : []), ...(filter === "" ? [] : [`filter "${filter}":`])].join(
		", ",
	);
	return segment(`(${what} ${matching.size} of ${all})`, "warn");
}
