/** Which reader of the process table: /proc where there is one, else ps. `AGENTREE_PROCESS_TABLE=proc|ps` says it. */
import { existsSync } from "node:fs";
import { AgentreeError } from "../core/errors.ts";
import { isAlive, type ProcessRef, type ProcessTable, procTable } from "./process-table.ts";
import { createPsTable } from "./ps-table.ts";
import { clockOf } from "./start-time.ts";

/** Throws AgentreeError("usage") for a reader that there is not. */
export function openProcessTable(env: Readonly<Record<string, string | undefined>>): ProcessTable {
	const { AGENTREE_PROCESS_TABLE: asked } = env;
	if (asked === "ps") return createPsTable(process.platform);
	if (asked === "proc") return procTable;
	if (asked) throw new AgentreeError("usage", `AGENTREE_PROCESS_TABLE is "${asked}"; it can be proc or ps`);
	return hasProc() ? procTable : createPsTable(process.platform);
}

/**
 * For what a file says of a process: asks the reader that wrote it, whichever this process uses otherwise. A start time
 * of a reader that this system has not is no living process's.
 */
export function isRecordedAlive(recorded: ProcessRef): boolean {
	switch (clockOf(recorded.startTime)) {
		case "ticks":
			return hasProc() && isAlive(procTable, recorded);
		case "seconds":
			return isAlive(createPsTable(process.platform), recorded);
	}
}

function hasProc(): boolean {
	return existsSync("/proc/self/stat"); // FreeBSD's /proc, where mounted, has another form
}
