/** The line below the prompt. What matters least is left out first where there is too little room. Pure. */
import { isOver, ROOT } from "../../core/agent.ts";
import { countDoings } from "../../core/doing.ts";
import type { RunState, Totals } from "../../core/run-state.ts";
import { BUDGET_NOTICE_SHARE, budgetsOf, totalsWithin } from "../../core/spending.ts";
import { totalTokens } from "../../core/usage.ts";
import { contextShare, formatShare } from "../../models/context-use.ts";
import { fitWords } from "../../text/fit-words.ts";
import { formatCost } from "../../text/money.ts";
import type { ShownLine, Style } from "../../text/styled-line.ts";
import { describeBudget, formatUsedTokens } from "../../text/usage.ts";
import { displayWidth } from "../../text/width.ts";
import { counted, safeText } from "./shown-lines.ts";

export interface StatusOf {
	readonly run: RunState;
	readonly effort?: string | undefined;
	/** As it is to be shown: `~/src/x`. */
	readonly directory: string;
	readonly branch?: string | undefined;
}

interface Fact {
	readonly text: string;
	readonly style: Style;
	/** Facts with a higher one are left out first. */
	readonly rank: number;
}

const GAP = "  ";
const LEAST_DIRECTORY = 12;

export function statusLine(of: StatusOf, columns: number): ShownLine {
	let facts = factsOf(of).filter(({ text }) => text !== "");
	while (facts.length > 1 && widthOf(facts) > columns) {
		const last = facts.reduce((worst, fact) => (fact.rank > worst.rank ? fact : worst));
		const over = widthOf(facts) - columns;
		const room = displayWidth(last.text) - over;
		if (last.rank === DIRECTORY && room >= LEAST_DIRECTORY)
			facts = facts.map((fact) => (fact === last ? { ...fact, text: fitWords(fact.text, room) } : fact));
		else facts = facts.filter((fact) => fact !== last);
	}
	return {
		parts: facts.flatMap(({ text, style }, at) => [
			...(at === 0 ? [] : [{ text: GAP, style: "plain" } as const]),
			{ text: fitWords(text, columns), style },
		]),
	};
}

const DIRECTORY = 5;

function factsOf({ run, effort, directory, branch }: StatusOf): Fact[] {
	const root = run.agents[ROOT];
	const model = root?.model ?? run.model;
	const totals = totalsWithin(run, ROOT);
	const share = root === undefined ? undefined : contextShare(root);
	return [
		{ text: safeText(model), style: "dim", rank: 2 },
		{ text: safeText(effort ?? ""), style: "dim", rank: 6 },
		{ text: safeText(directory), style: "dim", rank: DIRECTORY },
		{ text: branch === undefined ? "" : `(${safeText(branch)})`, style: "dim", rank: 4 },
		{
			text: share === undefined ? "" : `${formatShare(share)} context`,
			style: share !== undefined && share > NEAR_FULL ? "warn" : "dim",
			rank: 3,
		},
		{ text: totalTokens(totals.usage) === 0 ? "" : `${formatUsedTokens(totals.usage)} tokens`, style: "dim", rank: 7 },
		{ text: totals.costUsd === 0 ? "" : formatCost(totals.costUsd), style: "dim", rank: 1 },
		agentsFact(run),
		limitFact(run, totals),
	];
}

const NEAR_FULL = 0.8;

function agentsFact({ agents }: RunState): Fact {
	const below = Object.values(agents).filter((agent) => agent.id !== ROOT && !isOver(agent));
	if (below.length === 0) return { text: "", style: "dim", rank: 0 };
	const { queued, paused } = countDoings(below);
	const waits = queued + paused;
	const waiting = waits === 0 ? "" : `, ${waits} waiting`;
	return { text: `${counted(below.length, "agent")}${waiting}`, style: "plain", rank: 0 };
}

/** The limit of the run that is nearest to its end, when it is near. */
function limitFact({ agents, limits }: RunState, totals: Totals): Fact {
	const near = budgetsOf(limits, totals).flatMap((budget) => {
		const share = budget.spent === null ? 0 : budget.spent / budget.most;
		return share < BUDGET_NOTICE_SHARE ? [] : [{ share, text: describeBudget(budget) }];
	});
	const own = agents[ROOT]?.turns ?? 0;
	for (const [taken, most] of [
		[totals.turns, limits.maxTotalTurns],
		[own, agents[ROOT]?.limits.maxTurns ?? limits.maxTurns],
	] as const)
		if (taken / most >= BUDGET_NOTICE_SHARE) near.push({ share: taken / most, text: `${taken} of ${most} turns` });
	const nearest = near.sort((a, b) => b.share - a.share)[0];
	return { text: nearest?.text ?? "", style: "warn", rank: 0 };
}

function widthOf(facts: readonly Fact[]): number {
	return facts.reduce((sum, { text }) => sum + displayWidth(text) + GAP.length, -GAP.length);
}
