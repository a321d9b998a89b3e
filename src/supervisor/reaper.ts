/** Ends what an agent that is over has left, and at the end of a run everything that still belongs to it. */
import { type AgentId, isWithin, ROOT } from "../core/agent.ts";
import type { RunState } from "../core/run-state.ts";
import { endProcesses } from "../processes/end-processes.ts";
import { findProcesses } from "../processes/find-processes.ts";
import type { ProcessInfo, ProcessRef, ProcessTable } from "../processes/process-table.ts";
import { isSameStart } from "../processes/start-time.ts";

export const GRACE_MS = 3_000;
/** An agent gives its commands the whole grace; then it still has to say its last words. */
export const LAST_WORDS_MS = 1_000;

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
	/** Resolves when all that is under way is done. */
	idle(): Promise<void>;
}

export function createReaper(facts: ReaperFacts): Reaper {
	const underWay = new Set<Promise<ProcessRef[]>>();
	return {
		reap: (agent, { isGone, graceMs }) => {
			const find = () => processesBelow(facts, agent, isGone);
			const reaping = endProcesses({ table: facts.table, graceMs, find }).finally(() => underWay.delete(reaping));
			underWay.add(reaping);
			return reaping;
		},
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
