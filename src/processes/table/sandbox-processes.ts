/** The processes that a sandbox itself consists of (agent/bash/confined.ts): bwrap, and the first process in its namespace. */
import type { ProcessInfo } from "./process-table.ts";

/** The name of the process whose end ends all others in its sandbox at once. */
export const SANDBOX_MONITOR = "bwrap";

/** `isAgent`: whether a pid is that of an agent, whose children alone count, since any process can take that name. */
export function sandboxesAmong(
	infos: readonly ProcessInfo[],
	isAgent: (pid: number) => boolean,
): (info: ProcessInfo) => boolean {
	const monitors = new Set(
		infos.flatMap(({ pid, name, parent }) => (name === SANDBOX_MONITOR && isAgent(parent) ? [pid] : [])),
	);
	return ({ pid, parent }) => monitors.has(pid) || monitors.has(parent);
}
