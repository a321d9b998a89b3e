/** The names of agents among their siblings, made anew only when another one joins: each frame asks for them. */
import { type Agent, type AgentId, parentOf } from "../../core/agent.ts";
import { agentNames } from "../../text/agent-names.ts";

export function siblingNames(siblings: readonly Agent[]): ReadonlyMap<AgentId, string> {
	const parent = parentOf(siblings[0]?.id ?? "") ?? "";
	const known = named.get(parent);
	if (known?.siblings === siblings) return known.names;
	const names = known !== undefined && isSame(known.siblings, siblings) ? known.names : agentNames(siblings);
	named.set(parent, { siblings, names });
	return names;
}

/** The newest names of the children of each agent: a process shows one run. */
const named = new Map<AgentId, { siblings: readonly Agent[]; names: ReadonlyMap<AgentId, string> }>();

function isSame(known: readonly Agent[], siblings: readonly Agent[]): boolean {
	if (known.length !== siblings.length) return false;
	return siblings.every(({ id, task }, at) => known[at]?.id === id && known[at]?.task === task);
}
