/** What agents have used with each model: one that took another, or went on with another, has had several. Pure. */

import type { Agent } from "../model/agent.ts";
import { addDollars, addUsage, NO_USAGE, type Usage } from "../model/usage.ts";
import type { ModelSpending } from "../schemas/run-state.ts";

export type { ModelSpending } from "../schemas/run-state.ts";

interface Spent {
	readonly usage: Usage;
	readonly costUsd: number | null;
}

/** The agent with another model: what it has used up to now stays the old one's. */
export function withModel(agent: Agent, model: string): Agent {
	return model === agent.model ? agent : { ...agent, model, spentBy: spendingOf(agent) };
}

export function charged(agent: Agent, { usage, costUsd }: Spent): Agent {
	const all = { ...agent, usage: addUsage(agent.usage, usage), costUsd: addDollars(agent.costUsd, costUsd) };
	const { spentBy } = agent;
	return spentBy === undefined ? all : { ...all, spentBy: added(spentBy, { model: agent.model, usage, costUsd }) };
}

/** One entry for each model, those first that came first. */
export function spendingByModel(agents: readonly Agent[]): readonly ModelSpending[] {
	return agents.flatMap(spendingOf).reduce<readonly ModelSpending[]>(added, []);
}

function spendingOf({ spentBy = [], model, usage, costUsd }: Agent): readonly ModelSpending[] {
	if (spentBy.length === 0) return [{ model, usage, costUsd }];
	return spentBy.some((spent) => spent.model === model)
		? spentBy
		: [...spentBy, { model, usage: NO_USAGE, costUsd: 0 }];
}

function added(all: readonly ModelSpending[], { model, usage, costUsd }: ModelSpending): readonly ModelSpending[] {
	if (!all.some((spent) => spent.model === model)) return [...all, { model, usage, costUsd }];
	return all.map((spent) =>
		spent.model === model
			? { model, usage: addUsage(spent.usage, usage), costUsd: addDollars(spent.costUsd, costUsd) }
			: spent,
	);
}
