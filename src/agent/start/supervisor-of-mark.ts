/**
 * The last way to the supervisor: the run's mark, which the kernel keeps with a process that has lost all else. Without one
 * a process is a person's. One with a mark belongs to a run, and may start another only when that run is over.
 */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { addressIn, type Environment, parseCookie, type SupervisorAddress } from "../../core/run/cookie.ts";
import { cgroupMembershipOf } from "../../processes/cgroups/cgroup.ts";
import { markOf, readMark } from "../../processes/run-mark.ts";
import { type Look, type ProcessTable, procTable } from "../../processes/table/process-table.ts";
import { socketDirectory, temporarySocketPath } from "../../project/config/state-directory.ts";
import { discoverSupervisor, type OwnProcess } from "./discover-supervisor.ts";

/** As `discoverSupervisor`, and by the mark: for whoever would start a run of its own. A child's quick start does without. */
export function supervisorAround(own: OwnProcess, table: Pick<ProcessTable, "look">): SupervisorAddress | undefined {
	const { env, pid } = own;
	return (
		discoverSupervisor(own, table, cgroupMembershipOf("self")) ??
		supervisorOfMark({ env, pid, uid: own.getuid?.() ?? 0 })
	);
}

export interface MarkedProcess {
	readonly env: Environment;
	readonly pid: number;
	readonly uid: number;
}

/**
 * An address that nobody listens on stands for a supervisor that cannot be found. Where there are marks there is a /proc, and
 * only that tells an environment that may not be read from an empty one.
 */
export function supervisorOfMark(
	own: MarkedProcess,
	table: Pick<Look, "list" | "environment"> = procTable,
	mark = readMark,
): SupervisorAddress | undefined {
	const wanted = mark("self");
	if (wanted === undefined) return undefined;
	const others = table.list().filter(({ pid }) => pid !== own.pid && mark(pid) === wanted);
	const environments = others.map(({ pid }) => table.environment(pid));
	const socket = environments.map((found) => socketIn(found ?? {}, wanted)).find(Boolean) ?? socketNear(own, wanted);
	if (socket !== undefined) return { socket };
	// Of a run that is over only what it has left in the background is here, and no supervisor's or other user's processes.
	const isHidden = mark(1) === wanted || environments.some((found) => found === undefined);
	return isHidden ? { socket: join(socketDirectory(own.env, own.uid), "a-run.sock") } : undefined;
}

/** The socket in the environment of an agent or a command of the marked run. */
function socketIn(environment: Environment, mark: number): string | undefined {
	const run = parseCookie(environment)?.run;
	return run !== undefined && markOf(run) === mark ? addressIn(environment)?.socket : undefined;
}

/** The socket of the marked run in one of the directories where sockets usually are. */
function socketNear({ env, uid }: MarkedProcess, mark: number): string | undefined {
	const directories = [socketDirectory(env, uid), dirname(temporarySocketPath(uid, "")), `/run/user/${uid}/agentree`];
	for (const directory of directories)
		for (const name of namesIn(directory)) {
			const [, run] = /^(.+)\.sock$/.exec(name) ?? [];
			if (run !== undefined && markOf(run) === mark) return join(directory, name);
		}
	return undefined;
}

function namesIn(directory: string): string[] {
	try {
		return readdirSync(directory);
	} catch {
		return []; // not there, or not ours
	}
}
