/** The orders of a list of agents. Pure. */
import { type AgentId, compareAgentIds } from "../../../core/model/agent.ts";
import { totalTokens } from "../../../core/model/usage.ts";
import type { AgentView, RunView } from "../../../view/agents/run-view.ts";
import type { ListOrder } from "./tree-choices.ts";

/** The largest first; those without the property last, and equal ones in the order of the tree. */
export function sortedAgents(view: RunView, by: ListOrder): AgentId[] {
	const amounts = new Map(view.agents.map((agent) => [agent.id, amountOf(agent, by)]));
	const amount = (id: AgentId) => amounts.get(id) ?? 0;
	return [...amounts.keys()].sort((a, b) => amount(b) - amount(a) || compareAgentIds(a, b));
}

function amountOf({ agent, ageMs, quietMs }: AgentView, by: ListOrder): number {
	switch (by) {
		case "quiet":
			return quietMs ?? -1;
		case "age":
			return ageMs;
		case "dollars":
			return agent.costUsd ?? -1; // a price that is not known
		case "tokens":
			return totalTokens(agent.usage);
	}
}
