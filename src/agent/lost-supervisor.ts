/**
 * What an agent does when its supervisor is gone: it ends all that its commands have started, for nobody else will. Where
 * a look at the process table costs a process, a whole tree that looks at once holds itself up. There the root looks at
 * once; the others give it a moment: the SIGTERM that it sends to all below it says that it does their work, too.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../core/agent.ts";
import { GRACE_MS } from "../processes/end-processes.ts";
import { findProcesses } from "../processes/find-processes.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import { endWithGroup, ownRunCgroup } from "../processes/run-cgroup.ts";
import type { Joined } from "../protocol/messages.ts";

const OTHERS_MS = 1_000;

/** Asked again, it gives the same promise. */
export function ownProcessesEnder(joined: Joined, table: ProcessTable): () => Promise<void> {
	let ending: Promise<void> | undefined;
	return () => {
		ending ??= endOwnProcesses(joined, table);
		return ending;
	};
}

/** Also what only its cgroup still finds; the root ends the whole run. */
async function endOwnProcesses({ run, agent }: Joined, table: ProcessTable): Promise<void> {
	const isSlow = table.fresh !== undefined;
	if (isSlow && agent !== ROOT && (await isEndedFromAbove())) return;
	const own = `${run}/${agent}`;
	const cookie = (environment: Record<string, string>) =>
		environment.AGENTREE_AGENT === own || environment.AGENTREE_AGENT?.startsWith(`${own}.`) === true;
	const self = table.read(process.pid);
	const roots = self === undefined ? [] : [self];
	const startedSince = self?.startTime ?? "0";
	const group = ownRunCgroup(run);
	const below = { roots, sessions: [], cookie, startedSince, except: [] };
	const find = (now = table) => findProcesses(now, below);
	await endWithGroup({ table, graceMs: GRACE_MS, find }, { group, agent, spared: process.pid });
}

/** Whether an agent above, which lives, sends us SIGTERM. Nobody does when all above are dead or suspended. */
async function isEndedFromAbove(): Promise<boolean> {
	let onTerm = () => {};
	const termed = new Promise<boolean>((resolve) => {
		onTerm = () => resolve(true);
		process.once("SIGTERM", onTerm);
	});
	const isTermed = await Promise.race([termed, sleep(OTHERS_MS, false)]);
	process.removeListener("SIGTERM", onTerm);
	return isTermed;
}
