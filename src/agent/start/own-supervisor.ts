/**
 * The run that this very process belongs to, or undefined: then, and only then, may it start one of its own. A process
 * that has lost its environment, its session and all its ancestors is still in its run's cgroup, where there is one,
 * which also knows better than an environment. Where there is none, the cookie says the run, or the others in its
 * session do, or the pipe that its output goes to. A person's terminal has none of these: every agent and command is in
 * a session of its own, and a supervisor carries no cookie.
 */
import { readlinkSync } from "node:fs";
import { basename } from "node:path";
import { socketPath } from "../../config/state-directory.ts";
import { type CgroupOfRun, cgroupRunOf } from "../../processes/cgroup.ts";
import type { ProcessTable } from "../../processes/process-table.ts";
import { type Environment, environmentsAbove, findSupervisor, type SupervisorAddress } from "./find-supervisor.ts";

export interface OwnProcess {
	readonly env: Environment;
	readonly pid: number;
	readonly ppid: number;
	readonly getuid?: () => number;
}

type Group = { readonly run: string; readonly cgroup: Pick<NonNullable<CgroupOfRun["cgroup"]>, "pids"> | undefined };

export function findOwnSupervisor(own: OwnProcess, table: ProcessTable): SupervisorAddress | undefined {
	const now = table.snapshot?.() ?? table;
	const found = findSupervisor(own.env, own.ppid, now);
	const group = cgroupRunOf("self");
	if (found !== undefined && (group === undefined || isSocketOf(group.run, found.socket))) return found;
	return supervisorOfCgroup(own, now, group) ?? supervisorOfTraces(own, now) ?? supervisorOfOutput(own, now);
}

/** The others in the group know the socket. When none does, the run has hardly a supervisor any more: out of reach. */
export function supervisorOfCgroup(
	{ env, getuid }: OwnProcess,
	table: ProcessTable,
	group: Group | undefined,
): SupervisorAddress | undefined {
	if (group === undefined) return undefined;
	const { run, cgroup } = group;
	for (const pid of cgroup?.pids() ?? []) {
		const { AGENTREE_SOCKET: socket, AGENTREE_AGENT: agent } = table.environment(pid) ?? {};
		const isOfRun = agent === run || agent?.startsWith(`${run}/`);
		if (isOfRun && socket !== undefined && isSocketOf(run, socket)) return { socket };
	}
	return { socket: socketPath(env, getuid?.() ?? 0, run) };
}

/** By what is left to a process that has unset `AGENTREE_SOCKET`, or cleared all, and has left its ancestors. */
export function supervisorOfTraces(own: OwnProcess, table: ProcessTable): SupervisorAddress | undefined {
	const cookies = [own.env, ...environmentsAbove(own.ppid, table)].map(runOfCookie);
	const run = cookies.findLast((run) => run !== undefined);
	const pidsOf = (session?: number) =>
		table.list().flatMap((other) => (session === undefined || other.session === session ? [other.pid] : []));
	if (run !== undefined) return supervisorOfCgroup(own, table, { run, cgroup: { pids: () => pidsOf() } });
	const session = table.read(own.pid)?.session ?? 0;
	if (session === 0) return undefined; // of every session that was begun outside of this pid namespace
	// The whole table is read only when the one who began the session does not say: a person's shell does.
	const leader = session === own.pid ? undefined : table.environment(session);
	for (const pid of leader === undefined ? pidsOf(session) : [session]) {
		const environment = pid === own.pid ? {} : (table.environment(pid) ?? {});
		const { AGENTREE_SOCKET: socket } = environment;
		if (socket && runOfCookie(environment) !== undefined) return { socket };
	}
	return undefined;
}

/** In a pid namespace of its own, without an environment, a process still has the output that its command gave it. */
function supervisorOfOutput(own: OwnProcess, table: ProcessTable): SupervisorAddress | undefined {
	const run = [1, 2]
		.map(pathOfDescriptor)
		.map(runOfPipe)
		.find((run) => run !== undefined);
	if (run === undefined) return undefined;
	return supervisorOfCgroup(own, table, { run, cgroup: { pids: () => table.list().map(({ pid }) => pid) } });
}

/** Of what a descriptor is open on; empty where the system does not say. */
function pathOfDescriptor(descriptor: number): string {
	try {
		return readlinkSync(`/proc/self/fd/${descriptor}`);
	} catch {
		return "";
	}
}

/** As pipe.ts makes it, below the run's directory; the kernel adds ` (deleted)`. */
export function runOfPipe(path: string): string | undefined {
	return /\/(\d{8}-\d{6}-[a-z0-9]+)(?:\/\d+)+\/pipes-\w+\/\d+(?: \(deleted\))?$/.exec(path)?.[1];
}

/** What a process has set itself may be another run's, while its cookie is right. */
function isSocketOf(run: string, socket: string): boolean {
	return basename(socket) === `${run}.sock`;
}

/** `RUN/1.2` → `RUN`; it becomes a part of a path. */
function runOfCookie({ AGENTREE_AGENT: cookie = "" }: Environment): string | undefined {
	return /^(\d{8}-\d{6}-[a-z0-9]+)(\/|$)/.exec(cookie)?.[1];
}
