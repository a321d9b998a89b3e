/** Two agents and their processes, for tests of which process belongs to whom. */
import type { RunState } from "../../../src/core/run/run-state.ts";
import type { ProcessInfo } from "../../../src/processes/table/process-table.ts";
import { commandStarted, joined, runOf } from "../core/run-of.ts";

/** Agent 1 (pid 100) with its command's bash (201); agent 1.1 (pid 111), in the session of that bash, with its own (202). */
export function twoAgents(maxProcesses: number): RunState {
	const at = (agent: string, pid: number) => ({ ...joined(agent, { maxProcesses }), pid }) as ReturnType<typeof joined>;
	return runOf(at("1", 100), at("1.1", 111), commandStarted("1", 1), commandStarted("1.1", 2));
}

export function info(pid: number, parent: number, session: number, more: Partial<ProcessInfo> = {}): ProcessInfo {
	return { pid, parent, session, group: session, startTime: "9", state: "S", name: "x", ...more };
}

export const TREE = [
	info(1, 0, 1),
	info(50, 1, 50),
	info(100, 50, 100),
	info(201, 100, 201),
	info(111, 201, 201),
	info(202, 111, 202),
];
/** An orphan: its parents are dead, only its session is left. */
export const bomb = (count: number) => Array.from({ length: count }, (_, i) => info(1000 + i, 1, 202));

export function table(processes: ProcessInfo[], cookies: Record<number, string> = {}) {
	return {
		list: () => processes,
		read: (pid: number) => processes.find((other) => other.pid === pid),
		environment: (pid: number) => (cookies[pid] === undefined ? undefined : { AGENTREE_AGENT: cookies[pid] }),
	};
}
