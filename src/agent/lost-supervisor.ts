/** Ends all that an agent's commands have started, when its supervisor is gone and cannot do it. */
import { ROOT } from "../core/agent.ts";
import { isCookieWithin } from "../core/cookie.ts";
import { GRACE_MS } from "../processes/end-processes.ts";
import { ifSeen } from "../processes/failed-look.ts";
import { findProcesses } from "../processes/find-processes.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import { endWithGroup, ownRunCgroup } from "../processes/run-cgroup.ts";
import type { Joined } from "../protocol/agent-messages.ts";
import { isEndedFromAbove } from "./bash/wait-for-parent-kill.ts";

/** A function that ends the processes of the agent once: every call gives the same promise. */
export function ownProcessesEnder(joined: Joined, table: ProcessTable): () => Promise<void> {
	let ending: Promise<void> | undefined;
	return () => {
		ending ??= endOwnProcesses(joined, table);
		return ending;
	};
}

/** Ends also what only the agent's cgroup still finds. The root ends the whole run. */
async function endOwnProcesses({ run, agent }: Joined, table: ProcessTable): Promise<void> {
	const isSlow = table.fresh !== undefined;
	if (isSlow && agent !== ROOT && (await isEndedFromAbove(agent))) return;
	const cookie = (environment: Record<string, string>) => isCookieWithin(environment, run, agent);
	const group = ownRunCgroup(run);
	const self = ifSeen(() => table.read(process.pid))?.seen; // when it cannot be seen, the cookie and the group tell
	const roots = self === undefined ? [] : [self];
	const below = {
		roots,
		sessions: [],
		cookie,
		startedSince: self?.startTime ?? "0",
		except: [],
		carriers: new Set<string>(),
	};
	const find = (now = table) => findProcesses(now, below);
	await endWithGroup({ table, graceMs: GRACE_MS, find }, { group, agent, spared: process.pid });
}
