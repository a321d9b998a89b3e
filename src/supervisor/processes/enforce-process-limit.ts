/**
 * Enforces `--max-processes`. Processes that exceed the limit may be a fork bomb, so they are frozen before anything else is
 * done. Most are found by descent and session, since reading environments is expensive.
 */
import { type AgentId, isOver } from "../../core/model/agent.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { Claims } from "../../processes/table/belonging.ts";
import type { SendSignal } from "../../processes/table/end-processes.ts";
import { ifSeen, type Look, type ProcessTable } from "../../processes/table/process-table.ts";
import type { LimitCheck } from "./machine.ts";
import { findBreach, groupsBelow, roomLeft } from "./process-limit.ts";
import type { RunProcesses } from "./run-processes.ts";

const MAX_FREEZE_ROUNDS = 10;

export interface ProcessLimitDeps {
	readonly table: Pick<ProcessTable, "look">;
	readonly run: RunState;
	readonly processes: RunProcesses;
	/** Reads all of the run's cgroups, and gives the function that says in which agent's a process is. */
	readonly readCgroupOwners: () => NonNullable<Claims["cgroupOwnerOf"]>;
	readonly kill: SendSignal | undefined;
}

/** Counts the processes of all agents: first without their cookies, then, unless a limit is exceeded, with them. */
export function checkLimits({ table, run, processes, readCgroupOwners }: ProcessLimitDeps): LimitCheck {
	const look = table.look();
	const infos = look.list();
	const cgroupOwnerOf = readCgroupOwners();
	let room = Number.POSITIVE_INFINITY;
	for (const environment of [() => undefined, boundedReads(look.environment, run)]) {
		const owned = processes.ownersIn({ list: () => infos, read: look.read, environment }, cgroupOwnerOf);
		const breach = findBreach(owned, run);
		if (breach !== undefined) return { is: "breached", breach };
		room = roomLeft(owned, run);
	}
	return { is: "kept", room };
}

/** Reads environments until there were more cookies than the widest limit allows: that many exceed any limit. */
function boundedReads(environment: Look["environment"], run: RunState): Look["environment"] {
	const living = Object.values(run.agents).filter((agent) => !isOver(agent));
	const enough = Math.max(...living.map(({ limits }) => limits.maxProcesses));
	let found = 0;
	return (pid) => {
		const read = found > enough ? undefined : environment(pid);
		if (parseCookie(read ?? {}) !== undefined) found += 1;
		return read;
	};
}

/**
 * Stops the process groups at once. `freezeNew` then stops the groups that these had started before they were stopped, and
 * gives all groups that are stopped.
 */
export function freezeGroups(
	agent: AgentId,
	groups: readonly number[],
	deps: ProcessLimitDeps,
): { freezeNew(): ReadonlySet<number> } {
	const frozen = new Set<number>();
	const freeze = (some: readonly number[]) => {
		for (const group of some) trySignal(-group, "SIGSTOP", deps.kill);
		for (const group of some) frozen.add(group);
	};
	const freezeRest = () => {
		for (let round = 0; round < MAX_FREEZE_ROUNDS; round++) {
			const { list, read, environment } = deps.table.look();
			const look = { list, read, environment: boundedReads(environment, deps.run) };
			const owned = deps.processes.ownersIn(look, deps.readCgroupOwners()); // the stopped parents are alive, so descent finds their children
			const others = groupsBelow(owned, deps.run, agent).filter((group) => !frozen.has(group));
			if (others.length === 0) return;
			freeze(others);
		}
	};
	freeze(groups);
	return {
		freezeNew: () => {
			ifSeen(freezeRest);
			return frozen;
		},
	};
}

/** Sends a signal and ignores that it cannot be sent: the process has just ended, or is another user's. `pid` below 0: to a group. */
export function trySignal(
	pid: number,
	signal: "SIGSTOP" | "SIGCONT" | "SIGKILL",
	send: SendSignal = (target, name) => process.kill(target, name),
): void {
	try {
		send(pid, signal);
	} catch {}
}
