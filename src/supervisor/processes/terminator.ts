/** Ends what an agent that is over has left, and at the end of a run everything that still belongs to it. */
import { type AgentId, isOver, isWithin, ROOT } from "../../core/agent.ts";
import { isCookieWithin } from "../../core/cookie.ts";
import type { RunState } from "../../core/run-state.ts";
import { ifSeen } from "../../processes/failed-look.ts";
import { findProcesses, withMembers } from "../../processes/find-processes.ts";
import type { ProcessInfo, ProcessRef, ProcessTable } from "../../processes/process-table.ts";
import { endWithGroup, type RunCgroup, startRunCgroup } from "../../processes/run-cgroup.ts";
import { isSameStart } from "../../processes/start-time.ts";

/** An agent gives its commands the whole grace; then it still has to say its last words. */
export const LAST_WORDS_MS = 2_500;

export interface CommandRef {
	readonly agent: AgentId;
	readonly command: number;
	readonly startTime: string;
}

export interface TerminatorDeps {
	table: ProcessTable;
	run: () => RunState;
	/** Every command ever started, by the pid of its shell. */
	commandByPid: ReadonlyMap<number, CommandRef>;
	kill?: (pid: number, signal: "SIGKILL") => void;
}

export interface Terminator {
	/** `isGone`: the agent's own process belongs to it too. Resolves with what could not be ended. */
	end(agent: AgentId, options: { isGone: boolean; graceMs: number }): Promise<ProcessRef[]>;
	/**
	 * Kills at once what needs no look: all in the agent's group, and the groups of its running commands. The agent itself is
	 * spared. A command runs until its agent has told its end, so the number is not another's yet.
	 */
	killNow(agent: AgentId): void;
	/** What still lives of the agent and all below it, as far as one can look. */
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

export function createTerminator(facts: TerminatorDeps): Terminator {
	let cgroup: RunCgroup | undefined;
	const underWay = new Set<Promise<ProcessRef[]>>();
	const lookNow = () => facts.table.snapshot?.() ?? facts.table;
	const isOfNobody = (agent: AgentId) => {
		const known = facts.run().agents[agent];
		return known === undefined || isOver(known);
	};
	const killNow = (agent: AgentId, spared: number | undefined) => {
		cgroup?.kill(agent, spared);
		for (const group of runningGroups(facts, agent)) killGroup(group, facts.kill);
	};
	return {
		killNow: (agent) => killNow(agent, facts.run().agents[agent]?.pid),
		end: (agent, { isGone, graceMs }) => {
			if (!isGone && facts.run().agents[agent]?.commands === 0) return Promise.resolve([]); // it cannot have left anything
			const spared = isGone ? undefined : facts.run().agents[agent]?.pid;
			const carriers = new Set<string>();
			const find = (table = lookNow()) => processesBelow({ ...facts, table }, { root: agent, isGone, carriers });
			const killUnseen = () => killNow(agent, spared);
			const request = { table: facts.table, graceMs, find, killUnseen };
			const outcome = endWithGroup(request, { group: cgroup, agent, spared });
			const ending = outcome.finally(() => underWay.delete(ending));
			underWay.add(ending);
			return ending;
		},
		look: (agent) => {
			const table = lookNow();
			const below = () => processesBelow({ ...facts, table }, { root: agent, isGone: true });
			return ifSeen(() => withMembers(table, below(), cgroup?.pids(agent) ?? []))?.seen ?? [];
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

/** Whose number was checked when the command began. */
function runningGroups({ run, commandByPid }: TerminatorDeps, root: AgentId): number[] {
	const { agents } = run();
	const isRunning = ({ agent, command }: CommandRef) =>
		isWithin(agent, root) && agents[agent]?.running.some((other) => other.command === command) === true;
	return [...commandByPid].flatMap(([pid, command]) => (pid > 1 && isRunning(command) ? [pid] : []));
}

/** ESRCH: all in it has just ended. */
function killGroup(group: number, kill: TerminatorDeps["kill"] = (pid, signal) => process.kill(pid, signal)): void {
	try {
		kill(-group, "SIGKILL");
	} catch {}
}

function processesBelow(
	facts: TerminatorDeps,
	{ root, isGone, carriers }: { root: AgentId; isGone: boolean; carriers?: Set<string> },
): ProcessInfo[] {
	const run = facts.run();
	const within = Object.values(run.agents).filter(({ id }) => isWithin(id, root));
	const roots = within.filter(({ id }) => isGone || id !== root).map(({ pid, startTime }) => ({ pid, startTime }));
	const spared = isGone ? [] : within.filter(({ id }) => id === root).map(({ pid }) => pid);
	return findProcesses(facts.table, {
		roots,
		sessions: sessionsWithin(facts, root),
		cookie: (environment) => isCookieWithin(environment, run.run, root),
		startedSince: run.agents[ROOT]?.startTime ?? run.startTime,
		...(carriers === undefined ? {} : { carriers }),
		except: [process.pid, ...spared],
	});
}

/** A session id is its leader's pid: when that pid now starts at another time, the session is gone. */
function sessionsWithin({ table, commandByPid }: TerminatorDeps, root: AgentId): number[] {
	const sessions: number[] = [];
	for (const [pid, { agent, startTime }] of commandByPid) {
		if (!isWithin(agent, root)) continue;
		const leader = table.read(pid);
		if (leader === undefined || isSameStart(leader.startTime, startTime)) sessions.push(pid);
	}
	return sessions;
}
