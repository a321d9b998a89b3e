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
	padWidth,
} from "../core/format.ts";
import { totalTokens } from "../core/model.ts";
import { agentsInOrder, type RunState, totalsOf } from "../core/run-state.ts";
import type { RunFile } from "../core/transcript.ts";

/** `state` is undefined for a run of which only run.json was read: it is over. */
export interface ListedRun {
	readonly file: RunFile;
	readonly state?: RunState;
}

const COLUMNS = ["AGENT", "PID", "STATE", "TURNS", "TOKENS", "COST", "AGE", "TASK"] as const;
const TO_THE_RIGHT: ReadonlySet<string> = new Set(["PID", "TURNS", "TOKENS", "COST", "AGE"]);
const LEAST_TASK_COLUMNS = 10;

type Row = Record<(typeof COLUMNS)[number], string>;

/** A header, a line a run, a line an agent. Not cut when `columns` is undefined. */
export function runTable(runs: readonly ListedRun[], { now, columns }: { now: number; columns: number | undefined }) {
	const rows = runs.flatMap((run) => rowsOf(run, now));
	const header = Object.fromEntries(COLUMNS.map((name) => [name, name])) as Row;
	const widths = COLUMNS.map((name) => Math.max(...[header, ...rows].map((row) => displayWidth(row[name]))));
	return [header, ...rows].map((row) => {
		const cells = COLUMNS.map((name, i) => {
			return name === "TASK" ? row.TASK : padWidth(row[name], widths[i] ?? 0, TO_THE_RIGHT.has(name));
		});
		const line = cells.join("  ").trimEnd();
		return columns === undefined ? line : fitWidth(line, Math.max(columns, LEAST_TASK_COLUMNS));
	});
}

/** One word: `running`, `stopping`, `crashed`, `answer`, `limit` … */
export function stateOfRun({ file, state }: ListedRun): string {
	if (state === undefined) return file.ending?.by ?? "crashed";
	if (state.ended !== undefined) return state.ended.ending.by;
	return state.stopping === undefined ? "running" : "stopping";
}

/** One word: what it does, or how it ended. */
export function stateOfAgent(agent: Agent): string {
	return agent.state.is === "ended" ? agent.state.ending.by : agent.state.is;
}

function rowsOf(run: ListedRun, now: number): Row[] {
	const agents = run.state === undefined ? [] : agentsInOrder(run.state);
	return [rowOfRun(run, now), ...agents.map((agent) => rowOfAgent(agent, now))];
}

function rowOfRun(run: ListedRun, now: number): Row {
	const { file, state } = run;
	const totals = state === undefined ? undefined : totalsOf(agentsInOrder(state));
	const endedAt = state === undefined ? file.ended_at : (state.ended?.at ?? now);
	return {
		AGENT: file.run,
		PID: String(file.supervisor.pid),
		STATE: stateOfRun(run),
		TURNS: totals === undefined ? "-" : String(totals.turns),
		TOKENS: totals === undefined ? "-" : formatTokens(totalTokens(totals.usage)),
		COST: totals === undefined ? "-" : formatCost(totals.costUsd),
		AGE: endedAt === undefined ? "-" : formatDuration(endedAt - file.started_at),
		TASK: firstLine(file.task),
	};
}

function rowOfAgent(agent: Agent, now: number): Row {
	return {
		AGENT: indented(agent.id),
		PID: String(agent.pid),
		STATE: stateOfAgent(agent),
		TURNS: String(agent.turns),
		TOKENS: formatTokens(totalTokens(agent.usage)),
		COST: formatCost(agent.costUsd),
		AGE: formatDuration(ageOf(agent, now)),
		TASK: firstLine(agent.task),
	};
}

function indented(agent: AgentId): string {
	return `${"  ".repeat(depthOf(agent) + 1)}${agent}`;
}
