/** Whether this process is inside a run, in which some commands mean something else, or are refused. */

import { supervisorAround } from "../../agent/start/discover-supervisor.ts";
import { AgentreeError } from "../../core/errors.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";

/** The supervisor of the run in which this process is; undefined outside of runs. */
export function supervisorHere(): ReturnType<typeof supervisorAround> {
	return supervisorAround(process, openProcessTable(process.env));
}

/** Whether this process is in some run, as its environment, those above it, its cgroup and its session tell. */
export function isInside(): boolean {
	return parseCookie(process.env) !== undefined || supervisorHere() !== undefined;
}

/** Throws AgentreeError("refused") inside a run: for what only the user may do. */
export function refuseInside(message: string): void {
	if (isInside()) throw new AgentreeError("refused", message);
}
