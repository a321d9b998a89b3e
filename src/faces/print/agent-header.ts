/** The lines above a transcript: which agent, under which limits, how it stands, its children. Pure. */
import { type Agent, type AgentId, depthOf, isOver, parentOf } from "../../core/model/agent.ts";
import type { AgentFile } from "../../core/model/transcript.ts";
import { agentsInOrder, type RunState, totalsOf } from "../../core/run/run-state.ts";
import { type Budget, budgetLeft, budgetsOf, totalsWithin } from "../../core/run/spending.ts";
import { describeContext } from "../../models/context-use.ts";
import { formatDuration } from "../../text/durations.ts";
import { describeLimits, describeSetLimits } from "../../text/limits.ts";
import { formatDollars } from "../../text/money.ts";
import { formatTokens } from "../../text/numbers.ts";
import { firstLine, inOneLine, oneLine } from "../../text/safe/terminal-safe.ts";
import { wholeEnding } from "../../text/states.ts";
import { todoLines } from "../../text/todo.ts";
import { fitWidth } from "../../text/width/width.ts";
import { ageOf, doingLine } from "../../view/agents/doing-now.ts";
import { dateTime } from "../../view/clock-time.ts";
import { describeRole, describeToldFiles } from "../../view/words/agent-guidance.ts";
import { describeSandbox } from "../../view/words/sandbox.ts";
import { describeBudget, describeSpending } from "../../view/words/usage.ts";
import { describeWorktree } from "../../view/words/worktrees.ts";
import { rowsOf } from "./rows.ts";
import { quoted } from "./transcript-lines.ts";
import type { TranscriptView } from "./transcript-view.ts";

const LABEL_COLUMNS = 8;
const CAUSE_INDENT = "      ";

/** The width of the terminal, if there is one: only paths are not broken there. `isWhole`: nothing is left out. */
export interface HeaderView extends Pick<TranscriptView, "paint" | "columns" | "now" | "isWhole"> {
	/** The run's directory. */
	readonly directory: string;
}

/** The header, with the whole task below it. The event log may not know the agent: then its state is not known. */
export function headerLines(file: AgentFile, state: RunState, view: HeaderView): string[] {
	const { paint, now, columns, isWhole, directory } = view;
	const agent = state.agents[file.agent];
	const effort = file.effort === undefined ? "" : `, effort ${oneLine(file.effort)}`;
	const pid = agent === undefined ? "" : `pid ${agent.pid}, `;
	const limits = isWhole ? describeLimits(file.limits) : describeSetLimits(file.limits, depthOf(file.agent));
	const role = describeRole(file);
	const told = describeToldFiles(file, isWhole);
	const paths = [`where   ${oneLine(file.cwd)}`, `files   ${oneLine(directory)}`]; // not broken, so that they can be copied
	const worktree = state.worktrees?.[file.agent];
	if (worktree !== undefined) paths.push(`tree    ${describeWorktree(worktree)}`);
	const facts = [
		`process ${pid}started ${dateTime(file.joinedAt)}`,
		`model   ${oneLine(file.model)}${effort}`,
		...(role === undefined ? [] : [`role    ${oneLine(role)}`]),
		...(told === undefined ? [] : [`told by ${oneLine(told)}`]),
		...(limits === "" ? [] : [`limits  ${limits}`]),
		...(file.sandbox === undefined ? [] : [`sandbox ${describeSandbox(file.sandbox)}`]),
		...(agent === undefined ? ["state   not known"] : standing(state, agent, now)),
	];
	const title = paint.bold(`agent ${oneLine(file.agent)} of run ${oneLine(file.run)}`);
	return [title, ...paths, ...factRows(facts, columns), "", ...quoted(file.task, view)];
}

/** Facts of `standing`, as wide as the terminal. */
export function factRows(facts: readonly string[], columns: number | undefined): string[] {
	return facts.flatMap((fact) => rowsOf(fact.slice(LABEL_COLUMNS), { columns, first: fact.slice(0, LABEL_COLUMNS) }));
}

/**
 * For each child a line with the ref to show it, its state, how long it took, the command that has started it, and its task;
 * below it the whole cause of one that did not answer.
 */
export function childrenLines(state: RunState, parent: AgentId, { paint, now, columns }: HeaderView): string[] {
	const children = agentsInOrder(state).filter((agent) => parentOf(agent.id) === parent);
	if (children.length === 0) return [];
	const lines = children.flatMap((child) => {
		const by = child.command === undefined ? "" : `, by command ${child.command}`;
		const line = `  ${oneLine(state.run)}/${child.id}  ${howItStands(child, now)}${by}: ${firstLine(child.task)}`;
		const cause = isOver(child) && child.state.ending.by !== "answer" ? wholeEnding(child.state.ending) : "";
		return [
			columns === undefined ? line : fitWidth(line, columns),
			...rowsOf(cause, { columns, first: CAUSE_INDENT }).map(paint.red),
		];
	});
	return ["", "children", ...lines];
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
		`state   ${doingLine(agent, { now })}`,
		...todoLines(agent.todo ?? []).map((item, at) => `${at === 0 ? "plan" : "    "}    ${inOneLine(item)}`),
		`used    ${describeSpending(totalsOf([agent]))}, ${formatDuration(ageOf(agent, now))}`,
		...(below > 0 ? [`all     with ${below} below: ${describeSpending(all)}`] : []),
		...(budgets.length > 0 ? [`budget  ${budgets.join("; ")}`] : []),
		...(context === undefined ? [] : [`context ${context}`]),
	];
}

/** What is left to the agent, of its own budget and of those above it. */
function leftOf(run: RunState, agent: Agent, { limit }: Budget): string {
	const left = budgetLeft(run, agent, limit);
	return left === null ? "" : `, ${limit === "max-tokens" ? formatTokens(left) : formatDollars(left)} left`;
}

/** `answer, took 7s`; the state of a living one has its time already. */
function howItStands(agent: Agent, now: number): string {
	return isOver(agent)
		? `${agent.state.ending.by}, took ${formatDuration(ageOf(agent, now))}`
		: doingLine(agent, { now });
}
