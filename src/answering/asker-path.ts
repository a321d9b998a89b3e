/** Who asks, as people know agents: `1 release › 1.2 linker (code)`. Pure. */
import { type Agent, type AgentId, parentOf, withAncestors } from "../core/agent.ts";
import type { RunState } from "../core/run-state.ts";
import { agentNames } from "../text/agent-names.ts";
import { oneLine } from "../text/terminal-safe.ts";

/** The agent with those above it, the root first. */
export function askerPath({ agents }: Pick<RunState, "agents">, id: AgentId): string {
	return withAncestors(id)
		.toReversed()
		.map((one) => namedAgent(agents, one))
		.join(" › ");
}

/** For where it may be cut: the agent first, `1.2 linker (code) ‹ 1 release`. */
export function askerFirst({ agents }: Pick<RunState, "agents">, id: AgentId): string {
	return withAncestors(id)
		.map((one) => namedAgent(agents, one))
		.join(" ‹ ");
}

function namedAgent(agents: RunState["agents"], id: AgentId): string {
	const agent = agents[id];
	const name = nameOf(agents, id);
	return `${id}${name === "" ? "" : ` ${name}`}${roleOf(agent)}`;
}

function nameOf(agents: RunState["agents"], id: AgentId): string {
	const parent = parentOf(id);
	const siblings = Object.values(agents).filter((other) => parentOf(other.id) === parent);
	return agentNames(siblings).get(id) ?? "";
}

function roleOf(agent: Agent | undefined): string {
	return agent?.role === undefined ? "" : ` (${oneLine(agent.role)})`;
}
