/** The columns of the tree. Those that do not fit are left out, the least needed first. */
import type { Agent, AgentState } from "../../core/agent.ts";
import { contextShare, formatShare } from "../../models/context-use.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatCost } from "../../text/money.ts";
import { ageOf, retryWait } from "../../text/states.ts";
import { formatUsedTokens } from "../../text/usage.ts";
import { displayWidth } from "../../text/width.ts";
import { type Segment, segment } from "../scene/line.ts";
import type { TreeRow } from "../scene/tree-rows.ts";
import { contextTone, glyphOf, toneOf } from "./agent-mark.ts";

export interface TreeLayout {
	readonly treeWidth: number;
	readonly columns: readonly Column[];
	/** The width of the column that says what an agent does now; 0 when it is left out. */
	readonly nowWidth: number;
}

export interface Column {
	readonly head: string;
	readonly width: number;
	readonly toRight: boolean;
	/** The column of the highest rank is left out first. */
	readonly rank: 0 | 1 | 2 | 3 | 4 | 5;
	readonly show: (agent: Agent, now: number) => Segment;
	/** The column is left out when it would be empty for all visible agents. */
	readonly isOptional?: true;
}

const LEAST_TREE_WIDTH = 8;
/** For each rank, the characters that must be left for what agents do now if columns of that rank are to be shown. */
const LEAST_NOW_WIDTHS = [8, 12, 18, 20, 24, 24] as const;
/** A context that is less full is not shown. */
const LEAST_CONTEXT_SHARE = 0.1;

const COLUMNS: readonly Column[] = [
	{ head: "state", width: 8, toRight: false, rank: 0, show: ({ state }, now) => stateCell(state, now) },
	{ head: "pid", width: 0, toRight: true, rank: 5, show: ({ pid }) => segment(String(pid), "dim") },
	{ head: "turn", width: 4, toRight: true, rank: 1, show: ({ turns }) => segment(String(turns)) },
	{ head: "ctx", width: 4, toRight: true, rank: 2, show: contextCell, isOptional: true },
	{ head: "tokens", width: 6, toRight: true, rank: 3, show: ({ usage }) => segment(formatUsedTokens(usage)) },
	{ head: "cost", width: 7, toRight: true, rank: 4, show: costCell, isOptional: true },
	{ head: "age", width: 6, toRight: true, rank: 0, show: (agent, now) => segment(shortAge(agent, now)) },
];
const RANKS = [5, 4, 3, 2, 1, 0] as const;

/** What agents do now goes before their tokens and pids, which the title of a history has, too. */
export function layOutTree(rows: readonly TreeRow[], width: number, now: number): TreeLayout {
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

/** The tree lines, the mark and the id. */
export function treeText({ lines, agent, hidden }: TreeRow): string {
	return ` ${lines}${glyphOf(agent.state)} ${agent.id}${hidden > 0 ? ` +${hidden}` : ""}`;
}

function stateCell(state: AgentState, now: number): Segment {
	if (retryWait(state, now) !== undefined) return segment("retrying", "warn");
	return segment(state.is === "ended" ? state.ending.by : state.is, toneOf(state));
}

function contextCell(agent: Agent): Segment {
	const share = agent.state.is === "ended" ? 0 : (contextShare(agent) ?? 0);
	if (share < LEAST_CONTEXT_SHARE) return segment("");
	return segment(formatShare(share).replace(" ", ""), contextTone(share, "plain"));
}

function costCell({ costUsd }: Agent): Segment {
	return segment(costUsd === 0 ? "" : formatCost(costUsd), costUsd === null ? "warn" : "plain");
}

/** Whole seconds: milliseconds would flicker. */
function shortAge(agent: Agent, now: number): string {
	return formatDuration(Math.max(0, Math.floor(ageOf(agent, now) / 1000)) * 1000).replace("0ms", "0s");
}
