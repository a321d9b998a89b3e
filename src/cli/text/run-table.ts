/** Runs and their agents as lines of a table, for people. Pure. */
import { type Agent, type AgentId, depthOf } from "../../core/agent.ts";
import { pauseOf } from "../../core/pause.ts";
import { agentsInOrder, type RunState, type Totals, totalsOf } from "../../core/run-state.ts";
import { subtreeTotals } from "../../core/spending.ts";
import type { RunFile } from "../../core/transcript.ts";
import { totalTokens, type Usage } from "../../core/usage.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatCost } from "../../text/money.ts";
import { formatTokens } from "../../text/numbers.ts";
import { ageOf, retryWait } from "../../text/states.ts";
import { firstLine, oneLine } from "../../text/terminal-safe.ts";
import { formatUsedTokens } from "../../text/usage.ts";
import { displayWidth, fitWidth, padWidth } from "../../text/width.ts";

/** `state` is undefined for a run of which only run.json was read: it is over. */
export interface ListedRun {
	readonly file: RunFile;
	readonly state?: RunState;
	/** The run's supervisor lives, but was stopped by a signal. */
	readonly isSuspended?: boolean;
}

export interface TableView {
	readonly now: number;
	/** The width of the terminal; undefined: no line is cut. */
	readonly columns: number | undefined;
	/** The directory that the table is asked for in: runs of other directories say where they are. */
	readonly cwd: string;
}

const COLUMNS = [
	"AGENT",
	"AGENTS",
	"PID",
	"STATE",
	"TURNS",
	"TOKENS",
	"IN",
	"CACHE-R",
	"CACHE-W",
	"OUT",
	"COST",
	"+BELOW",
	"TIME",
	"START",
	"WHERE",
	"TASK",
] as const;
const TO_THE_LEFT: ReadonlySet<string> = new Set(["AGENT", "STATE", "START", "WHERE", "TASK"]);
/** The least terminal width for a column: on a narrower one it is left out, so that the task is not cut to nothing. */
const FROM_COLUMNS: Readonly<Record<string, number>> = {
	AGENTS: 100,
	"+BELOW": 110,
	IN: 150,
	"CACHE-R": 150,
	"CACHE-W": 150,
	OUT: 150,
};
const LEAST_TASK_COLUMNS = 10;
const MOST_WHERE_COLUMNS = 24;
const UNKNOWN = "?";

type Row = Record<(typeof COLUMNS)[number], string>;

/** A header, then a line for each run and each agent. A column that would be empty is left out. */
export function runTable(runs: readonly ListedRun[], { now, columns, cwd }: TableView): string[] {
	const rows = runs.flatMap((run) => rowsOf(run, now, cwd));
	const header = Object.fromEntries(COLUMNS.map((name) => [name, name])) as Row;
	const hasRoom = (name: string) => columns === undefined || columns >= (FROM_COLUMNS[name] ?? 0);
	const used = COLUMNS.filter((name) => rows.some((row) => row[name] !== "") && hasRoom(name));
	const widths = used.map((name) => Math.max(...[header, ...rows].map((row) => displayWidth(row[name]))));
	return [header, ...rows].map((row) => {
		const cells = used.map((name, i) => {
			return name === "TASK" ? row.TASK : padWidth(row[name], widths[i] ?? 0, !TO_THE_LEFT.has(name));
		});
		const line = cells.join("  ").trimEnd();
		return columns === undefined ? line : fitWidth(line, Math.max(columns, LEAST_TASK_COLUMNS));
	});
}

/** The state of a run in one word: `running`, `stopping`, `suspended`, `crashed`, `answer`, `limit` … */
export function stateOfRun({ file, state, isSuspended }: ListedRun): string {
	if (state === undefined) return file.ending?.by ?? "crashed";
	if (state.ended !== undefined) return state.ended.ending.by;
	if (isSuspended) return "suspended";
	return state.stopping === undefined ? "running" : "stopping";
}

/** The state of an agent in one word: what it does, or how it ended. */
export function stateOfAgent(agent: Agent): string {
	return agent.state.is === "ended" ? agent.state.ending.by : agent.state.is;
}

/** A run's totals; undefined when it crashed, or was recorded before run.json had them. `costUsd` null: no price is known. */
export interface KnownTotals {
	readonly agents?: number | undefined;
	readonly turns?: number | undefined;
	readonly usage?: Usage | undefined;
	readonly costUsd?: number | null | undefined;
}

export function knownTotals({ file, state }: ListedRun): KnownTotals {
	if (state !== undefined) return totalsOf(agentsInOrder(state));
	const { agents, turns, usage, costUsd } = file;
	return { agents, turns, usage, costUsd };
}

function rowsOf(run: ListedRun, now: number, cwd: string): Row[] {
	if (run.state === undefined) return [rowOfRun(run, now, cwd)];
	const subtrees = subtreeTotals(run.state);
	const rows = agentsInOrder(run.state).map((agent) => rowOfAgent(agent, subtrees.get(agent.id), now));
	return [rowOfRun(run, now, cwd), ...rows];
}

function rowOfRun(run: ListedRun, now: number, cwd: string): Row {
	const { file, state } = run;
	const totals = knownTotals(run);
	const endedAt = state === undefined ? file.endedAt : (state.ended?.at ?? now);
	const isOver = state === undefined || state.ended !== undefined;
	return {
		AGENT: oneLine(file.run),
		AGENTS: state === undefined ? String(totals.agents ?? UNKNOWN) : "",
		PID: state === undefined ? "" : String(file.supervisor.pid),
		STATE: stateOfRun(run),
		TURNS: String(totals.turns ?? UNKNOWN),
		TOKENS: totals.usage === undefined ? UNKNOWN : formatUsedTokens(totals.usage),
		...kindsOf(totals.usage),
		COST: formatCost(totals.costUsd ?? null),
		"+BELOW": "",
		TIME: endedAt === undefined ? UNKNOWN : formatDuration(endedAt - file.startedAt),
		START: isOver ? startOf(file.startedAt, now) : "",
		WHERE: file.cwd === cwd ? "" : endOf(oneLine(file.cwd), MOST_WHERE_COLUMNS),
		TASK: firstLine(file.task),
	};
}

/** The tokens that were used; blank for a model that uses none. */
function kindsOf(usage: Usage | undefined): Pick<Row, "IN" | "CACHE-R" | "CACHE-W" | "OUT"> {
	if (usage === undefined || totalTokens(usage) === 0) return { IN: "", "CACHE-R": "", "CACHE-W": "", OUT: "" };
	const { input, cacheRead, cacheWrite, output } = usage;
	const [IN, read, written, OUT] = [input, cacheRead, cacheWrite, output].map(formatTokens);
	return { IN: IN ?? "", "CACHE-R": read ?? "", "CACHE-W": written ?? "", OUT: OUT ?? "" };
}

/** `18.3k $0.0600`: what an agent and all below it used; blank for an agent with none below it. */
function withBelow({ agents, usage, costUsd }: Totals): string {
	if (agents < 2 || (totalTokens(usage) === 0 && costUsd === 0)) return "";
	return `${formatUsedTokens(usage)} ${formatCost(costUsd)}`;
}

function rowOfAgent(agent: Agent, subtree: Totals | undefined, now: number): Row {
	return {
		AGENT: indented(agent.id),
		AGENTS: "",
		PID: String(agent.pid),
		STATE: shownState(agent, now),
		TURNS: String(agent.turns),
		TOKENS: formatUsedTokens(agent.usage),
		...kindsOf(agent.usage),
		COST: formatCost(agent.costUsd),
		"+BELOW": subtree === undefined ? "" : withBelow(subtree),
		TIME: formatDuration(ageOf(agent, now)),
		START: "",
		WHERE: "",
		TASK: firstLine(agent.task),
	};
}

function shownState(agent: Agent, now: number): string {
	if (pauseOf(agent) !== undefined) return "paused";
	return retryWait(agent.state, now) === undefined ? stateOfAgent(agent) : "retrying";
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
