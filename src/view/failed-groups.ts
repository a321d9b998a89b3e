/** Agents that have failed, as groups of those that failed alike. Pure. */
import { type Agent, type AgentId, hasFailed, isWithin } from "../core/model/agent.ts";
import { agentsInOrder, type RunState } from "../core/run/run-state.ts";
import { wholeEnding } from "../text/states.ts";

export interface FailedGroup {
	/** How they ended: `failure: overloaded`. */
	readonly text: string;
	/** In tree order. */
	readonly agents: readonly AgentId[];
}

/** Those below `root`, the largest group first. */
export function failedGroups(run: RunState, root: AgentId): FailedGroup[] {
	const groups = new Map<string, AgentId[]>();
	for (const agent of agentsInOrder(run)) {
		const text = agent.id !== root && isWithin(agent.id, root) ? failureOf(agent) : undefined;
		if (text === undefined) continue;
		const agents = groups.get(text);
		if (agents === undefined) groups.set(text, [agent.id]);
		else agents.push(agent.id);
	}
	return [...groups].map(([text, agents]) => ({ text, agents })).sort((a, b) => b.agents.length - a.agents.length);
}

function failureOf(agent: Agent): string | undefined {
	return hasFailed(agent) && agent.state.is === "ended" ? wholeEnding(agent.state.ending) : undefined;
}
