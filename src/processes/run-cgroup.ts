/**
 * The control groups of one run: for each agent one, so that what only a group still finds is found with its agent. They
 * lie side by side, however deep the tree is: every switch between processes costs the kernel more in a deeper group.
 * An agent moves into its own by itself, before its first command: the write may wait some milliseconds in the kernel, in
 * which the model already thinks. One that has no group of its own stays in that of an agent above it.
 */
import { writeFile } from "node:fs";
import { join } from "node:path";
import { type AgentId, isAgentId, ROOT } from "../core/agent.ts";
import { withMembers } from "./belonging.ts";
import { type Cgroup, cgroupRunOf, makeCgroup } from "./cgroup.ts";
import { type EndRequest, endProcesses } from "./end-processes.ts";
import type { Look, ProcessRef } from "./process-table.ts";

export interface RunCgroup {
	/** For an agent that is about to join. */
	make(agent: AgentId): void;
	/** The agent is in a group of its own, and nothing else is in it or in those of agents below: one small read. */
	isAlone(agent: AgentId, pid: number): boolean;
	/** The agent is over: its group goes when it is empty. */
	markOver(agent: AgentId): void;
	/** In the groups of the agent and of all below it; of the root, whatever is in the run's. */
	pids(agent: AgentId): number[];
	/** In whose group each is. */
	owners(): Map<number, AgentId>;
	/** SIGKILL to all of `pids` at once. `spared` stays, in the run's own group. False when the kernel cannot (Linux 5.14). */
	kill(agent: AgentId, spared: number | undefined): boolean;
	/** Groups of agents that are over, a few at a time; one in which something lives stays. */
	removeOver(isStillOver: (agent: AgentId) => boolean): void;
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
export function enterOwnCgroup(
	{ run, agent }: { run: string; agent: AgentId },
	pid: number | "self" = "self",
): Promise<void> {
	const own = cgroupRunOf(pid);
	if (own?.run !== run || own.agent === agent || own.cgroup === undefined) return Promise.resolve();
	return moveInto(join(own.cgroup.path, agent), pid);
}

function moveInto(path: string, pid: number | "self" = "self"): Promise<void> {
	const text = pid === "self" ? "0" : String(pid); // 0: who writes
	return new Promise((resolve) => writeFile(join(path, "cgroup.procs"), text, { flag: "r+" }, () => resolve()));
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
	const find = (look: Look) => withMembers(look, request.find(look), members());
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

const REMOVED_AT_ONCE = 8; // so that a join costs the same, however many agents are over and still print

function runCgroupIn(whole: Cgroup): RunCgroup {
	const groups = new Map(whole.groups().flatMap(({ name, cgroup }) => (isAgentId(name) ? [[name, cgroup]] : [])));
	const over = new Set(groups.keys());
	const groupsBelow = (agent: AgentId) => {
		const below: Cgroup[] = []; // each end asks: no list of all is made for it
		const prefix = `${agent}.`;
		for (const [name, cgroup] of groups) if (name.startsWith(prefix)) below.push(cgroup);
		return below;
	};
	const groupsWithin = (agent: AgentId) => [groups.get(agent) ?? [], groupsBelow(agent)].flat();
	const pidsWithin = (agent: AgentId) =>
		agent === ROOT ? whole.pids() : groupsWithin(agent).flatMap((cgroup) => cgroup.pids());
	return {
		make: (agent) => {
			over.delete(agent);
			const made = whole.make(agent);
			if (made !== undefined) groups.set(agent, made);
		},
		isAlone: (agent, pid) => {
			const own = agent === ROOT ? undefined : groups.get(agent)?.pids();
			return own?.length === 1 && own[0] === pid && groupsBelow(agent).every((below) => below.pids().length === 0);
		},
		markOver: (agent) => void over.add(agent),
		pids: pidsWithin,
		owners: () => {
			const owners = new Map<number, AgentId>(whole.pids().map((pid) => [pid, ROOT]));
			for (const [name, cgroup] of groups) for (const pid of cgroup.pids()) owners.set(pid, name);
			return owners;
		},
		kill: (agent, spared) => {
			if (agent === ROOT && spared === undefined) return whole.kill();
			const isFree = (cgroup: Cgroup) => spared === undefined || !cgroup.pids().includes(spared) || whole.add(spared);
			return groupsWithin(agent).filter((cgroup) => isFree(cgroup) && cgroup.kill()).length > 0;
		},
		removeOver: (isStillOver) => {
			for (const agent of [...over].slice(0, REMOVED_AT_ONCE)) {
				over.delete(agent);
				if (!isStillOver(agent)) continue;
				if (groups.get(agent)?.remove({ mayWait: false }) === false) over.add(agent);
				else groups.delete(agent);
			}
		},
		remove: () => void whole.remove(),
	};
}
