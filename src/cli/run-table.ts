/** Runs and their agents as lines of a table, for people. Pure. */
import { type Agent, type AgentId, depthOf } from "../core/agent.ts";
import {
	ageOf,
	displayWidth,
	firstLine,
	fitWidth,
	formatCost,
	formatDuration,
	formatTokens,
	oneLine,
	padWidth,
} from "../core/format.ts";
import { totalTokens, type Usage } from "../core/model.ts";
import { agentsInOrder, type RunState, totalsOf } from "../core/run-state.ts";
import type { RunFile } from "../core/transcript.ts";

/** `state` is undefined for a run of which only run.json was read: it is over. */
export interface ListedRun {
	readonly file: RunFile;
	readonly state?: RunState;
	/** Its supervisor lives, but was stopped by a signal. */
	readonly isSuspended?: boolean;
}

export interface TableView {
	readonly now: number;
	/** Nothing is cut when it is undefined. */
	readonly columns: number | undefined;
	/** The directory in which the table is asked for: runs of others say where they are. */
	readonly cwd: string;
}

const COLUMNS = [
	"AGENT",
	"AGENTS",
	"PID",
	"STATE",
	"TURNS",
	"TOKENS",
	"COST",
	"TIME",
	"START",
	"WHERE",
	"TASK",
] as const;
const TO_THE_RIGHT: ReadonlySet<string> = new Set(["AGENTS", "PID", "TURNS", "TOKENS", "COST", "TIME"]);
const LEAST_TASK_COLUMNS = 10;
const MOST_WHERE_COLUMNS = 24;
const LEAST_COLUMNS_FOR_ALL = 100; // below, the task would be cut to nothing
const UNKNOWN = "?";

type Row = Record<(typeof COLUMNS)[number], string>;

/** A header, a line a run, a line an agent. A column of which no line has anything is left out. */
export function runTable(runs: readonly ListedRun[], { now, columns, cwd }: TableView): string[] {
	const rows = runs.flatMap((run) => rowsOf(run, now, cwd));
	const header = Object.fromEntries(COLUMNS.map((name) => [name, name])) as Row;
	const isWide = columns === undefined || columns >= LEAST_COLUMNS_FOR_ALL;
	const used = COLUMNS.filter((name) => rows.some((row) => row[name] !== "") && (isWide || name !== "AGENTS"));
	const widths = used.map((name) => Math.max(...[header, ...rows].map((row) => displayWidth(row[name]))));
	return [header, ...rows].map((row) => {
		const cells = used.map((name, i) => {
			return name === "TASK" ? row.TASK : padWidth(row[name], widths[i] ?? 0, TO_THE_RIGHT.has(name));
		});
		const line = cells.join("  ").trimEnd();
		return columns === undefined ? line : fitWidth(line, Math.max(columns, LEAST_TASK_COLUMNS));
	});
}

/** One word: `running`, `stopping`, `suspended`, `crashed`, `answer`, `limit` … */
export function stateOfRun({ file, state, isSuspended }: ListedRun): string {
	if (state === undefined) return file.ending?.by ?? "crashed";
	if (state.ended !== undefined) return state.ended.ending.by;
	if (isSuspended) return "suspended";
	return state.stopping === undefined ? "running" : "stopping";
}

/** One word: what it does, or how it ended. */
export function stateOfAgent(agent: Agent): string {
	return agent.state.is === "ended" ? agent.state.ending.by : agent.state.is;
}

/** Undefined: not known, since the run crashed, or was recorded before run.json had it. `costUsd` null: no price known. */
export interface KnownTotals {
	readonly agents?: number | undefined;
	readonly turns?: number | undefined;
	readonly usage?: Usage | undefined;
	readonly costUsd?: number | null | undefined;
}

export function knownTotals({ file, state }: ListedRun): KnownTotals {
	if (state !== undefined) return totalsOf(agentsInOrder(state));
	const { agents, turns, usage, cost_usd: costUsd } = file;
	return { agents, turns, usage, costUsd };
}

function rowsOf(run: ListedRun, now: number, cwd: string): Row[] {
	const agents = run.state === undefined ? [] : agentsInOrder(run.state);
	return [rowOfRun(run, now, cwd), ...agents.map((agent) => rowOfAgent(agent, now))];
}

function rowOfRun(run: ListedRun, now: number, cwd: string): Row {
	const { file, state } = run;
	const totals = knownTotals(run);
	const endedAt = state === undefined ? file.ended_at : (state.ended?.at ?? now);
	const isOver = state === undefined || state.ended !== undefined;
	return {
		AGENT: oneLine(file.run),
		AGENTS: state === undefined ? String(totals.agents ?? UNKNOWN) : "",
		PID: state === undefined ? "" : String(file.supervisor.pid),
		STATE: stateOfRun(run),
		TURNS: String(totals.turns ?? UNKNOWN),
		TOKENS: totals.usage === undefined ? UNKNOWN : formatTokens(totalTokens(totals.usage)),
		COST: formatCost(totals.costUsd ?? null),
		TIME: endedAt === undefined ? UNKNOWN : formatDuration(endedAt - file.started_at),
		START: isOver ? startOf(file.started_at, now) : "",
		WHERE: file.cwd === cwd ? "" : endOf(oneLine(file.cwd), MOST_WHERE_COLUMNS),
		TASK: firstLine(file.task),
	};
}

function rowOfAgent(agent: Agent, now: number): Row {
	return {
		AGENT: indented(agent.id),
		AGENTS: "",
		PID: String(agent.pid),
		STATE: stateOfAgent(agent),
		TURNS: String(agent.turns),
		TOKENS: formatTokens(totalTokens(agent.usage)),
		COST: formatCost(agent.costUsd),
		TIME: formatDuration(ageOf(agent, now)),
		START: "",
		WHERE: "",
		TASK: firstLine(agent.task),
	};
}

function indented(agent: AgentId): string {
	return `${"  ".repeat(depthOf(agent) + 1)}${agent}`;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

/** `20:15` on the same day, else `Nov27`, as ps has it; local. The year and the rest are in the run's id. */
function startOf(at: number, now: number): string {
	const date = new Date(at);
	const twoDigits = (n: number) => String(n).padStart(2, "0");
	if (date.toDateString() === new Date(now).toDateString())
		return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
	return `${MONTHS[date.getMonth()]}${twoDigits(date.getDate())}`;
}

/** The end of a path tells more than its beginning. */
function endOf(path: string, columns: number): string {
	if (displayWidth(path) <= columns) return path;
	const characters = [...path];
	while (displayWidth(characters.join("")) > columns - 1) characters.shift();
	return `…${characters.join("")}`;
}
