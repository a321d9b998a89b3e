/** Ends all that an agent's commands have started, when its supervisor is gone and cannot do it. */
import { ROOT } from "../core/agent.ts";
import { isCookieWithin, tokenIn } from "../core/cookie.ts";
import { defined } from "../core/defined.ts";
import { belongingTo, type Claims } from "../processes/belonging.ts";
import { ifSeen } from "../processes/failed-look.ts";
import type { Look, ProcessTable } from "../processes/process-table.ts";
import { endWithCgroup, ownRunCgroup } from "../processes/run-cgroup.ts";
import { markOf, readMark } from "../processes/run-mark.ts";
import type { Joined } from "../protocol/joined-message.ts";
import { waitForParentKill } from "./bash/wait-for-parent-kill.ts";

/** A function that ends the processes of the agent once: every call gives the same promise. */
export function ownProcessesEnder(joined: Joined, table: ProcessTable): () => Promise<void> {
	let ending: Promise<void> | undefined;
	return () => {
		ending ??= endOwnProcesses(joined, table);
		return ending;
	};
}

/** Ends also what only the agent's cgroup still finds. The root ends the whole run. */
async function endOwnProcesses({ run, agent, token }: Joined, table: ProcessTable): Promise<void> {
	if (table.isCostly && agent !== ROOT && (await waitForParentKill(agent))) return;
	const cgroup = ownRunCgroup(run);
	const claims: Claims = {
		agentOfCookie: (environment, isForgeable) =>
			isCookieWithin(environment, run, agent) && (!isForgeable || tokenIn(environment) === token) ? agent : undefined,
		...(agent === ROOT && { agentOfMark: (pid: number) => (readMark(pid) === markOf(run) ? ROOT : undefined) }),
		...defined({ startedSince: ifSeen(() => table.read(process.pid))?.seen?.startTime }),
		memory: new Map(),
	};
	const find = (look: Look) => belongingTo(look, claims);
	await endWithCgroup({ table, find }, { cgroup, agent, exceptPid: process.pid });
}
