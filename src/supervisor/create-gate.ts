/** The gate of a run's commands, and what it decides by. */
import { AgentPolicies, type AgentPoliciesDeps } from "./agent-policies.ts";
import { deletableDirectories } from "./deletable-directories.ts";
import { Gate, type GateDeps } from "./gate.ts";

export function createGate(deps: Omit<GateDeps & AgentPoliciesDeps, "policies" | "deletable">): Gate {
	return new Gate({ ...deps, policies: new AgentPolicies({ ...deps, deletable: deletableDirectories }) });
}
