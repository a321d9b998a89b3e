/** The sandboxes of a run's agents, what is held for them, and those in which git works on the worktrees of agents. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type AgentId, ROOT } from "../core/agent.ts";
import { findNsenter } from "../sandbox/find-nsenter.ts";
import { withoutEntry } from "../sandbox/in-worktree.ts";
import { readableAgentFile } from "../store/read-run.ts";
import type { AgentRegistry } from "./agent-registry.ts";
import { Confinements } from "./confinements.ts";
import { HeldPlaces, type HeldPlacesDeps } from "./holding/held-places.ts";
import { livingSandboxes } from "./processes/living-sandboxes.ts";
import type { Machine } from "./processes/machine.ts";
import type { RunTimers } from "./run-timers.ts";
import { EMPTY, Sandboxes, type SandboxesDeps } from "./sandboxes.ts";

interface CreateDeps extends Omit<SandboxesDeps, "uid" | "held">, Pick<HeldPlacesDeps, "now" | "emit"> {
	readonly registry: Pick<AgentRegistry, "get">;
	readonly machine: Pick<Machine, "processesOf">;
	readonly timers: Pick<RunTimers, "after">;
}

export function createSandboxes({ registry, ...deps }: CreateDeps) {
	const confinements = new Confinements(deps.settings);
	const held = createHeldPlaces(deps);
	const sandboxes = new Sandboxes({ ...deps, held, uid: process.getuid?.() ?? 0 });
	const fileOf = (agent: AgentId) => registry.get(agent)?.file ?? readableAgentFile(deps.directory, agent);
	/** For what the agent starts, for the root without one. `entry`: of a worktree that it may take away. */
	const gitSandbox = (above: AgentId | undefined, entry?: string) => {
		const confinement = above === undefined ? confinements.ofRun : fileOf(above)?.sandbox;
		return sandboxes.git(above, confinement && withoutEntry(confinement, entry));
	};
	return { confinements, sandboxes, gitSandbox, held };
}

function createHeldPlaces(deps: Omit<CreateDeps, "registry">): HeldPlaces {
	const { settings, directory, shimDirectory, machine, timers, run, emit, now } = deps;
	const empty = join(realpathSync(shimDirectory), EMPTY);
	const nsenter = settings.sandbox === undefined ? undefined : findNsenter();
	return new HeldPlaces({
		...{ emit, now, after: timers.after },
		directory: join(directory, "replaced"),
		sandboxes: () => livingSandboxes(machine.processesOf(ROOT), { empty, nsenter }),
		isBusy: () => Object.values(run().agents).some(({ running }) => running.length > 0),
	});
}
