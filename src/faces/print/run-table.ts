/** Runs and their agents as lines, for people: two a run, and one for each of its agents. Pure. */

import { defined } from "../../core/defined.ts";
import { type Agent, ROOT } from "../../core/model/agent.ts";
import { totalTokens, type Usage } from "../../core/model/usage.ts";
import type { Totals } from "../../core/run/run-state.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatCost, formatTokens } from "../../text/numbers.ts";
import { firstLine, oneLine } from "../../text/safe/terminal-safe.ts";
import { fitEnd, fitWidth, fitWords } from "../../text/width/width.ts";
import { headline } from "../../view/agents/doing-now.ts";
import {
	type KnownTotals,
	knownTotals,
	type ListedRun,
	runDetail,
	runTone,
	runWord,
} from "../../view/agents/listed-run.ts";
import { type AgentView, RunView } from "../../view/agents/run-view.ts";
import { shortTime } from "../../view/words/clock-time.ts";
import { formatUsedTokens } from "../../view/words/usage.ts";
import type { Paint } from "./paint.ts";
import { alignColumns, type Cell, type Column } from "./rows.ts";

export interface TableView extends RunRowsView {
	/** The width of the terminal; undefined: no line is cut. */
	readonly columns: number | undefined;
	readonly paint: Paint;
	/** Agents that are over are listed, too. */
	readonly isWhole: boolean;
}

const INDENT = "  ";
const LEAST_COLUMNS = 10;

export function runTable(runs: readonly ListedRun[], view: TableView): string[] {
	const { now, paint, isWhole } = view;
	const columns = view.columns === undefined ? undefined : Math.max(view.columns, LEAST_COLUMNS);
	const table = alignColumns(runColumns(view), runs, { paint, columns });
	const families = runs.map((run) => agentRows(run, now, isWhole));
	const agents = alignColumns(agentColumns(columns), families.flat(), { paint, columns });
	const rows = [...agents.lines];
	const lines = runs.flatMap((run, at) => {
		const below = runDetail(run, now);
		const text = `${INDENT}${below.text}`;
		const second =
			below.text === "" ? [] : [paint.tone(columns === undefined ? text : fitWidth(text, columns), below.tone)];
		return [table.lines[at] ?? "", ...second, ...rows.splice(0, families[at]?.length ?? 0)];
	});
	return [table.header, ...(agents.lines.length === 0 ? [] : [agents.header]), ...lines];
}

/** A run as a row. Pure. */

export interface RunRowsView {
	readonly now: number;
	/** The directory that the list is asked for in: runs of other directories say where they are. */
	readonly cwd: string;
	/** What the runs are called; absent: by their ids. */
	readonly names?: ReadonlyMap<string, string> | undefined;
}

const MOST_WHERE_COLUMNS = 24;
const UNKNOWN = "?";
/** The least terminal widths for what not all ask for. */
const NARROW = 60;
const WIDE = 100;
const WIDEST = 150;

function runColumns({ now, cwd, names }: RunRowsView): Column<ListedRun>[] {
	const known = new Map<ListedRun, KnownTotals>();
	const totals = (run: ListedRun) => {
		const counted = known.get(run) ?? knownTotals(run); // several columns ask, and a run may have thousands of agents
		known.set(run, counted);
		return counted;
	};
	return [
		{ head: "RUN", cell: ({ file }) => ({ text: oneLine(names?.get(file.run) ?? file.run), tone: "strong" }) },
		{ head: "STATE", cell: (run) => ({ text: runWord(run), tone: runTone(run) }) },
		{ head: "AGENTS", toRight: true, from: NARROW, cell: (run) => ({ text: String(totals(run).agents ?? UNKNOWN) }) },
		{
			head: "PID",
			toRight: true,
			from: WIDE,
			cell: (run) => ({ text: isOver(run) ? "" : String(run.file.supervisor.pid) }),
		},
		{ head: "TIME", toRight: true, cell: (run) => ({ text: timeOf(run, now) }) },
		{ head: "START", from: NARROW, cell: (run) => ({ text: isOver(run) ? startOf(run.file.startedAt, now) : "" }) },
		{ head: "TURNS", toRight: true, from: WIDE, cell: (run) => ({ text: String(totals(run).turns ?? UNKNOWN) }) },
		{ head: "TOKENS", toRight: true, from: NARROW, cell: (run) => tokensCell(totals(run).usage) },
		...KINDS.map(([head, kind]): Column<ListedRun> => {
			return { head, toRight: true, from: WIDEST, cell: (run) => kindCell(totals(run).usage, kind) };
		}),
		{ head: "COST", toRight: true, from: NARROW, cell: (run) => ({ text: formatCost(totals(run).costUsd ?? null) }) },
		{
			...{ head: "WHERE", from: WIDE },
			cell: ({ file }) => ({
				text: file.cwd === cwd ? "" : fitEnd(oneLine(file.cwd), MOST_WHERE_COLUMNS),
				tone: "dim",
			}),
		},
		{ head: "TASK", cell: ({ file }) => ({ text: firstLine(file.task) }) },
	];
}

type Kind = Exclude<keyof Usage, "uncounted">;

/** The kinds of tokens, each as the head of its column. */
export const KINDS: readonly (readonly [head: string, kind: Kind])[] = [
	["IN", "input"],
	["CACHE-R", "cacheRead"],
	["CACHE-W", "cacheWrite"],
	["OUT", "output"],
];

/** Blank for a model that uses none. */
function kindCell(usage: Usage | undefined, kind: Kind): Cell {
	return { text: usage === undefined || totalTokens(usage) === 0 ? "" : formatTokens(usage[kind]), tone: "dim" };
}

function isOver({ state }: ListedRun): boolean {
	return state === undefined || state.ended !== undefined;
}

function timeOf({ file, state }: ListedRun, now: number): string {
	const endedAt = state === undefined ? file.endedAt : (state.ended?.at ?? now);
	return endedAt === undefined ? UNKNOWN : formatDuration(endedAt - file.startedAt);
}

function tokensCell(usage: Usage | undefined): Cell {
	return { text: usage === undefined ? UNKNOWN : formatUsedTokens(usage) };
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** `20:15` on the same day, else `Nov27`, as ps has it; local. The year and the rest are in the run's id. */
function startOf(at: number, now: number): string {
	const date = new Date(at);
	if (date.toDateString() === new Date(now).toDateString()) return shortTime(at).slice(0, 5);
	return `${MONTHS[date.getMonth()]}${String(date.getDate()).padStart(2, "0")}`;
}

/** The agents of a run as rows, each parent above its children. Pure. */

export interface AgentRow {
	readonly view: AgentView;
	/** What it does is said by the line of its run. */
	readonly isSaid: boolean;
}

const MOST_NARROW_NAME_COLUMNS = 16;
const NAMES_FROM = 50;
const WIDER = 120;

/** `isWhole`: agents that are over, too. */
export function agentRows({ state: run, answers }: ListedRun, now: number, isWhole: boolean): AgentRow[] {
	if (run === undefined) return [];
	const says = ({ id }: Agent) => headline(answers?.get(id) ?? "");
	return new RunView({ run, now, says }).agents.flatMap((view) => {
		if (view.isOver && !isWhole) return [];
		return [{ view, isSaid: view.id === ROOT && (view.isOver || view.doing === "waiting") }];
	});
}

export function agentColumns(width: number | undefined): Column<AgentRow>[] {
	const isNarrow = width !== undefined && width < WIDE;
	return [
		{ head: "  AGENT", cell: ({ view }) => ({ text: `${"  ".repeat(view.depth + 1)}${view.id}` }) },
		{
			...{ head: "NAME", from: NAMES_FROM, cell: ({ view }) => ({ text: view.name }) },
			...(isNarrow && { most: { columns: MOST_NARROW_NAME_COLUMNS, cut: fitWords } }),
		},
		numbers("PID", WIDE, (view) => (view.isOver ? "" : String(view.agent.pid))),
		// How it has ended, in the word that the JSON has, too.
		{ head: "STATE", cell: ({ view }) => ({ text: view.isOver ? view.state : view.word, tone: view.tone }) },
		numbers("FOR", undefined, (view) => inSeconds(view.forMs)),
		numbers("TURNS", WIDER, ({ agent }) => String(agent.turns)),
		numbers("TOKENS", WIDER, tokensOf),
		...KINDS.map(([head, kind]): Column<AgentRow> => {
			return { head, toRight: true, from: WIDEST, cell: ({ view }) => kindCell(view.agent.usage, kind) };
		}),
		numbers("COST", WIDE, ({ agent }) => (agent.costUsd === 0 ? "" : formatCost(agent.costUsd))),
		numbers("+BELOW", WIDER, ({ subtree }) => withBelow(subtree)),
		{
			head: "NOW",
			cell: ({ view, isSaid }) => ({ text: isSaid ? "" : view.detail, tone: view.isOver ? view.tone : undefined }),
		},
	];
}

function numbers(head: string, from: number | undefined, text: (view: AgentView) => string): Column<AgentRow> {
	return { head, toRight: true, ...defined({ from }), cell: ({ view }) => ({ text: text(view) }) };
}

/** Whole seconds: milliseconds tell nobody anything here. */
function inSeconds(ms: number): string {
	return formatDuration(Math.max(0, Math.floor(ms / 1000)) * 1000).replace(/^0ms$/, "0s");
}

function tokensOf({ agent: { usage } }: AgentView): string {
	return totalTokens(usage) === 0 && !usage.uncounted ? "" : formatUsedTokens(usage);
}

/** `18.3k $0.0600`: what an agent and all below it used; blank for an agent with none below it. */
function withBelow({ agents, usage, costUsd }: Totals): string {
	if (agents < 2) return "";
	return totalTokens(usage) === 0 && costUsd === 0 ? "" : `${formatUsedTokens(usage)} ${formatCost(costUsd)}`;
}
