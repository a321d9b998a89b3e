/** The sandboxes of a run's agents, and those in which git works on the worktrees of agents. */
import type { AgentId } from "../core/agent.ts";
import { withoutEntry } from "../sandbox/in-worktree.ts";
import { readableAgentFile } from "../store/read-run.ts";
import type { AgentRegistry } from "./agent-registry.ts";
import { Confinements } from "./confinements.ts";
import { Sandboxes, type SandboxesDeps } from "./sandboxes.ts";

interface CreateDeps extends Omit<SandboxesDeps, "uid"> {
	readonly registry: Pick<AgentRegistry, "get">;
}

export function createSandboxes({ registry, ...deps }: CreateDeps) {
	const confinements = new Confinements(deps.settings);
	const sandboxes = new Sandboxes({ ...deps, uid: process.getuid?.() ?? 0 });
	const fileOf = (agent: AgentId) => registry.get(agent)?.file ?? readableAgentFile(deps.directory, agent);
	/** For what the agent starts, for the root without one. `entry`: of a worktree that it may take away. */
	const gitSandbox = (above: AgentId | undefined, entry?: string) => {
		const confinement = above === undefined ? confinements.ofRun : fileOf(above)?.sandbox;
		return sandboxes.git(above, confinement && withoutEntry(confinement, entry));
	};
	return { confinements, sandboxes, gitSandbox };
}
