/** An agent as a line of the tree. */

import { DOINGS, type Doing, type DoingCounts, doingOf } from "../../../core/doing.ts";
import { type Agent, ROOT } from "../../../core/model/agent.ts";
import { totalsWithin } from "../../../core/run/spending.ts";
import { formatDuration } from "../../../text/durations.ts";
import { formatTokens } from "../../../text/numbers.ts";
import { displayWidth, padWidth } from "../../../text/width/width.ts";
import { fitLine, type Line, lineWidth, type Segment, type Style, segment } from "../../../tui/text/line.ts";
import { formatCpu } from "../../../view/agents/activity.ts";
import { numberOf } from "../../../view/agents/agent-tree.ts";
import type { AgentView } from "../../../view/agents/run-view.ts";
import { formatUsedTokens } from "../../../view/words/usage.ts";
import type { Scene } from "../scene/scene.ts";
import type { TreeRow } from "../scene/tree-rows.ts";
import { MARKS, SILENT_MARK } from "./agent-mark.ts";

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
		const { text, style } = column.show(row, scene);
		line.push(segment(" "), segment(padWidth(text, column.width, true), style));
	}
	if (layout.nowWidth > 0) line.push(segment(" "), ...fitLine(nowCells(row, layout, scene), layout.nowWidth));
	return row.isContext ? line.map((piece) => ({ ...piece, style: "dim" })) : line;
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

function worstBelow(agent: Agent, { view }: Scene) {
	const { branch, silentBelow } = view.of(agent);
	return branch && worstTone(branch.below, silentBelow);
}

/** For a row that stands for its branch the counts of that, and where there is room what it does itself. */
function nowCells(row: TreeRow, { columns, nowWidth }: RowLayout, scene: Scene): Line {
	const view = scene.view.of(row.agent);
	const { branch, silentBelow } = view;
	const counts = standsForBranch(row) && branch !== undefined ? branchCounts(branch.below, silentBelow, nowWidth) : [];
	const text = doingText(view);
	const before = counts.length > 0 && text !== "" ? [segment("  ")] : [];
	const hasQuiet = columns.some(({ head }) => head === "quiet");
	return [...counts, ...before, ...silence(view, hasQuiet, nowWidth), segment(text, view.tone)];
}

/** The mark says already that it runs, thinks, retries or waits, and the counts what it waits for. */
export function doingText({ doing, detail, phrase, word }: AgentView): string {
	switch (doing) {
		case "waiting":
			return "";
		case "running":
		case "thinking":
		case "retrying":
		case "stopped":
		case "failed":
			return detail;
		case "answered":
			return detail || word;
		case "asking":
		case "queued":
		case "listening":
		case "paused":
			return phrase;
	}
}

/** From this width on there is room for what a silent command has computed. */
const CPU_FROM_COLUMNS = 24;

/** Without a column for it: how long the agent has been quiet. */
function silence({ isSilent, quietMs = 0, cpuMs }: AgentView, hasQuiet: boolean, nowWidth: number): Line {
	if (!isSilent) return [];
	const quiet = hasQuiet ? [] : [segment(`${shortDuration(quietMs)}! `, "warn")];
	const hasCpu = cpuMs !== undefined && nowWidth >= CPU_FROM_COLUMNS;
	return [...quiet, ...(hasCpu ? [segment(`${formatCpu(cpuMs)} CPU `, "dim")] : [])];
}

/** How many agents below one do what: `●9 ◆6 ↻1 ✓13 ✗6 !2`. */

/** Where room is short those that are told last here are left out first: trouble is always told. */
const BY_WEIGHT: readonly Doing[] = [
	...(["asking", "failed", "retrying", "paused", "listening", "running", "thinking"] as const),
	...(["queued", "answered", "stopped", "waiting"] as const),
];

/** `silent`: of those that run or think, how many have been quiet for too long. At most `columns` wide. */
function branchCounts(counts: DoingCounts, silent: number, columns: number): Line {
	const shown = new Set(BY_WEIGHT.filter((doing) => counts[doing] > 0));
	const pieces = () => [
		...DOINGS.filter((doing) => shown.has(doing)).map((doing) => piece(MARKS[doing], counts[doing])),
		...(silent > 0 ? [piece(SILENT_MARK, silent)] : []),
	];
	for (const doing of BY_WEIGHT.toReversed()) {
		if (widthOf(pieces()) <= columns) break;
		shown.delete(doing);
	}
	return pieces().flatMap((one, at) => (at === 0 ? [one] : [segment(" "), one]));
}

/** The worst of what is below, for where there is no room for counts; undefined when all is well. */
function worstTone(counts: DoingCounts, silent: number): Style | undefined {
	if (counts.asking > 0) return MARKS.asking.tone;
	if (counts.failed > 0) return MARKS.failed.tone;
	return silent > 0 || counts.retrying > 0 ? "warn" : undefined;
}

function piece({ glyph, tone }: { glyph: string; tone: Style }, count: number): Segment {
	return segment(`${glyph}${count}`, tone);
}

/** Each of the characters is one column wide. */
function widthOf(pieces: readonly Segment[]): number {
	return pieces.reduce((sum, { text }) => sum + text.length + 1, -1);
}

/** The columns of the tree. Those that do not fit are left out, the least needed first. */
interface Column {
	readonly head: string;
	readonly width: number;
	/** From this width of the pane on the column is shown. */
	readonly fromColumns: number;
	readonly show: (row: TreeRow, scene: Scene) => Segment;
}

/** The row stands for all below it: they have no rows, or they are what it waits for. */
function standsForBranch({ agent, fold }: TreeRow): boolean {
	return fold === "folded" || agent.state.is === "waiting";
}

const FOR: Column = {
	...{ head: "for", width: 5, fromColumns: 44 },
	show: ({ agent }, { view }) => segment(shortDuration(view.of(agent).forMs)),
};
const AGE: Column = {
	...FOR,
	head: "age",
	show: ({ agent }, { view }) => segment(shortDuration(view.of(agent).ageMs)),
};
const QUIET: Column = { head: "quiet", width: 6, fromColumns: 50, show: quietCell };
const DOLLARS: Column = { head: "$ ", width: 5, fromColumns: 60, show: dollarsCell };
const TOKENS: Column = {
	...{ head: "tokens", width: 6, fromColumns: 60 },
	show: ({ agent }) => segment(formatUsedTokens(agent.usage)),
};

/** A list has the column that it is sorted by, however narrow it is. */
function columnsOf({ run, ui }: Scene, width: number): Column[] {
	const { order } = ui.tree;
	const isFree = totalsWithin(run, ROOT).costUsd === 0;
	const isBy = (name: string) => order.is === "list" && order.by === name;
	const first = isBy("age") ? AGE : FOR;
	const third = isBy("tokens") ? TOKENS : DOLLARS;
	const sorted = isBy("age") ? AGE : isBy("quiet") ? QUIET : third;
	const all = [first, QUIET, ...(isFree && third === DOLLARS && !isBy("dollars") ? [] : [third])];
	return all.filter((column) => width >= column.fromColumns || (order.is === "list" && column === sorted));
}

/** Who has brought something a moment ago is not quiet. */
const LEAST_QUIET_MS = 5_000;

/** The mark stands behind the numbers, so that these are aligned. */
function quietCell({ agent }: TreeRow, { view }: Scene): Segment {
	const { quietMs = 0, isSilent } = view.of(agent);
	if (quietMs < LEAST_QUIET_MS) return segment("");
	const time = shortDuration(quietMs);
	return isSilent ? segment(`${time}!`, "warn") : segment(`${time} `, "dim");
}

function dollarsCell(row: TreeRow, { run }: Scene): Segment {
	const { agent, fold } = row;
	const isSum = fold !== "none" && standsForBranch(row);
	const usd = isSum ? totalsWithin(run, agent.id).costUsd : agent.costUsd;
	return usd === null ? segment("?", "warn") : segment(shortDollars(usd), isSum ? "strong" : "plain");
}

/** `0.42`, `12.30`, `1234`; nothing for what was free. */
function shortDollars(usd: number): string {
	if (usd === 0) return "";
	return usd < 99.995 ? usd.toFixed(2) : usd < 9_999.5 ? usd.toFixed(0) : formatTokens(usd);
}

/** At most 5 characters, in whole seconds, since milliseconds would flicker. */
export function shortDuration(ms: number): string {
	const whole = Math.max(0, Math.floor(ms / 1_000));
	if (whole === 0) return "0s";
	const hours = Math.floor(whole / 3_600);
	return hours < 10 ? formatDuration(whole * 1_000) : hours < 1_000 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
