import type { RunEvent } from "../../src/core/schemas/run-event.ts";
import { hasEnded, type ProcessInfo, procTable } from "../../src/processes/table/process-table.ts";
import type { Program } from "./program.ts";

/** The living processes that carry the cookie of the program's run: its agents and all that they have started. */
export function census(program: Pick<Program, "events">): ProcessInfo[] {
	const [started] = program.events();
	if (started?.event !== "run_started") return [];
	return procTable.list().filter((info) => {
		const cookie = procTable.environment(info.pid)?.AGENTREE_AGENT;
		return !hasEnded(info) && (cookie === started.run || cookie?.startsWith(`${started.run}/`));
	});
}

/** Agent → how it ended, in order of the ids. */
export function endings(events: readonly RunEvent[]): Record<string, string> {
	const pairs = events.flatMap((event) => (event.event === "agent_ended" ? [[event.agent, event.ending.by]] : []));
	return Object.fromEntries(pairs.sort());
}
