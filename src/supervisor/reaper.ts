/** Ends what an agent that is over has left, and at the end of a run everything that still belongs to it. */
import { type AgentId, isOver, isWithin, ROOT } from "../core/agent.ts";
import type { RunState } from "../core/run-state.ts";
import { findProcesses, withMembers } from "../processes/find-processes.ts";
import type { ProcessInfo, ProcessRef, ProcessTable } from "../processes/process-table.ts";
import { endWithGroup, type RunCgroup, startRunCgroup } from "../processes/run-cgroup.ts";
import { isSameStart } from "../processes/start-time.ts";

/** An agent gives its commands the whole grace; then it still has to say its last words. */
export const LAST_WORDS_MS = 2_500;

export interface CommandRef {
	readonly agent: AgentId;
	readonly command: number;
	readonly startTime: string;
}

export interface ReaperFacts {
	table: ProcessTable;
	run: () => RunState;
	/** Every command ever started, by the pid of its shell. */
	commandByPid: ReadonlyMap<number, CommandRef>;
}

export interface Reaper {
	/** `isGone`: the agent's own process belongs to it too. Resolves with what could not be ended. */
	reap(agent: AgentId, options: { isGone: boolean; graceMs: number }): Promise<ProcessRef[]>;
	/** What still lives of the agent and all below it. */
	look(agent: AgentId): ProcessInfo[];
	/** Puts the root agent, and with it all that it will start, into a cgroup of the run, where one can be made. */
	adopt(pid: number | undefined): number | undefined;
	/** Makes the group into which an agent moves that is about to join. */
	makeGroup(agent: AgentId): void;
	/** In which agent's group each process of the run is. */
	members(): ReadonlyMap<number, AgentId>;
	/** Takes the run's groups away. */
	close(): void;
	/** Resolves when all that is under way is done. */
	idle(): Promise<void>;
}

export function createReaper(facts: ReaperFacts): Reaper {
	let cgroup: RunCgroup | undefined;
	const underWay = new Set<Promise<ProcessRef[]>>();
	const lookNow = () => facts.table.snapshot?.() ?? facts.table;
	const isOfNobody = (agent: AgentId) => {
		const known = facts.run().agents[agent];
		return known === undefined || isOver(known);
	};
	return {
		reap: (agent, { isGone, graceMs }) => {
			if (!isGone && facts.run().agents[agent]?.commands === 0) return Promise.resolve([]); // it cannot have left anything
			const spared = isGone ? undefined : facts.run().agents[agent]?.pid;
			const find = (table = lookNow()) => processesBelow({ ...facts, table }, agent, isGone);
			const ending = endWithGroup({ table: facts.table, graceMs, find }, { group: cgroup, agent, spared });
			const reaping = ending.finally(() => underWay.delete(reaping));
			underWay.add(reaping);
			return reaping;
		},
		look: (agent) => {
			const table = lookNow();
			return withMembers(table, processesBelow({ ...facts, table }, agent, true), cgroup?.pids(agent) ?? []);
		},
		adopt: (pid) => {
			if (pid !== undefined) cgroup = startRunCgroup(facts.run().run, pid);
			return pid;
		},
		makeGroup: (agent) => {
			cgroup?.removeOver(isOfNobody);
			cgroup?.make(agent);
		},
		members: () => cgroup?.owners() ?? new Map(),
		close: () => cgroup?.remove(),
		idle: async () => {
			await Promise.all(underWay);
		},
	};
}

function processesBelow(facts: ReaperFacts, root: AgentId, isGone: boolean): ProcessInfo[] {
	const run = facts.run();
	const within = Object.values(run.agents).filter(({ id }) => isWithin(id, root));
	const roots = within.filter(({ id }) => isGone || id !== root).map(({ pid, startTime }) => ({ pid, startTime }));
	const spared = isGone ? [] : within.filter(({ id }) => id === root).map(({ pid }) => pid);
	return findProcesses(facts.table, {
		roots,
		sessions: sessionsWithin(facts, root),
		cookie: (environment) => isCookieOf(environment.AGENTREE_AGENT, run.run, root),
		startedSince: run.agents[ROOT]?.startTime ?? run.startTime,
		except: [process.pid, ...spared],
	});
}

/** A session id is its leader's pid: when that pid now starts at another time, the session is gone. */
function sessionsWithin({ table, commandByPid }: ReaperFacts, root: AgentId): number[] {
	const sessions: number[] = [];
	for (const [pid, { agent, startTime }] of commandByPid) {
		if (!isWithin(agent, root)) continue;
		const leader = table.read(pid);
		if (leader === undefined || isSameStart(leader.startTime, startTime)) sessions.push(pid);
	}
	return sessions;
}

function isCookieOf(cookie: string | undefined, run: string, root: AgentId): boolean {
	const prefix = `${run}/`;
	return cookie?.startsWith(prefix) === true && isWithin(cookie.slice(prefix.length), root);
}
