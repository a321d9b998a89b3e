/** The limits of a run of which most is used: one share from which on they are shown, and one wording, for every face. Pure. */
import type { Limits } from "../../core/limits/limits.ts";
import { type Agent, ROOT } from "../../core/model/agent.ts";
import { turnsTaken, workedMs } from "../../core/run/chat-progress.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { BUDGET_NOTICE_SHARE, budgetsOf, totalsWithin } from "../../core/run/spending.ts";
import { formatElapsed } from "../../text/durations.ts";
import { formatDefaultLimit } from "../../text/limits.ts";
import { describeBudget } from "../words/usage.ts";
import type { Tone } from "./doing-now.ts";

export interface NearLimit {
	readonly limit: keyof Limits;
	/** Of the limit; 1 where all is used. */
	readonly share: number;
	/** `61 of 64 agents` */
	readonly text: string;
	readonly tone: Tone;
}

/** The limits of the run that are near their end, the nearest first. A budget of which is not known how much is spent is none of them. */
export function nearLimits(run: RunState, now: number): NearLimit[] {
	return limitsOf(run, now)
		.filter(({ share }) => share >= BUDGET_NOTICE_SHARE)
		.sort((a, b) => b.share - a.share)
		.map((near) => ({ ...near, tone: limitTone(near.share) }));
}

/** A limit stands out from where agents are warned about theirs. */
export function limitTone(share: number): Tone {
	return share >= 1 ? "bad" : share >= BUDGET_NOTICE_SHARE ? "warn" : "plain";
}

/** The time that `max-time` counts: of a conversation, the time that its root has worked. */
export function timeUsedMs({ agents, startedAt }: RunState, now: number): number {
	const root = agents[ROOT];
	return root?.talked === undefined ? Math.max(0, now - startedAt) : workedMs(root, now);
}

function limitsOf(run: RunState, now: number): Omit<NearLimit, "tone">[] {
	const { maxTotalTurns, maxAgents, maxTimeMs } = run.limits;
	const totals = totalsWithin(run, ROOT);
	const time = timeUsedMs(run, run.ended?.at ?? now);
	return [
		...budgetsOf(run.limits, totals).map(
			(budget): Omit<NearLimit, "tone"> => ({
				limit: budget.limit === "max-tokens" ? "maxTokens" : "maxBudgetUsd",
				share: budget.spent === null ? 0 : budget.spent / budget.most,
				text: describeBudget(budget),
			}),
		),
		{ limit: "maxTotalTurns", share: totals.turns / maxTotalTurns, text: `${totals.turns} of ${maxTotalTurns} turns` },
		...turnsForMessage(run.agents[ROOT]),
		{ limit: "maxAgents", share: totals.agents / maxAgents, text: `${totals.agents} of ${maxAgents} agents` },
		{
			limit: "maxTimeMs",
			share: time / maxTimeMs,
			text: `${formatElapsed(time)} of ${formatDefaultLimit("time", maxTimeMs)}`,
		},
	];
}

/** Only a conversation has messages that turns are for. */
function turnsForMessage(root: Agent | undefined): Omit<NearLimit, "tone">[] {
	if (root?.talked === undefined) return [];
	const { maxTurns } = root.limits;
	const taken = turnsTaken(root);
	return [{ limit: "maxTurns", share: taken / maxTurns, text: `${taken} of ${maxTurns} turns for this message` }];
}
