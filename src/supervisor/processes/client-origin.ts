/**
 * What a client is by its process: an agent if that is in the tree, whatever it says, else a person. A process of another run is
 * a stranger. So is one that may be what is left of a command that has cleared its environment, left its session and lost its
 * parents: an orphan that is younger than the run, in a session of its own, without a terminal, in the supervisor's own cgroup.
 */
import { ROOT } from "../../core/agent.ts";
import { parseCookie } from "../../core/cookie.ts";
import type { NamedProcess } from "../../processes/host-pid.ts";
import type { Look, ProcessInfo } from "../../processes/process-table.ts";
import { hasStartedBefore } from "../../processes/start-time.ts";
import type { ClientOrigin } from "../clients/client-listener.ts";
import type { Belonging } from "./whose-is.ts";

const MAX_ANCESTORS = 4096;
const LOST =
	"its process cannot be told apart from one that a command of this run has left: use a terminal, or a process that has a living parent";

export interface ClientOriginDeps {
	readonly look: Pick<Look, "read" | "environment">;
	readonly run: string;
	readonly supervisor: ProcessInfo | undefined;
	readonly whoseIs: (named: NamedProcess) => Belonging;
	/** The run in whose cgroup a process is. */
	readonly cgroupOf: (pid: number) => { readonly run: string } | undefined;
	/** Whether two processes are in one cgroup, and the first has no terminal. False where the system does not tell. */
	readonly isUnmarked: (pid: number, other: number) => boolean;
}

/** Throws when the processes cannot be looked at (`isFailedLook`). */
export function clientOrigin(named: NamedProcess, deps: ClientOriginDeps): ClientOrigin {
	const found = deps.whoseIs(named);
	if (found.is === "gone") return stranger(found.reason);
	const { info } = found;
	if (found.is === "inside") return { is: "inside", agent: found.agent, pid: info.pid };
	const line = withAncestors(info, deps.look);
	if (line.some(({ pid }) => pid === deps.supervisor?.pid)) return { is: "inside", agent: ROOT, pid: info.pid };
	const other = otherRun(line, deps);
	if (other !== undefined) return stranger(`it belongs to run ${other}`);
	return isLost(line, deps) ? stranger(LOST) : { is: "outside", pid: info.pid };
}

function stranger(reason: string): ClientOrigin {
	return { is: "stranger", reason };
}

/** A process and its ancestors, itself first, without PID 1. */
function withAncestors(self: ProcessInfo, look: Pick<Look, "read">): ProcessInfo[] {
	const line: ProcessInfo[] = [];
	let at: ProcessInfo | undefined = self;
	while (at !== undefined && at.pid > 1 && line.length < MAX_ANCESTORS) {
		line.push(at);
		at = look.read(at.parent);
	}
	return line;
}

function otherRun(line: readonly ProcessInfo[], { look, run, cgroupOf }: ClientOriginDeps): string | undefined {
	const runs = line.flatMap(({ pid }) => [cgroupOf(pid)?.run, parseCookie(look.environment(pid) ?? {})?.run]);
	return runs.find((named) => named !== undefined && named !== run);
}

function isLost(line: readonly ProcessInfo[], { look, supervisor, isUnmarked }: ClientOriginDeps): boolean {
	const [self] = line;
	const orphan = line.find(({ parent }) => isReaper(look.read(parent)));
	if (supervisor === undefined || self === undefined || orphan === undefined) return false;
	if (hasStartedBefore(orphan.startTime, supervisor.startTime)) return false;
	if (orphan.session === look.read(orphan.parent)?.session) return false; // nobody comes back into an older session
	return isUnmarked(self.pid, supervisor.pid);
}

/** Whether orphans become children of the process: PID 1, and a user's own systemd. */
function isReaper(info: ProcessInfo | undefined): boolean {
	return info !== undefined && (info.pid === 1 || info.name === "systemd");
}
