/**
 * Enforces `--max-processes`. What exceeds the limit may be a fork bomb, so it is frozen before all else. Most of it is found
 * by descent and session, since reading environments is expensive.
 */
import type { AgentId } from "../../core/agent.ts";
import { isOver } from "../../core/agent.ts";
import { parseCookie } from "../../core/cookie.ts";
import type { RunState } from "../../core/run-state.ts";
import type { Claims } from "../../processes/belonging.ts";
import type { SendSignal } from "../../processes/end-processes.ts";
import { ifSeen } from "../../processes/failed-look.ts";
import type { Look, ProcessTable } from "../../processes/process-table.ts";
import type { LimitCheck } from "./machine.ts";
import { findBreach, groupsBelow, roomLeft } from "./process-limit.ts";
import type { RunProcesses } from "./run-processes.ts";

const MAX_FREEZE_ROUNDS = 10;

export interface ProcessLimitDeps {
	readonly table: Pick<ProcessTable, "look">;
	readonly run: RunState;
	readonly processes: RunProcesses;
	/** Reads all of the run's cgroups. */
	readonly cgroupOwnerOf: () => NonNullable<Claims["cgroupOwnerOf"]>;
	readonly kill: SendSignal | undefined;
}

export function checkLimits({ table, run, processes, cgroupOwnerOf }: ProcessLimitDeps): LimitCheck {
	const { list, environment, read } = table.look();
	const infos = list();
	const groups = cgroupOwnerOf();
	let room = Number.POSITIVE_INFINITY;
	for (const ask of [() => undefined, limited(environment, run)]) {
		const owned = processes.ownersIn({ list: () => infos, read, environment: ask }, groups);
		const breach = findBreach(owned, run);
		if (breach !== undefined) return { is: "breached", breach };
		room = roomLeft(owned, run);
	}
	return { is: "kept", room };
}

/** No more environments are read than are needed: so many of this run are too many for any limit. */
function limited(environment: Look["environment"], run: RunState): Look["environment"] {
	const living = Object.values(run.agents).filter((agent) => !isOver(agent));
	const enough = Math.max(...living.map(({ limits }) => limits.maxProcesses));
	let found = 0;
	return (pid) => {
		const read = found > enough ? undefined : environment(pid);
		if (parseCookie(read ?? {}) !== undefined) found += 1;
		return read;
	};
}

/** Stops the groups. `alsoNew`: and what they had started before they stood, in groups of its own; gives all that stand. */
export function freezeGroups(
	agent: AgentId,
	groups: readonly number[],
	deps: ProcessLimitDeps,
): { alsoNew(): ReadonlySet<number> } {
	const frozen = new Set<number>();
	const freeze = (some: readonly number[]) => {
		for (const group of some) kill(-group, "SIGSTOP", deps.kill);
		for (const group of some) frozen.add(group);
	};
	const freezeNew = () => {
		for (let round = 0; round < MAX_FREEZE_ROUNDS; round++) {
			const { list, read, environment } = deps.table.look();
			const look = { list, read, environment: limited(environment, deps.run) };
			const owned = deps.processes.ownersIn(look, deps.cgroupOwnerOf()); // their parents live, so descent finds them
			const others = groupsBelow(owned, deps.run, agent).filter((group) => !frozen.has(group));
			if (others.length === 0) return;
			freeze(others);
		}
	};
	freeze(groups);
	return {
		alsoNew: () => {
			ifSeen(freezeNew);
			return frozen;
		},
	};
}

/** ESRCH: it has just ended. */
export function kill(
	pid: number,
	signal: "SIGSTOP" | "SIGKILL",
	send: SendSignal = (target, name) => process.kill(target, name),
): void {
	try {
		send(pid, signal);
	} catch {}
}
