/** The line below the prompt. What matters least is left out first where there is too little room. Pure. */
import { countDoings } from "../../../core/doing.ts";
import { isOver, ROOT } from "../../../core/model/agent.ts";
import { totalTokens } from "../../../core/model/usage.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { totalsWithin } from "../../../core/run/spending.ts";
import { contextShare, formatShare } from "../../../models/catalogue.ts";
import { counted, formatCost } from "../../../text/numbers.ts";
import { displayWidth, fitWords } from "../../../text/width/width.ts";
import { type Line, type Style, segment } from "../../../tui/text/line.ts";
import { nearLimits } from "../../../view/agents/run-limits.ts";
import { formatUsedTokens } from "../../../view/words/usage.ts";
import { safeText } from "./shown-lines.ts";

export interface StatusOf {
	readonly run: RunState;
	readonly now: number;
	readonly effort?: string | undefined;
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

export function statusLine(of: StatusOf, columns: number): Line {
	let facts = factsOf(of).filter(({ text }) => text !== "");
	while (facts.length > 1 && widthOf(facts) > columns) {
		const last = facts.reduce((worst, fact) => (fact.rank > worst.rank ? fact : worst));
		const over = widthOf(facts) - columns;
		const room = displayWidth(last.text) - over;
		if (last.rank === DIRECTORY && room >= LEAST_DIRECTORY)
			facts = facts.map((fact) => (fact === last ? { ...fact, text: fitWords(fact.text, room) } : fact));
		else facts = facts.filter((fact) => fact !== last);
	}
	return facts.flatMap(({ text, style }, at) => [
		...(at === 0 ? [] : [segment(GAP)]),
		segment(fitWords(text, columns), style),
	]);
}

const DIRECTORY = 5;

function factsOf({ run, now, effort, directory, branch }: StatusOf): Fact[] {
	const root = run.agents[ROOT];
	const model = root?.model ?? run.model;
	const totals = totalsWithin(run, ROOT);
	const share = root === undefined ? undefined : contextShare(root);
	return [
		skippedFact(run),
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
		...limitFacts(run, now),
	];
}

/** It stands first, and is left out last. */
function skippedFact({ skipsPermissions, noSandbox }: RunState): Fact {
	if (noSandbox !== undefined && !skipsPermissions) return { text: "no sandbox", style: "warn", rank: 0 };
	return { text: skipsPermissions ? "NO SANDBOX, NO QUESTIONS" : "", style: "bad", rank: 0 };
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

/** The nearest limit is left out last. */
function limitFacts(run: RunState, now: number): Fact[] {
	return nearLimits(run, now).map(({ text, tone }, at) => ({ text, style: tone, rank: at === 0 ? 0 : OTHER_LIMITS }));
}

const OTHER_LIMITS = 1.5;

function widthOf(facts: readonly Fact[]): number {
	return facts.reduce((sum, { text }) => sum + displayWidth(text) + GAP.length, -GAP.length);
}
