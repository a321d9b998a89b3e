/** The orders of a list of agents. Pure. */
import { type Agent, type AgentId, compareAgentIds } from "../../../core/model/agent.ts";
import { totalTokens } from "../../../core/model/usage.ts";
import type { Agents } from "../../../core/run/agent-index.ts";
import { ageOf } from "../../../text/states.ts";
import { quietSince } from "./activity.ts";
import type { Told } from "./doing-now.ts";
import type { ListOrder } from "./tree-choices.ts";

/** The largest first; those without the property last, and equal ones in the order of the tree. */
export function sortedAgents(agents: Agents, by: ListOrder, told: Told): AgentId[] {
	const amounts = new Map(Object.values(agents).map((agent) => [agent.id, amountOf(agent, by, told)]));
	const amount = (id: AgentId) => amounts.get(id) ?? 0;
	return [...amounts.keys()].sort((a, b) => amount(b) - amount(a) || compareAgentIds(a, b));
}

function amountOf(agent: Agent, by: ListOrder, { activity, now }: Told): number {
	switch (by) {
		case "quiet": {
			const since = quietSince(agent, activity);
			return since === undefined ? -1 : Math.max(0, now - since);
		}
		case "age":
			return ageOf(agent, now);
		case "dollars":
			return agent.costUsd ?? -1; // a price that is not known
		case "tokens":
			return totalTokens(agent.usage);
	}
}
