/**
 * The control groups of one run: for each agent one, so that what only a group still finds is found with its agent. They
 * lie side by side, however deep the tree is: every switch between processes costs the kernel more in a deeper group.
 * An agent moves into its own by itself, before its first command: the write may wait some milliseconds in the kernel, in
 * which the model already thinks. One that has no group of its own stays in that of an agent above it.
 */
import { writeFile } from "node:fs";
import { join } from "node:path";
import { type AgentId, isAgentId, isWithin, ROOT } from "../core/agent.ts";
import { type Cgroup, cgroupRunOf, makeCgroup } from "./cgroup.ts";
import { type EndRequest, endProcesses } from "./end-processes.ts";
import { withMembers } from "./find-processes.ts";
import type { ProcessRef, ProcessTable } from "./process-table.ts";

export interface RunCgroup {
	/** For an agent that is about to join. */
	make(agent: AgentId): void;
	/** In the groups of the agent and of all below it; of the root, whatever is in the run's. */
	pids(agent: AgentId): number[];
	/** In whose group each is. */
	owners(): Map<number, AgentId>;
	/** SIGKILL to all of `pids` at once. `spared` stays, in the run's own group. False when the kernel cannot (Linux 5.14). */
	kill(agent: AgentId, spared: number | undefined): boolean;
	/** Those that are empty, of agents that are over. */
	removeOver(isOver: (agent: AgentId) => boolean): void;
	/** All, when nothing lives in them. */
	remove(): void;
}

/** With the root agent in it, which has started nothing yet. Undefined where none can be made. */
export function startRunCgroup(run: string, rootPid: number): RunCgroup | undefined {
	const made = makeCgroup(run);
	if (made.is === "impossible") return undefined;
	const { cgroup } = made;
	if (cgroup.make(ROOT)?.add(rootPid) === true || cgroup.add(rootPid)) return runCgroupIn(cgroup);
	cgroup.remove(); // it may be ours, and the one in which the root is not
	return undefined;
}

/** Of this process's own run. */
export function ownRunCgroup(run: string): RunCgroup | undefined {
	const own = cgroupRunOf("self");
	return own?.run === run && own.cgroup !== undefined ? runCgroupIn(own.cgroup) : undefined;
}

/** Resolves when this process, as that agent, is in its own group, or is known to stay where it is. */
export function enterOwnCgroup({ run, agent }: { run: string; agent: AgentId }): Promise<void> {
	const own = cgroupRunOf("self");
	if (own?.run !== run || own.agent === agent || own.cgroup === undefined) return Promise.resolve();
	const file = join(own.cgroup.path, agent, "cgroup.procs");
	return new Promise((resolve) => writeFile(file, "0", { flag: "r+" }, () => resolve())); // 0: who writes
}

/**
 * Ends what `find` finds and what is in the agent's groups, without `spared`, the agent itself. What forks faster than one
 * can look, so that signals one by one do not meet it, the kernel ends at once. Resolves to what survives.
 */
export async function endWithGroup(
	request: EndRequest,
	{ group, agent, spared }: { group: RunCgroup | undefined; agent: AgentId; spared: number | undefined },
): Promise<ProcessRef[]> {
	const members = () => group?.pids(agent).filter((pid) => pid !== spared) ?? [];
	const find = (now?: ProcessTable) => withMembers(now ?? request.table, request.find(now), members());
	const killUnseen = () => {
		request.killUnseen?.();
		group?.kill(agent, spared);
	};
	const left = await endProcesses({ ...request, find, killUnseen });
	const isLeft = left.length > 0 || members().length > 0;
	return isLeft && group?.kill(agent, spared) === true
		? endProcesses({ ...request, find, killUnseen, graceMs: 0 })
		: left;
}

function runCgroupIn(whole: Cgroup): RunCgroup {
	const groupsWithin = (agent: AgentId) =>
		whole.groups().filter(({ name }) => isAgentId(name) && isWithin(name, agent));
	return {
		make: (agent) => void whole.make(agent),
		pids: (agent) => (agent === ROOT ? whole.pids() : groupsWithin(agent).flatMap(({ cgroup }) => cgroup.pids())),
		owners: () => {
			const owners = new Map<number, AgentId>(whole.pids().map((pid) => [pid, ROOT]));
			for (const { name, cgroup } of groupsWithin(ROOT)) for (const pid of cgroup.pids()) owners.set(pid, name);
			return owners;
		},
		kill: (agent, spared) => {
			if (agent === ROOT && spared === undefined) return whole.kill();
			const isFree = (cgroup: Cgroup) => spared === undefined || !cgroup.pids().includes(spared) || whole.add(spared);
			return groupsWithin(agent).filter(({ cgroup }) => isFree(cgroup) && cgroup.kill()).length > 0;
		},
		removeOver: (isOver) => {
			for (const { name, cgroup } of groupsWithin(ROOT)) if (isOver(name)) cgroup.remove({ mayWait: false });
		},
		remove: () => void whole.remove(),
	};
}
