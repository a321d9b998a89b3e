/**
 * Finds the supervisor of the run that this process belongs to. Only a process without one may start a run of its own. The
 * sources, in this order:
 * 1. The environments of its ancestors, before its own: `env -i` clears its own, and a variable that a command has set may
 *    point anywhere. The topmost ancestor that knows a run is believed: below it no run can have been started, so another
 *    address there was set by hand. Its own environment counts when no ancestor knows a run, as after a double fork.
 * 2. Its cgroup, where there is one: a process cannot change it as it can its environment.
 * 3. Its cookie, the other processes of its session, and the pipe that its output goes to.
 * Before a run is started, `supervisorAround` asks for the mark, too.
 * A person's shell has none of these: every agent and command is in a session of its own, and a supervisor has no cookie.
 */

import { readdirSync, readlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ifThere } from "../../core/if-there.ts";
import { addressIn, type Environment, parseCookie, type SupervisorAddress } from "../../core/run/cookie.ts";
import { socketOfPipe } from "../../core/run/pipe-path.ts";
import { isRunId } from "../../core/run/run-id.ts";
import { type CgroupMembership, cgroupMembershipOf } from "../../processes/cgroups/cgroup.ts";
import { markOf, readMark } from "../../processes/run-mark.ts";
import { type Look, type ProcessTable, procTable } from "../../processes/table/process-table.ts";
import { socketDirectory, socketPath, temporarySocketPath } from "../../project/config/user-directories.ts";

const MAX_ANCESTORS = 256;

interface OwnProcess {
	readonly env: Environment;
	readonly pid: number;
	readonly ppid: number;
	readonly getuid?: () => number;
}

type Group = {
	readonly run: string;
	readonly cgroup: Pick<NonNullable<CgroupMembership["cgroup"]>, "pids"> | undefined;
};

/** `group`: the cgroup of this process. */
export function discoverSupervisor(
	own: OwnProcess,
	table: Pick<ProcessTable, "look">,
	group: Group | undefined,
): SupervisorAddress | undefined {
	const now = table.look();
	const agreed = supervisorByAgreement(own, now, group);
	if (agreed !== undefined) return agreed;
	const found = supervisorOfAncestors(own.env, own.ppid, now);
	if (found !== undefined && (group === undefined || isSocketOf(group.run, found.socket))) return found;
	return supervisorOfCgroup(own, now, group) ?? supervisorOfTraces(own, now) ?? supervisorOfOutput();
}

/**
 * The usual case: its own environment and its parent's name the socket of the run in whose cgroup it is. The kernel vouches
 * for the run then, and the environments of all other ancestors need not be read.
 */
export function supervisorByAgreement(
	{ env, ppid }: Pick<OwnProcess, "env" | "ppid">,
	table: Look,
	group: Pick<Group, "run"> | undefined,
): SupervisorAddress | undefined {
	const own = addressIn(env);
	if (own === undefined || group === undefined || !isSocketOf(group.run, own.socket)) return undefined;
	return addressIn(table.environment(ppid) ?? {})?.socket === own.socket ? own : undefined;
}

export function supervisorOfAncestors(own: Environment, parent: number, table: Look): SupervisorAddress | undefined {
	const above = environmentsAbove(parent, table).filter((environment) => addressIn(environment) !== undefined);
	const socket = addressIn(above.at(-1) ?? own)?.socket;
	const nearest = [own, ...above].find((environment) => addressIn(environment)?.socket === socket);
	return addressIn(nearest ?? {});
}

/** The environments of the ancestors, the nearest first, without those that may not be read. */
function environmentsAbove(parent: number, table: Look): Environment[] {
	const found: Environment[] = [];
	let pid = parent;
	for (let step = 0; pid > 0 && step < MAX_ANCESTORS; step++) {
		const environment = table.environment(pid);
		if (environment !== undefined) found.push(environment);
		pid = table.read(pid)?.parent ?? 0;
	}
	return found;
}

/**
 * Other processes of the group know the socket. When none does, they are hidden by a pid namespace, or the supervisor is
 * dead, and its usual socket is out of reach.
 */
export function supervisorOfCgroup(
	{ env, getuid }: OwnProcess,
	table: Look,
	group: Group | undefined,
): SupervisorAddress | undefined {
	if (group === undefined) return undefined;
	const { run, cgroup } = group;
	for (const pid of cgroup?.pids() ?? []) {
		const environment = table.environment(pid) ?? {};
		const socket = addressIn(environment)?.socket;
		if (parseCookie(environment)?.run === run && socket !== undefined && isSocketOf(run, socket)) return { socket };
	}
	const output = supervisorOfOutput();
	return output !== undefined && isSocketOf(run, output.socket)
		? output
		: { socket: socketPath(env, getuid?.() ?? 0, run) };
}

/** For a process that has unset `AGENTREE_SOCKET` or cleared its environment, and has lost its ancestors. */
export function supervisorOfTraces(own: OwnProcess, table: Look): SupervisorAddress | undefined {
	const cookies = [own.env, ...environmentsAbove(own.ppid, table)].map(runOfCookie);
	const run = cookies.findLast((run) => run !== undefined);
	const pidsOf = (session?: number) =>
		table.list().flatMap((other) => (session === undefined || other.session === session ? [other.pid] : []));
	if (run !== undefined) return supervisorOfCgroup(own, table, { run, cgroup: { pids: () => pidsOf() } });
	const session = table.read(own.pid)?.session ?? 0;
	if (session === 0) return undefined; // 0 stands for any session that was begun outside of this pid namespace
	// The whole table is read only when the session leader's environment cannot be read; that of a person's shell can.
	const leader = session === own.pid ? undefined : table.environment(session);
	for (const pid of leader === undefined ? pidsOf(session) : [session]) {
		const environment = pid === own.pid ? {} : (table.environment(pid) ?? {});
		const socket = addressIn(environment)?.socket;
		if (socket !== undefined && runOfCookie(environment) !== undefined) return { socket };
	}
	return undefined;
}

/** A process in a pid namespace of its own, without an environment, still has the stdout and stderr of its command. */
function supervisorOfOutput(): SupervisorAddress | undefined {
	const socket = [1, 2]
		.map(pathOfDescriptor)
		.map(socketOfPipe)
		.find((found) => found !== undefined);
	return socket === undefined ? undefined : { socket };
}

/** The path that a descriptor is open on; empty where the system does not tell. */
function pathOfDescriptor(descriptor: number): string {
	return ifThere(() => readlinkSync(`/proc/self/fd/${descriptor}`)) ?? "";
}

/** True when the socket is that of the run: a process may have set another one itself, while its cookie is right. */
function isSocketOf(run: string, socket: string): boolean {
	return basename(socket) === `${run}.sock`;
}

/** The run of a cookie, checked, since it becomes a part of a path. */
function runOfCookie(environment: Environment): string | undefined {
	const run = parseCookie(environment)?.run;
	return run !== undefined && isRunId(run) ? run : undefined;
}

/**
 * The last way to the supervisor: the run's mark, which the kernel keeps with a process that has lost all else. Without one
 * a process is a person's. One with a mark belongs to a run, and may start another only when that run is over.
 */

/** As `discoverSupervisor`, and by the mark: for whoever would start a run of its own. A child's quick start does without. */
export function supervisorAround(own: OwnProcess, table: Pick<ProcessTable, "look">): SupervisorAddress | undefined {
	const { env, pid } = own;
	return (
		discoverSupervisor(own, table, cgroupMembershipOf("self")) ??
		supervisorOfMark({ env, pid, uid: own.getuid?.() ?? 0 })
	);
}

interface MarkedProcess {
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
	return ifThere(() => readdirSync(directory)) ?? []; // not there, or not ours
}
