/**
 * The cgroups of one run, one for each agent, so that a process which only a cgroup still finds is found with its agent.
 * They lie side by side, however deep the tree is: every switch between processes costs the kernel more in a deeper
 * cgroup. An agent makes its own cgroup and moves there by itself, before its first command: both may wait some
 * milliseconds in the kernel, while the model already thinks, and the supervisor never waits for them. Only an agent in a sandbox, which
 * may write in none, is moved by the supervisor. An agent without a cgroup of its own stays in that of an agent above it.
 */
import { closeSync, mkdirSync, openSync, write } from "node:fs";
import { join } from "node:path";
import { type AgentId, isAgentId, ROOT } from "../../core/model/agent.ts";
import { withCgroupMembers } from "../table/belonging.ts";
import { type EndRequest, endProcesses } from "../table/end-processes.ts";
import type { Look, ProcessRef } from "../table/process-table.ts";
import { type Cgroup, type CgroupMembership, cgroupMembershipOf, cgroupPlaceOf, makeCgroup } from "./cgroup.ts";

const REMOVED_AT_ONCE = 8; // however many agents are over and still print

export class RunCgroup {
	private readonly whole: Cgroup;
	private readonly cgroups: Map<AgentId, Cgroup>;
	private readonly over: Set<AgentId>;
	private isRemoving = false;

	/** `whole`: that of the run. */
	constructor(whole: Cgroup) {
		const made = whole.children().filter(({ name }) => isAgentId(name));
		this.whole = whole;
		this.cgroups = new Map(made.map(({ name, cgroup }) => [name, cgroup]));
		this.over = new Set(this.cgroups.keys());
	}

	/** Says that the agent is about to join: it makes its cgroup itself. */
	add(agent: AgentId): void {
		this.over.delete(agent);
		this.cgroups.set(agent, this.whole.child(agent));
	}

	/** Moves a process there that was started for the agent, or at least into that of the run. */
	adopt(agent: AgentId, pid: number): void {
		if (this.cgroups.get(agent)?.add(pid) !== true) this.whole.add(pid);
	}

	/** True when the agent is in its own cgroup, and no other process is there or in those of agents below. Small reads. */
	isAlone(agent: AgentId, pid: number): boolean {
		const pids = this.pids(agent);
		return pids.length === 1 && pids[0] === pid;
	}

	/** Says that the agent is over: `removeOver` removes its cgroup once that is empty. */
	markOver(agent: AgentId): void {
		this.over.add(agent);
	}

	/** The processes in the cgroups of the agent and of all below it; for the root, all in that of the run. */
	pids(agent: AgentId): number[] {
		return agent === ROOT ? this.whole.pids() : this.within(agent).flatMap((cgroup) => cgroup.pids());
	}

	/** For each process of the run, the agent in whose cgroup it is. */
	owners(): Map<number, AgentId> {
		const owners = new Map<number, AgentId>(this.whole.pids().map((pid) => [pid, ROOT]));
		for (const [name, cgroup] of this.cgroups) for (const pid of cgroup.pids()) owners.set(pid, name);
		return owners;
	}

	/** SIGKILL to all of `pids` at once. `exceptPid` is moved to the run's own cgroup first. False before Linux 5.14. */
	kill(agent: AgentId, exceptPid: number | undefined): boolean {
		const { whole } = this;
		if (agent === ROOT && exceptPid === undefined) return whole.kill();
		const isFree = (cgroup: Cgroup) =>
			exceptPid === undefined || !cgroup.pids().includes(exceptPid) || whole.add(exceptPid);
		return this.within(agent).filter((cgroup) => isFree(cgroup) && cgroup.kill()).length > 0;
	}

	/** Removes cgroups of agents that are over, a few at a time, in the background. One in which something lives stays. */
	async removeOver(isStillOver: (agent: AgentId) => boolean): Promise<void> {
		if (this.isRemoving) return;
		this.isRemoving = true;
		for (const agent of [...this.over].slice(0, REMOVED_AT_ONCE)) {
			this.over.delete(agent);
			const cgroup = this.cgroups.get(agent);
			if (cgroup === undefined || !isStillOver(agent)) continue;
			const isRemoved = await cgroup.tryRemove();
			if (this.cgroups.get(agent) !== cgroup) continue; // it was resumed meanwhile
			if (isRemoved) this.cgroups.delete(agent);
			else this.over.add(agent);
		}
		this.isRemoving = false;
	}

	/** Removes all cgroups of the run, unless something lives in them. */
	remove(): void {
		this.whole.remove();
	}

	/** Those of the agent and of all below it. Called for each end, so it makes no list of all. */
	private within(agent: AgentId): Cgroup[] {
		const own = this.cgroups.get(agent);
		const found = own === undefined ? [] : [own];
		for (const [name, cgroup] of this.cgroups) if (name.startsWith(`${agent}.`)) found.push(cgroup);
		return found;
	}
}

/**
 * Makes the run's cgroup and moves the root agent there, which has started nothing yet: that may wait some milliseconds in the kernel.
 * Undefined where none can be made.
 */
export async function startRunCgroup(run: string, rootPid: number): Promise<RunCgroup | undefined> {
	const made = makeCgroup(run);
	if (made.is === "impossible") return undefined;
	const { cgroup } = made;
	const root = cgroup.make(ROOT);
	const isMoved =
		(root !== undefined && (await moveInto(root.path, rootPid))) || (await moveInto(cgroup.path, rootPid));
	if (isMoved) return new RunCgroup(cgroup);
	cgroup.remove(); // it was made, but the root could not be moved there
	return undefined;
}

/** The cgroups of the run in whose cgroup this process is; undefined if that is another run. */
export function ownRunCgroup(run: string): RunCgroup | undefined {
	const own = cgroupMembershipOf("self");
	return own?.run === run && own.cgroup !== undefined ? new RunCgroup(own.cgroup) : undefined;
}

/**
 * Moves this process to the cgroup in which it is, if that is one of a run, which `own` tells. The first move after a while waits in the
 * kernel for an RCU grace period, some 10 ms; one that follows at once does not. So the wait passes while the agent joins.
 * Resolves when the move is over: the next one may begin only then, for the last to end is the one that counts.
 */
export async function warmUpMove(own: Pick<CgroupMembership, "ownPath"> | undefined): Promise<void> {
	if (own?.ownPath !== undefined) await moveInto(own.ownPath);
}

/**
 * Moves a process, which is that agent, into the agent's own cgroup, after the move that `earlierMove` resolves with.
 * Resolves also when it has to stay where it is.
 */
export async function enterOwnCgroup(
	{ run, agent }: { run: string; agent: AgentId },
	{ pid = "self", earlierMove }: { pid?: number | "self"; earlierMove?: Promise<void> | undefined } = {},
): Promise<void> {
	const own = cgroupMembershipOf(pid);
	if (own?.run !== run || own.agent === agent || own.cgroup === undefined) return;
	const path = join(own.cgroup.path, agent);
	await earlierMove;
	await makeAndEnter(path, pid);
}

const MOVED_WITHIN_MS = 200;
const LOOK_MS = 2;

/** An agent in the sandbox of its parent can write in no cgroup: it waits until the supervisor has moved it, but not forever. */
export async function awaitOwnCgroup(agent: AgentId): Promise<void> {
	for (let waitedMs = 0; waitedMs < MOVED_WITHIN_MS; waitedMs += LOOK_MS) {
		const own = cgroupPlaceOf("self");
		if (own === undefined || own.agent === agent) return;
		await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
	}
}

/** The supervisor may just be removing the cgroup that the agent had before it was resumed: then it is made once more. */
async function makeAndEnter(path: string, pid: number | "self"): Promise<boolean> {
	const attempt = () => {
		make(path);
		return moveInto(path, pid);
	};
	return (await attempt()) || attempt();
}

/** Not in a thread: the move would begin only when this thread has its turn again, some milliseconds later. */
function make(path: string): void {
	try {
		mkdirSync(path);
	} catch {} // it is there already, or not allowed
}

/** The write starts at once, even while this thread is busy: with an asynchronous open it would wait for its turn. */
function moveInto(path: string, pid: number | "self" = "self"): Promise<boolean> {
	const text = pid === "self" ? "0" : String(pid); // 0: the process that writes
	return new Promise((resolve) => {
		try {
			const file = openSync(join(path, "cgroup.procs"), "r+"); // makes no file where there is no cgroup
			write(file, text, (error) => {
				closeSync(file);
				resolve(error === null);
			});
		} catch {
			resolve(false);
		}
	});
}

/**
 * Ends the processes that `find` finds and those in the cgroups of the agent and all below it. `exceptPid`, the agent's own
 * process, is left alone. What forks faster than it can be signaled one by one, the kernel kills at once; a `killUnseen` of
 * the request does that, too. Resolves to the survivors.
 */
export async function endWithCgroup(
	request: EndRequest,
	{ cgroup, agent, exceptPid }: { cgroup: RunCgroup | undefined; agent: AgentId; exceptPid: number | undefined },
): Promise<ProcessRef[]> {
	const members = () => cgroup?.pids(agent).filter((pid) => pid !== exceptPid) ?? [];
	const find = (look: Look) => withCgroupMembers(look, request.find(look), members());
	const killUnseen = request.killUnseen ?? (() => void cgroup?.kill(agent, exceptPid));
	const survivors = await endProcesses({ ...request, find, killUnseen });
	const isAnyLeft = survivors.length > 0 || members().length > 0;
	return isAnyLeft && cgroup?.kill(agent, exceptPid) === true
		? endProcesses({ ...request, find, killUnseen, graceMs: 0 })
		: survivors;
}
