/** The tree on the left: one row an agent. Columns that do not fit are left out, the least needed first. */
import type { Agent, AgentState, Ending } from "../../core/agent.ts";
import { totalTokens } from "../../core/usage.ts";
import { contextShare, formatShare } from "../../models/context-use.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatCost } from "../../text/money.ts";
import { formatTokens } from "../../text/numbers.ts";
import { ageOf, describeEnding, retryWait } from "../../text/states.ts";
import { cleanText, firstLine } from "../../text/terminal-safe.ts";
import { displayWidth, padWidth } from "../../text/width.ts";
import { fitLine, type Line, type Segment, segment, selectLine, type Tone } from "../styled.ts";
import type { TreeRow } from "./tree.ts";

export interface TreePane {
	readonly rows: readonly TreeRow[];
	/** Index into rows. */
	readonly selected: number;
	readonly width: number;
	/** Rows for agents; the column heads come above them. */
	readonly height: number;
	readonly now: number;
	/** The last words of the agent in focus, whose answer streams. */
	readonly lastWords: { readonly agent: string; readonly text: string } | undefined;
}

interface Column {
	readonly head: string;
	readonly width: number;
	readonly toRight: boolean;
	/** The highest is left out first. */
	readonly rank: 0 | 1 | 2 | 3 | 4 | 5;
	readonly show: (agent: Agent, now: number) => Segment;
	/** Left out when no agent that is visible has anything to show. */
	readonly isOptional?: true;
}

const LEAST_TREE_WIDTH = 8;
/** By rank: a column is shown only when so much is left for what the agent does now. */
const LEAST_NOW_WIDTHS = [8, 12, 18, 20, 24, 24] as const;
/** Below it the context is nobody's concern. */
const LEAST_CONTEXT_SHARE = 0.1;
const FULL_CONTEXT_SHARE = 0.8;

const COLUMNS: readonly Column[] = [
	{ head: "state", width: 8, toRight: false, rank: 0, show: ({ state }, now) => stateCell(state, now) },
	{ head: "pid", width: 0, toRight: true, rank: 5, show: ({ pid }) => segment(String(pid), "dim") },
	{ head: "turn", width: 4, toRight: true, rank: 1, show: ({ turns }) => segment(String(turns)) },
	{ head: "ctx", width: 4, toRight: true, rank: 2, show: contextCell, isOptional: true },
	{ head: "tokens", width: 6, toRight: true, rank: 3, show: ({ usage }) => segment(formatTokens(totalTokens(usage))) },
	{ head: "cost", width: 7, toRight: true, rank: 4, show: costCell, isOptional: true },
	{ head: "age", width: 6, toRight: true, rank: 0, show: (agent, now) => segment(shortAge(agent, now)) },
];
const RANKS = [5, 4, 3, 2, 1, 0] as const;

/** The column heads, then exactly as many lines as the pane is high, or fewer when there are fewer agents. */
export function treePane(pane: TreePane): Line[] {
	const top = firstVisible(pane);
	const visible = pane.rows.slice(top, top + pane.height);
	const layout = layOut(visible, pane);
	const head = [segment(padWidth(" agent", layout.treeWidth), "dim")];
	for (const { head: text, width, toRight } of layout.columns)
		head.push(segment(` ${padWidth(text, width, toRight)}`, "dim"));
	if (layout.nowWidth > 0) head.push(segment(" now", "dim"));
	const lines = visible.map((row, index) => {
		const line = fitLine(agentLine(row, layout, pane), pane.width);
		return top + index === pane.selected ? selectLine(line) : line;
	});
	return [fitLine(head, pane.width), ...lines];
}

export function glyphOf(state: AgentState): string {
	switch (state.is) {
		case "queued":
			return "○";
		case "thinking":
			return "◆";
		case "running":
			return "●";
		case "waiting":
			return "◌";
		case "ended":
			return state.ending.by === "answer" ? "✓" : "✗";
	}
}

export function toneOf(state: AgentState): Tone {
	switch (state.is) {
		case "queued":
			return "dim";
		case "thinking":
			return "calm";
		case "running":
			return "busy";
		case "waiting":
			return "plain";
		case "ended":
			return state.ending.by === "answer" ? "good" : state.ending.by === "limit" ? "warn" : "bad";
	}
}

function stateCell(state: AgentState, now: number): Segment {
	if (retryWait(state, now) !== undefined) return segment("retrying", "warn");
	return segment(state.is === "ended" ? state.ending.by : state.is, toneOf(state));
}

function contextCell(agent: Agent): Segment {
	const share = agent.state.is === "ended" ? 0 : (contextShare(agent) ?? 0);
	if (share < LEAST_CONTEXT_SHARE) return segment("");
	return segment(formatShare(share).replace(" ", ""), share < FULL_CONTEXT_SHARE ? "plain" : "warn");
}

function costCell({ costUsd }: Agent): Segment {
	return segment(costUsd === 0 ? "" : formatCost(costUsd), costUsd === null ? "warn" : "plain");
}

interface Layout {
	readonly treeWidth: number;
	readonly columns: readonly Column[];
	/** 0: not shown. */
	readonly nowWidth: number;
}

/** What an agent does now goes before its tokens and its pid, which the head of the history has, too. */
function layOut(rows: readonly TreeRow[], { width, now }: TreePane): Layout {
	const needed = Math.max(LEAST_TREE_WIDTH, ...rows.map((row) => displayWidth(treeText(row)) + 1));
	const treeWidth = Math.min(needed, Math.max(LEAST_TREE_WIDTH, Math.floor(width * 0.45)));
	const pidWidth = Math.max(3, ...rows.map(({ agent }) => String(agent.pid).length));
	const isUsed = (column: Column) =>
		column.isOptional !== true || rows.some(({ agent }) => column.show(agent, now).text !== "");
	const all = COLUMNS.filter(isUsed).map((column) => (column.head === "pid" ? { ...column, width: pidWidth } : column));
	for (const rank of RANKS) {
		const columns = all.filter((column) => column.rank <= rank);
		const left = width - treeWidth - columns.reduce((sum, column) => sum + column.width + 1, 0);
		if (left > LEAST_NOW_WIDTHS[rank]) return { treeWidth, columns, nowWidth: left - 1 };
		if (rank === 0) return { treeWidth: treeWidth + Math.max(0, left), columns, nowWidth: 0 };
	}
	return { treeWidth: width, columns: [], nowWidth: 0 };
}

/** The selected row stays in the middle where it can. */
function firstVisible({ rows, selected, height }: TreePane): number {
	return Math.max(0, Math.min(selected - Math.floor(height / 2), rows.length - height));
}

function treeText({ lines, agent, hidden }: TreeRow): string {
	return ` ${lines}${glyphOf(agent.state)} ${agent.id}${hidden > 0 ? ` +${hidden}` : ""}`;
}

function agentLine(row: TreeRow, layout: Layout, pane: TreePane): Line {
	const { agent, lines, hidden } = row;
	const tone = toneOf(agent.state);
	const missing = displayWidth(treeText(row)) - layout.treeWidth;
	// In a tree that is too deep for its column the id matters more than the lines, and its end most.
	const shown = missing > 0 ? `…${lines.slice(missing + 1)}` : lines;
	const idMissing = missing - Math.max(0, lines.length - 1);
	const id = idMissing > 0 ? `…${agent.id.slice(idMissing + 1)}` : agent.id;
	const tree = [segment(" "), segment(shown, "dim"), segment(`${glyphOf(agent.state)} `, tone), segment(id)];
	if (hidden > 0) tree.push(segment(` +${hidden}`, "warn"));
	const line: Segment[] = [...fitLine(tree, layout.treeWidth)];
	for (const column of layout.columns) {
		const { text, tone: columnTone } = column.show(agent, pane.now);
		line.push(segment(" "), segment(padWidth(text, column.width, column.toRight), columnTone));
	}
	if (layout.nowWidth > 0) line.push(segment(" "), ...repeatMark(agent), doesNow(agent, pane));
	return line;
}

function repeatMark(agent: Agent): Segment[] {
	const isShown = agent.repeats !== undefined && agent.state.is !== "ended";
	return isShown ? [segment(`↻${agent.repeats} repeats `, "warn")] : [];
}

/** What it does now; of one that does nothing now, why it ended, or what it is for. */
function doesNow(agent: Agent, { lastWords, now }: TreePane): Segment {
	const retry = retryWait(agent.state, now);
	if (retry !== undefined) return segment(cleanText(retry.replace(/^retrying \w+ time /, "")), "warn"); // the rest is in the head of its history
	const command = agent.running[0];
	if (command !== undefined) {
		const more = agent.running.length > 1 ? ` (+${agent.running.length - 1})` : "";
		return segment(`$ ${firstLine(cleanText(command.text))}${more}`);
	}
	if (agent.state.is === "thinking" && lastWords?.agent === agent.id && lastWords.text !== "")
		return segment(lastWords.text);
	if (agent.state.is === "thinking" && agent.state.purpose === "compaction")
		return segment("summarises older rounds", "calm");
	if (agent.state.is === "ended" && agent.state.ending.by !== "answer")
		return segment(endingWords(agent.state.ending), "dim");
	return segment(firstLine(cleanText(agent.task)), "dim");
}

/** The state column has the class already. */
function endingWords(ending: Ending): string {
	return "reason" in ending ? firstLine(cleanText(ending.reason)) : describeEnding(ending);
}

/** Under a second it would flicker, and nobody needs to know. */
function shortAge(agent: Agent, now: number): string {
	return formatDuration(Math.max(0, Math.floor(ageOf(agent, now) / 1000)) * 1000).replace("0ms", "0s");
}
