/** The lines above a transcript: which agent, under which limits, how it stands, its children. Pure. */
import { type Agent, type AgentId, isOver, parentOf } from "../../core/agent.ts";
import { LIMIT_TABLE, type Limits } from "../../core/limits.ts";
import { agentsInOrder, type RunState, type Totals, totalsOf } from "../../core/run-state.ts";
import { type Budget, budgetLeft, budgetsOf, totalsWithin } from "../../core/spending.ts";
import type { AgentFile } from "../../core/transcript.ts";
import { totalTokens } from "../../core/usage.ts";
import { dateTime } from "../../events/event-text.ts";
import { describeContext } from "../../models/context-use.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatLimit } from "../../text/limits.ts";
import { formatDollars } from "../../text/money.ts";
import { formatTokens } from "../../text/numbers.ts";
import { ageOf, describeState } from "../../text/states.ts";
import { firstLine, oneLine } from "../../text/terminal-safe.ts";
import { describeBudget, describeUsageFully } from "../../text/usage.ts";
import { fitWidth } from "../../text/width.ts";
import type { Paint } from "./paint.ts";
import { quoted } from "./transcript-text.ts";

export interface HeaderView {
	readonly paint: Paint;
	readonly now: number;
	readonly columns: number | undefined;
}

/** The header, with the whole task below it. The event log may not know the agent: then its state is not known. */
export function headerLines(file: AgentFile, state: RunState, { paint, now, columns }: HeaderView): string[] {
	const agent = state.agents[file.agent];
	const effort = file.effort === undefined ? "" : `, effort ${oneLine(file.effort)}`;
	const pid = agent === undefined ? "" : `pid ${agent.pid}, `;
	const lines = [
		`where   ${oneLine(file.cwd)}`,
		`process ${pid}started ${dateTime(file.joinedAt)}`,
		`model   ${oneLine(file.model)}${effort}`,
		`limits  ${describeLimits(file.limits)}`,
		...(agent === undefined ? ["state   not known"] : standing(state, agent, now)),
	];
	const cut = lines.map((line) => (columns === undefined ? line : fitWidth(line, columns)));
	const title = paint.bold(`agent ${oneLine(file.agent)} of run ${oneLine(file.run)}`);
	return [title, ...cut, "", ...quoted(file.task, paint)];
}

/** One line for each child: the ref to show it, its state, how long it took, and the command that has started it. */
export function childrenLines(state: RunState, parent: AgentId, { now, columns }: HeaderView): string[] {
	const children = agentsInOrder(state).filter((agent) => parentOf(agent.id) === parent);
	if (children.length === 0) return [];
	const lines = children.map((child) => {
		const by = child.command === undefined ? "" : `, by command ${child.command}`;
		const how = `${describeState(child, now)}${took(child, now)}${by}`;
		return `  ${oneLine(state.run)}/${child.id}  ${how}: ${firstLine(child.task)}`;
	});
	return ["", "children", ...lines.map((line) => (columns === undefined ? line : fitWidth(line, columns)))];
}

/** `state …` and `used …`; then, where there is something to say, what the agents below used, budgets, and the context. */
export function standing(run: RunState, agent: Agent, now: number): string[] {
	const all = totalsWithin(run, agent.id);
	const below = all.agents - 1;
	const budgets = budgetsOf(agent.limits, all).map(
		(budget) => `${describeBudget(budget)}${leftOf(run, agent, budget)}`,
	);
	const context = describeContext(agent);
	return [
		`state   ${describeState(agent, now)}`,
		`used    ${[...spent(totalsOf([agent])), formatDuration(ageOf(agent, now))].join(", ")}`,
		...(below > 0 ? [`all     with ${below} below: ${spent(all).join(", ")}`] : []),
		...(budgets.length > 0 ? [`budget  ${budgets.join("; ")}`] : []),
		...(context === undefined ? [] : [`context ${context}`]),
	];
}

function spent({ turns, usage, costUsd }: Totals): string[] {
	const isFree = totalTokens(usage) === 0 && costUsd === 0;
	return [turns === 1 ? "1 turn" : `${turns} turns`, ...(isFree ? [] : [describeUsageFully(usage, costUsd)])];
}

/** What is left to the agent, of its own budget and of those above it. */
function leftOf(run: RunState, agent: Agent, { limit }: Budget): string {
	const left = budgetLeft(run, agent, limit);
	return left === null ? "" : `, ${limit === "max-tokens" ? formatTokens(left) : formatDollars(left)} left`;
}

/** How long an agent took that is over; the state of a living one has its time already. */
function took(agent: Agent, now: number): string {
	return isOver(agent) ? `, took ${formatDuration(ageOf(agent, now))}` : "";
}

/** `max-depth 3, max-agents 64, …`: the limits in force, named like their flags. */
function describeLimits(limits: Limits): string {
	return LIMIT_TABLE.flatMap(({ key, flag, unit }) => {
		const most = limits[key];
		return most === undefined ? [] : [`${flag} ${formatLimit(unit, most)}`];
	}).join(", ");
}
