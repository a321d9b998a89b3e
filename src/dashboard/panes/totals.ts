/** What the run has used, against its limits. */
import { depthOf } from "../../core/agent.ts";
import type { Limits } from "../../core/limits.ts";
import { type RunState, type Totals, totalsOf } from "../../core/run-state.ts";
import { BUDGET_NOTICE_SHARE } from "../../core/spending.ts";
import { totalTokens } from "../../core/usage.ts";
import { formatDuration } from "../../text/durations.ts";
import { formatCost, formatDollars } from "../../text/money.ts";
import { formatTokens } from "../../text/numbers.ts";
import { formatUsedTokens } from "../../text/usage.ts";
import { type Line, lineWidth, type Size, segment, type Tone } from "../scene/line.ts";
import type { Scene } from "../scene/scene.ts";

interface Fact {
	readonly name: string;
	readonly value: string;
	readonly tone: Tone;
	/** The highest is left out first. */
	readonly rank: number;
}

const BETWEEN = "  ";

export function totalsLine({ run, now }: Scene, { columns }: Size): Line {
	let facts = factsOf(run, now);
	for (let rank = 9; rank > 0 && lineWidth(factsLine(facts)) > columns; rank--)
		facts = facts.filter((fact) => fact.rank !== rank);
	return factsLine(facts);
}

function factsOf(run: RunState, now: number): Fact[] {
	const agents = Object.values(run.agents);
	const totals = totalsOf(agents);
	const active = agents.filter(({ state }) => state.is === "thinking" || state.is === "running").length;
	const depth = agents.reduce((deepest, { id }) => Math.max(deepest, depthOf(id)), 0);
	const { maxAgents, maxConcurrency, maxDepth, maxTotalTurns, maxTimeMs } = run.limits;
	const elapsed = Math.max(0, (run.ended?.at ?? now) - run.startedAt);
	const facts: Fact[] = [
		{ name: "agents", ...bounded(totals.agents, maxAgents), rank: 0 },
		{ name: "active", value: `${active}/${maxConcurrency}`, tone: "plain", rank: 3 },
		{ name: "depth", value: `${depth}/${maxDepth}`, tone: "plain", rank: 8 },
		{ name: "turns", ...bounded(totals.turns, maxTotalTurns), rank: 4 },
		tokensFact(totals, run.limits),
		{
			name: "time",
			value: `${wholeSeconds(elapsed)}/${limitTime(maxTimeMs)}`,
			tone: timeTone(elapsed, maxTimeMs),
			rank: 5,
		},
	];
	const cost = costFact(totals, run.limits);
	if (cost !== undefined) facts.splice(-1, 0, cost);
	if (run.refused > 0) facts.push({ name: "refused", value: String(run.refused), tone: "warn", rank: 2 });
	return facts;
}

function tokensFact({ usage }: Totals, { maxTokens }: Limits): Fact {
	const tokens = totalTokens(usage);
	if (maxTokens === undefined) return { name: "tokens", value: formatUsedTokens(usage), tone: "plain", rank: 7 };
	const value = `${formatUsedTokens(usage)} of ${formatTokens(maxTokens)}`;
	return { name: "tokens", value, tone: budgetTone(tokens, maxTokens), rank: 1 };
}

/** `$0.42 of $2`; undefined when nothing is or may be spent. */
function costFact({ costUsd }: Totals, { maxBudgetUsd }: Limits): Fact | undefined {
	if (maxBudgetUsd === undefined && costUsd === 0) return undefined;
	if (costUsd === null) return { name: "cost", value: "unknown", tone: "warn", rank: 6 };
	if (maxBudgetUsd === undefined) return { name: "cost", value: formatCost(costUsd), tone: "plain", rank: 6 };
	const value = `${formatDollars(costUsd)} of ${formatDollars(maxBudgetUsd)}`;
	return { name: "cost", value, tone: budgetTone(costUsd, maxBudgetUsd), rank: 0 };
}

/** A budget stands out from where agents are told about it. */
function budgetTone(spent: number, most: number): Tone {
	return spent >= most ? "bad" : spent >= most * BUDGET_NOTICE_SHARE ? "warn" : "plain";
}

function bounded(used: number, most: number): { value: string; tone: Tone } {
	return { value: `${used}/${most}`, tone: used >= most ? "warn" : "plain" };
}

function timeTone(elapsedMs: number, mostMs: number): Tone {
	return elapsedMs > mostMs * 0.9 ? "warn" : "plain";
}

/** `1h`, not `1h00m`. */
function limitTime(ms: number): string {
	return formatDuration(ms).replace(/h00m$/, "h").replace(/m00s$/, "m");
}

function wholeSeconds(ms: number): string {
	return ms < 1_000 ? "0s" : formatDuration(ms);
}

function factsLine(facts: readonly Fact[]): Line {
	return facts.flatMap(({ name, value, tone }) => [
		segment(`${BETWEEN.slice(1)}${name} `, "dim"),
		segment(value, tone),
		segment(BETWEEN.slice(1)),
	]);
}
