/**
 * What budgets keep for the last calls, "report what you have", of all agents that have begun. The sums are updated when an
 * agent changes, so that no decision about a call walks all agents.
 */

import { type AgentId, isOver, withAncestors } from "../../../core/model/agent.ts";
import { roundDollars } from "../../../core/model/usage.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import type { ModelFacts } from "../../../models/provider/model-facts.ts";
import { highestCostOf } from "../../../models/provider/model-facts.ts";
import { type BudgetLimit, isBudgeted } from "./budget-scope.ts";

/** What a budget has to know of the model with a name. */
export type BudgetedModel = (model: string) => Pick<ModelFacts, "price" | "readsMessages">;

/** The longest answer of a last call. */
export const REPORT_ANSWER_TOKENS = 1_024;
/** The most that a last call adds to the context before it: longer results of commands are cut to it. */
export const REPORT_PROMPT_TOKENS = 2_048;

/** The cost of last calls. `unpriced`: how many of them have no known price, and are not in `usd`. */
interface Cost {
	readonly tokens: number;
	readonly usd: number;
	readonly unpriced: number;
}

const NOTHING: Cost = { tokens: 0, usd: 0, unpriced: 0 };

export class ReportCosts {
	readonly modelFacts: BudgetedModel;
	private readonly own = new Map<AgentId, Cost>();
	private readonly within = new Map<AgentId, Cost>();

	constructor(modelFacts: BudgetedModel) {
		this.modelFacts = modelFacts;
	}

	/** Updates the sums to the agent as it is now. */
	count(run: RunState, id: AgentId, hasReported: boolean): void {
		const agent = run.agents[id];
		const before = this.own.get(id);
		const hasBegun = agent !== undefined && agent.turns > 0 && !isOver(agent) && !hasReported;
		const isKept = hasBegun && withAncestors(id).some((above) => isBudgeted(run, above));
		const now = isKept ? this.costOf(agent.model, agent.contextTokens ?? 0) : undefined;
		if (before === undefined && now === undefined) return;
		if (now === undefined) this.own.delete(id);
		else this.own.set(id, now);
		const change = minus(now ?? NOTHING, before ?? NOTHING);
		for (const above of withAncestors(id)) this.within.set(above, plus(this.within.get(above) ?? NOTHING, change));
	}

	/** What is kept for all agents at and below `holder`, without those of `except`; as if no call were under way. */
	kept(holder: AgentId, limit: BudgetLimit, except: Iterable<AgentId>): number {
		let cost = this.within.get(holder) ?? NOTHING;
		for (const id of except) cost = minus(cost, this.own.get(id) ?? NOTHING);
		if (limit === "max-tokens") return cost.tokens;
		return cost.unpriced > 0 ? Number.POSITIVE_INFINITY : cost.usd;
	}

	private costOf(model: string, contextTokens: number): Cost {
		const { price, readsMessages } = this.modelFacts(model);
		if (!readsMessages) return NOTHING;
		const [prompt, output] = [contextTokens + REPORT_PROMPT_TOKENS, REPORT_ANSWER_TOKENS];
		const usd = highestCostOf(price, { prompt, output });
		return { tokens: prompt + output, usd: usd ?? 0, unpriced: usd === null ? 1 : 0 };
	}
}

function plus(a: Cost, b: Cost): Cost {
	return { tokens: a.tokens + b.tokens, usd: roundDollars(a.usd + b.usd), unpriced: a.unpriced + b.unpriced };
}

function minus(a: Cost, b: Cost): Cost {
	return plus(a, { tokens: -b.tokens, usd: -b.usd, unpriced: -b.unpriced });
}
