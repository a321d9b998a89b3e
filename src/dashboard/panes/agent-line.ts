/** An agent as a line of the tree. */
import type { Agent } from "../../core/agent.ts";
import { doingOf } from "../../core/doing.ts";
import { formatCpu } from "../../text/activity.ts";
import { displayWidth, padWidth } from "../../text/width.ts";
import { type Activity, isSilent, quietSince, seenOf } from "../scene/activity.ts";
import { doingNow } from "../scene/doing-now.ts";
import { fitLine, type Line, lineWidth, type Segment, segment } from "../scene/line.ts";
import type { Scene } from "../scene/scene.ts";
import { silentBelow } from "../scene/silent-agents.ts";
import { numberOf } from "../scene/tree-branches.ts";
import type { TreeRow } from "../scene/tree-rows.ts";
import { MARKS } from "./agent-mark.ts";
import { branchCounts, worstTone } from "./branch-counts.ts";
import { type Column, columnsOf, shortDuration, standsForBranch } from "./tree-columns.ts";

export interface RowLayout {
	/** The width of the column with the tree. */
	readonly agentWidth: number;
	readonly columns: readonly Column[];
	/** The width of the column that says what an agent does now; 0 when there is no room for it. */
	readonly nowWidth: number;
}

const LEAST_AGENT_WIDTH = 12;
/** Names may be so wide; the column is no wider than those in the pane, in steps, so that it seldom changes. */
const AGENT_SHARE = 0.41;
const NARROW_AGENT_SHARE = 0.5;
const WIDTH_STEP = 4;
const LEAST_NOW_WIDTH = 6;

export function layOutRows(rows: readonly TreeRow[], width: number, scene: Scene): RowLayout {
	const columns = columnsOf(scene, width);
	const taken = columns.reduce((sum, column) => sum + column.width + 1, 0);
	const most = Math.floor(width * (columns.length === 0 ? NARROW_AGENT_SHARE : AGENT_SHARE));
	const needed = Math.max(0, ...rows.map((row) => lineWidth(treeCells(row, scene))));
	const stepped = Math.ceil(needed / WIDTH_STEP) * WIDTH_STEP;
	const agentWidth = Math.min(width, Math.max(LEAST_AGENT_WIDTH, Math.min(stepped, most)));
	const nowWidth = width - agentWidth - taken - 1;
	if (nowWidth >= LEAST_NOW_WIDTH) return { agentWidth, columns, nowWidth };
	return { agentWidth: Math.max(0, width - taken), columns, nowWidth: 0 };
}

export function headLine({ agentWidth, columns, nowWidth }: RowLayout, { ui }: Scene): Line {
	const { order } = ui.tree;
	const heads = columns.flatMap(({ head, width }) => {
		const isSorted =
			order.is === "list" && (head.trim() === order.by || (head.trim() === "$" && order.by === "dollars"));
		return [segment(" "), segment(padWidth(head, width, true), isSorted ? "strong" : "dim")];
	});
	return [segment(padWidth(" agent", agentWidth), "dim"), ...heads, ...(nowWidth > 0 ? [segment(" now", "dim")] : [])];
}

export function agentLine(row: TreeRow, layout: RowLayout, scene: Scene): Line {
	const line: Segment[] = [...fitLine(treeCells(row, scene, layout.agentWidth), layout.agentWidth)];
	for (const column of layout.columns) {
		const { text, tone } = column.show(row, scene);
		line.push(segment(" "), segment(padWidth(text, column.width, true), tone));
	}
	if (layout.nowWidth > 0) line.push(segment(" "), ...fitLine(nowCells(row, layout, scene), layout.nowWidth));
	return row.isContext ? line.map((piece) => ({ ...piece, tone: "dim" })) : line;
}

/** So much of a name is shown before the lines of a deep tree are. */
const LEAST_NAME_WIDTH = 8;

/** The lines of the tree, whether it is folded, the mark, the number and the name. Of a deep tree the lines lose their beginning. */
function treeCells(row: TreeRow, scene: Scene, width = Number.POSITIVE_INFINITY): Line {
	const { agent, guides } = row;
	const { glyph, tone } = MARKS[doingOf(agent)];
	const rest = `${glyph} ${numberText(row, scene)}`;
	const name = ` ${scene.nameOf(agent)}`;
	const kept = Math.min(displayWidth(name), LEAST_NAME_WIDTH + 1);
	const missing = guides.length + 1 + displayWidth(rest) + kept - width;
	const shown = missing > 0 ? `…${guides.slice(missing + 1)}` : guides;
	return [
		segment(shown, "dim"),
		foldMark(row, scene),
		segment(rest.slice(0, 1), tone),
		segment(`${rest.slice(1)}${name}`),
	];
}

/** In a list the whole path; else its last number, as wide as that of the last sibling. */
function numberText({ agent, guides }: TreeRow, { branches, ui }: Scene): string {
	if (ui.tree.order.is === "list" || guides === "") return agent.id;
	const parent = agent.id.slice(0, agent.id.lastIndexOf("."));
	const last = branches.get(parent)?.children.at(-1);
	const widest = String(numberOf(last?.id ?? agent.id)).length;
	return String(numberOf(agent.id)).padStart(widest);
}

/** A fold mark has the tone of the worst that is below. */
function foldMark(row: TreeRow, scene: Scene): Segment {
	const { agent, fold, guides } = row;
	if (fold === "none") return segment(guides === "" ? " " : "─", "dim");
	return segment(fold === "folded" ? "▸" : "▾", worstBelow(agent, scene) ?? "dim");
}

function worstBelow(agent: Agent, scene: Scene) {
	const below = scene.branches.get(agent.id)?.below;
	return below && worstTone(below, silentCount(agent, scene));
}

function silentCount({ id }: Agent, { run, activity, now }: Scene): number {
	return silentBelow(run.agents, activity, now).get(id) ?? 0;
}

/** For a row that stands for its branch the counts of that, and where there is room what it does itself. */
function nowCells(row: TreeRow, { columns, nowWidth }: RowLayout, scene: Scene): Line {
	const { agent } = row;
	const counts = standsForBranch(row) ? countsOf(agent, scene, nowWidth) : [];
	const { text, tone } = doingNow(agent, scene);
	const before = counts.length > 0 && text !== "" ? [segment("  ")] : [];
	const hasQuiet = columns.some(({ head }) => head === "quiet");
	return [...counts, ...before, ...silence(agent, { scene, hasQuiet, nowWidth }), segment(text, tone)];
}

function countsOf(agent: Agent, scene: Scene, columns: number): Line {
	const below = scene.branches.get(agent.id)?.below;
	return below === undefined ? [] : branchCounts(below, silentCount(agent, scene), columns);
}

/** From this width on there is room for what a silent command has computed. */
const CPU_FROM_COLUMNS = 24;

/** Without a column for it: how long the agent has been quiet. */
function silence(
	agent: Agent,
	{ scene, hasQuiet, nowWidth }: { scene: Scene; hasQuiet: boolean; nowWidth: number },
): Line {
	const { activity, now } = scene;
	if (!isSilent(agent, activity, now)) return [];
	const since = quietSince(agent, activity) ?? now;
	const quiet = hasQuiet ? [] : [segment(`${shortDuration(now - since)}! `, "warn")];
	const cpuMs = nowWidth < CPU_FROM_COLUMNS ? undefined : cpuMsOf(agent, activity);
	return [...quiet, ...(cpuMs === undefined ? [] : [segment(`${formatCpu(cpuMs)} CPU `, "dim")])];
}

/** What all running commands of the agent have computed; undefined when that is not known. */
function cpuMsOf({ id, running }: Agent, activity: Activity): number | undefined {
	const known = running.flatMap(({ command }) => seenOf(activity, id, command)?.cpuMs ?? []);
	return known.length === 0 ? undefined : known.reduce((sum, ms) => sum + ms, 0);
}
