/**
 * What a client is by its process: an agent if that is in the tree, whatever it says, else a person. What it may do as an agent
 * is decided by its place among the processes alone: an environment can be made up, and where cgroups can be made a process may
 * enter another one. So one that has left its place may do nothing, and neither may a process of another run.
 */
import { ROOT } from "../../core/model/agent.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import { withAncestorsOf } from "../../processes/table/ancestors.ts";
import type { NamedProcess } from "../../processes/table/host-pid.ts";
import type { Look, ProcessInfo } from "../../processes/table/process-table.ts";
import type { ClientOrigin } from "../clients/client-listener.ts";
import type { Belonging } from "./whose-is.ts";

const LEFT =
	"it is inside the run, and has left the agent whose command it is of (setsid, a double fork): run it in the agent's own bash";

export interface ClientOriginDeps {
	readonly look: Pick<Look, "read" | "environment">;
	readonly run: string;
	readonly supervisorPid: number;
	readonly whoseIs: (named: NamedProcess) => Belonging;
	/** The run in whose cgroup a process is. */
	readonly cgroupOf: (pid: number) => { readonly run: string } | undefined;
	/** Whether a process has the mark of another run than this one. */
	readonly hasOtherMark: (pid: number) => boolean;
}

/** Throws when the processes cannot be looked at (`isFailedLook`). */
export function clientOrigin(named: NamedProcess, deps: ClientOriginDeps): ClientOrigin {
	const found = deps.whoseIs(named);
	if (found.is === "gone") return stranger(found.reason);
	const { info } = found;
	if (found.is === "inside")
		return found.place === undefined ? stranger(LEFT) : { is: "inside", agent: found.place, pid: info.pid };
	const line = [...withAncestorsOf(info, deps.look)];
	if (line.some(({ pid }) => pid === deps.supervisorPid)) return { is: "inside", agent: ROOT, pid: info.pid };
	const other = otherRun(line, deps);
	if (other !== undefined)
		return stranger(
			`inside a run an agent may stop and answer nothing of another run: it belongs to ${other}, and this is run ${deps.run}`,
		);
	return { is: "outside", pid: info.pid };
}

function stranger(reason: string): ClientOrigin {
	return { is: "stranger", reason };
}

function otherRun(line: readonly ProcessInfo[], { look, run, cgroupOf, hasOtherMark }: ClientOriginDeps) {
	const runs = line.flatMap(({ pid }) => [cgroupOf(pid)?.run, parseCookie(look.environment(pid) ?? {})?.run]);
	const other = runs.find((named) => named !== undefined && named !== run);
	if (other !== undefined) return `run ${other}`;
	return line.some(({ pid }) => hasOtherMark(pid)) ? "another run" : undefined;
}
