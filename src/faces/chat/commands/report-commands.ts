/** Slash commands that tell what the conversation has used. */
import { ROOT } from "../../../core/model/agent.ts";
import { spendingByModel } from "../../../core/run/model-spending.ts";
import { agentsInOrder, totalsOf } from "../../../core/run/run-state.ts";
import { budgetsOf, totalsWithin } from "../../../core/run/spending.ts";
import { describeBudget, describeSpending, describeUsageFully } from "../../../view/words/usage.ts";
import { type ChatState, next, type Told } from "../chat-state.ts";
import { request } from "../requests.ts";
import type { SlashCommand } from "./slash-command.ts";

export const REPORT_COMMANDS: readonly SlashCommand[] = [
	{
		...{ word: "cost", synonyms: ["usage", "tokens", "stats"], needsRun: true },
		help: "show turns, tokens and cost: this agent, all agents, by model",
		act: (state) => next(state, { do: "tell", told: costs(state) }),
	},
	{
		...{ word: "context", needsRun: true },
		help: "show what fills the context",
		act: (state) => request(state, { say: "context", agent: ROOT }),
	},
];

function costs({ run }: ChatState): Told[] {
	const root = run?.agents[ROOT];
	if (run === undefined || root === undefined) return [];
	const all = agentsInOrder(run);
	const models = spendingByModel(all);
	const budgets = budgetsOf(root.limits, totalsWithin(run, ROOT)).map(
		(budget) => `${budget.limit}: ${describeBudget(budget)}`,
	);
	const others = all.length === 1 ? [] : [`all ${all.length} agents: ${describeSpending(totalsOf(all))}`];
	const byModel =
		models.length === 1
			? []
			: models.map((spent) => `  ${spent.model}: ${describeUsageFully(spent.usage, spent.costUsd)}`);
	const own = `${all.length === 1 ? "this chat" : "agent 1 alone"}: ${describeSpending(totalsOf([root]))}`;
	return [own, ...others, ...byModel, ...budgets].map((text) => ({ text, tone: "plain" }));
}
