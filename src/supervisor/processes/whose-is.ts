/**
 * Whose a process is, as the kernel shows it: its pid in its own namespace leads to the process, and that belongs to a
 * command of this run by descent, by its session, by what an earlier look has found, by its initial environment, or by its
 * cgroup. What a message says beside the pid decides nothing. The supervisor, and what it was started by, is never inside.
 */

import { defined } from "../../core/defined.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { boundBy } from "../../processes/table/belonging.ts";
import { hostPid, type NamedProcess, type NamespaceFacts } from "../../processes/table/host-pid.ts";
import { hasEnded, type Look, type ProcessInfo } from "../../processes/table/process-table.ts";
import { isOtherStart } from "../../processes/table/start-time.ts";
import type { RunProcesses } from "./run-processes.ts";

/** A process as it names itself. */
export interface NamedSelf extends NamedProcess {
	/** Told only by a process that can read its own /proc. */
	readonly startTime?: string;
}

/** `reason` is in words for the process. */
export type Belonging =
	/**
	 * `agent`: whose command it is of, or the agent that it is itself. `place`: the same by its ancestors and its session alone,
	 * which it cannot make up as it can its environment; absent when it has left both.
	 */
	| { readonly is: "inside"; readonly agent: AgentId; readonly place?: AgentId; readonly info: ProcessInfo }
	| { readonly is: "outside"; readonly reason: string; readonly info: ProcessInfo }
	/** It is over, or cannot be seen, or is not the process that it says. */
	| { readonly is: "gone"; readonly reason: string };

/** For when the processes cannot be looked at. */
export const UNSEEN = {
	is: "gone",
	reason: "the processes of this system cannot be looked at now: wait until some have ended, then try again",
} as const;

export interface WhoseIsDeps {
	readonly look: Look;
	readonly run: string;
	readonly processes: RunProcesses;
	/** That of the supervisor. */
	readonly pidNamespace: string | null;
	readonly supervisorPid: number;
	readonly facts: NamespaceFacts;
	/** Whether a process has the mark of another run. */
	readonly hasOtherMark: (pid: number, run: string) => boolean;
	/** The run and the agent in whose cgroup a process is. */
	readonly cgroupOf: (pid: number) => { readonly run: string; readonly agent: AgentId } | undefined;
}

export function whoseIs(named: NamedSelf, deps: WhoseIsDeps): Belonging {
	const info = findNamed(named, deps);
	if (info === undefined)
		return gone(`its process (${nameOf(named, deps)}) is not to be seen from where the supervisor runs`);
	if (info.pid <= 1) return gone(`the process with pid ${info.pid} of a system is never an agent`);
	if (named.startTime !== undefined && isOtherStart(named.startTime, info.startTime))
		return gone(`pid ${named.pid} is another process, which started at another time`);
	const cgroup = deps.cgroupOf(info.pid);
	if (cgroup !== undefined && cgroup.run !== deps.run)
		return { is: "outside", reason: `it belongs to run ${cgroup.run}`, info };
	const placed = deps.processes.ownerOf(info, deps.look, false);
	if (placed === undefined && cgroup === undefined && deps.hasOtherMark(info.pid, deps.run))
		return { is: "outside", reason: "it belongs to another run", info };
	const bound = (owner: AgentId | undefined) => boundBy(deps.processes.nearestKnown(cgroup?.agent), owner);
	const agent = bound(placed ?? lostOwnerOf(info, deps));
	const place = placed === undefined ? undefined : bound(placed);
	if (agent !== undefined) return { is: "inside", agent, info, ...defined({ place }) };
	return { is: "outside", reason: "it is not below any agent of this run", info };
}

function gone(reason: string): Belonging {
	return { is: "gone", reason };
}

function findNamed(named: NamedSelf, { look, pidNamespace, facts }: WhoseIsDeps): ProcessInfo | undefined {
	const pid = hostPid(named, { own: pidNamespace, pids: () => look.list().map((info) => info.pid), facts });
	const info = pid === undefined ? undefined : look.read(pid);
	return info === undefined || hasEnded(info) ? undefined : info;
}

function nameOf({ pid, pidNamespace }: NamedSelf, { pidNamespace: own }: WhoseIsDeps): string {
	if (pidNamespace === own) return `pid ${pid}`;
	if (pidNamespace === null) return `pid ${pid} of a pid namespace that it cannot tell: it needs /proc`;
	return `pid ${pid} of another pid namespace`;
}

/** The owner of a process that has left its place. */
function lostOwnerOf(info: ProcessInfo, { look, processes, supervisorPid }: WhoseIsDeps): AgentId | undefined {
	return isAtOrAbove(info, supervisorPid, look) ? undefined : processes.ownerOf(info, look, true);
}

const MAX_ANCESTORS = 4096;

/** Whether the process is that with the pid, or an ancestor of it. */
function isAtOrAbove({ pid: sought }: ProcessInfo, below: number, look: Pick<Look, "read">): boolean {
	let pid = below;
	for (let step = 0; pid > 1 && step < MAX_ANCESTORS; step++) {
		if (pid === sought) return true;
		pid = look.read(pid)?.parent ?? 0;
	}
	return false;
}
