/**
 * Whose a process is, as the kernel shows it: its pid in its own namespace leads to the process, and that belongs to a
 * command of this run by descent, by its session, by what an earlier look has found, by its initial environment, or by its
 * cgroup. What a message says beside the pid decides nothing. The supervisor, and what it was started by, is never inside.
 */

import { defined } from "../../core/defined.ts";
import { type AgentId, isOver, ROOT } from "../../core/model/agent.ts";
import { JOINING_NAME, parseCookie } from "../../core/run/cookie.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { boundBy } from "../../processes/table/belonging.ts";
import { hostPid, type NamedProcess, type NamespaceFacts } from "../../processes/table/pid-namespace.ts";
import {
	hasEnded,
	isOtherStart,
	type Look,
	type ProcessInfo,
	withAncestorsOf,
} from "../../processes/table/process-table.ts";
import type { Join } from "../../wire/agent-messages.ts";
import type { ResolvedParent } from "../decide/inputs-and-effects.ts";
import type { RunProcesses } from "./run-processes.ts";

/** A process as it names itself. */
export interface NamedSelf extends NamedProcess {
	/** Told only by a process that can read its own /proc. */
	readonly startTime?: string;
}

/** `reason` is in words for the process. */
export type Belonging =
	/**
	 * `agent`: whose command it is of, or the agent that it is itself. `place`: the same by its ancestors and its session alone,
	 * which it cannot make up as it can its environment; absent when it has left both.
	 */
	| { readonly is: "inside"; readonly agent: AgentId; readonly place?: AgentId; readonly info: ProcessInfo }
	| { readonly is: "outside"; readonly reason: string; readonly info: ProcessInfo }
	/** It is over, or cannot be seen, or is not the process that it says. */
	| { readonly is: "gone"; readonly reason: string };

/** For when the processes cannot be looked at. */
export const UNSEEN = {
	is: "gone",
	reason: "the process table cannot be read now: wait until some processes have ended, then try again",
} as const;

export interface WhoseIsDeps {
	readonly look: Look;
	readonly run: string;
	readonly processes: RunProcesses;
	/** That of the supervisor. */
	readonly pidNamespace: string | null;
	readonly supervisorPid: number;
	readonly facts: NamespaceFacts;
	/** Whether a process has the mark of another run. */
	readonly hasOtherMark: (pid: number, run: string) => boolean;
	/** The run and the agent in whose cgroup a process is. */
	readonly cgroupOf: (pid: number) => { readonly run: string; readonly agent: AgentId } | undefined;
}

export function whoseIs(named: NamedSelf, deps: WhoseIsDeps): Belonging {
	const info = findNamed(named, deps);
	if (info === undefined) return gone(`its process (${nameOf(named, deps)}) is not visible to the supervisor`);
	if (info.pid <= 1) return gone(`pid ${info.pid} (the init process) is never an agent`);
	if (named.startTime !== undefined && isOtherStart(named.startTime, info.startTime))
		return gone(`pid ${named.pid} is a different process with another start time`);
	const cgroup = deps.cgroupOf(info.pid);
	if (cgroup !== undefined && cgroup.run !== deps.run)
		return { is: "outside", reason: `it belongs to run ${cgroup.run}`, info };
	const placed = deps.processes.ownerOf(info, deps.look, false);
	if (placed === undefined && cgroup === undefined && deps.hasOtherMark(info.pid, deps.run))
		return { is: "outside", reason: "it belongs to another run", info };
	const bound = (owner: AgentId | undefined) => boundBy(deps.processes.nearestKnown(cgroup?.agent), owner);
	const agent = bound(placed ?? lostOwnerOf(info, deps));
	const place = placed === undefined ? undefined : bound(placed);
	if (agent !== undefined) return { is: "inside", agent, info, ...defined({ place }) };
	return { is: "outside", reason: "it is not below any agent of this run", info };
}

function gone(reason: string): Belonging {
	return { is: "gone", reason };
}

function findNamed(named: NamedSelf, { look, pidNamespace, facts }: WhoseIsDeps): ProcessInfo | undefined {
	const pid = hostPid(named, { own: pidNamespace, pids: () => look.list().map((info) => info.pid), facts });
	const info = pid === undefined ? undefined : look.read(pid);
	return info === undefined || hasEnded(info) ? undefined : info;
}

function nameOf({ pid, pidNamespace }: NamedSelf, { pidNamespace: own }: WhoseIsDeps): string {
	if (pidNamespace === own) return `pid ${pid}`;
	if (pidNamespace === null) return `pid ${pid} in a pid namespace that it cannot identify, because it has no /proc`;
	return `pid ${pid} of another pid namespace`;
}

/** The owner of a process that has left its place. */
function lostOwnerOf(info: ProcessInfo, { look, processes, supervisorPid }: WhoseIsDeps): AgentId | undefined {
	return isAtOrAbove(info, supervisorPid, look) ? undefined : processes.ownerOf(info, look, true);
}

const MAX_ANCESTORS = 4096;

/** Whether the process is that with the pid, or an ancestor of it. */
function isAtOrAbove({ pid: sought }: ProcessInfo, below: number, look: Pick<Look, "read">): boolean {
	let pid = below;
	for (let step = 0; pid > 1 && step < MAX_ANCESTORS; step++) {
		if (pid === sought) return true;
		pid = look.read(pid)?.parent ?? 0;
	}
	return false;
}

/**
 * Finds the parent of a process that asks to join: the agent that the process belongs to. The request decides nothing of
 * that: no depth, no token. The command that it names counts only where the process's place shows none, and while that is
 * running. A process in another run's cgroup is refused.
 */

export const UNSEEN_PARENT: ResolvedParent = { is: "unknown", reason: UNSEEN.reason };

export interface ResolveParentDeps extends Omit<WhoseIsDeps, "run"> {
	readonly run: RunState;
	/** The pid of the root agent that the supervisor has started; undefined once that has joined. */
	readonly rootPid: number | undefined;
	/** A process's name; undefined where the system does not tell. */
	readonly nameOf: (pid: number) => string | undefined;
}

/** Root, child or unknown; the reason of an unknown one is told to the process. */
export function resolveParent(join: Join, deps: ResolveParentDeps): ResolvedParent {
	const { run, rootPid, processes, nameOf } = deps;
	const found = whoseIs(join, { ...deps, run: run.run });
	if (found.is === "gone") return unknown(found.reason);
	const { pid, startTime } = found.info;
	const root = run.agents[ROOT];
	if (pid === rootPid && (root === undefined || isOver(root))) return { is: "root", pid, startTime };
	if (processes.isAgent(found.info)) return unknown("it is already an agent of this run");
	if (found.is === "outside") return unknown(found.reason);
	if ((nameOf(pid) ?? JOINING_NAME) !== JOINING_NAME) return unknown("its process has not announced that it joins");
	const { agent: parent, info } = found;
	return { is: "child", parent, pid, startTime, ...defined({ command: commandOf(info, { parent, join }, deps) }) };
}

function unknown(reason: string): ResolvedParent {
	return { is: "unknown", reason };
}

/**
 * The parent's command that the process belongs to, by ancestry or session; else the one that it claims, if that is
 * running.
 */
function commandOf(
	self: ProcessInfo,
	{ parent, join }: { parent: AgentId; join: Join },
	{ look, run, processes }: ResolveParentDeps,
): number | undefined {
	const found = processes.commandOn(withAncestorsOf(self, look), parent, look);
	if (found !== undefined) return found;
	const agent = run.agents[parent];
	const isRunning =
		agent !== undefined && !isOver(agent) && agent.running.some(({ command }) => command === join.command);
	return isRunning ? join.command : undefined;
}

/**
 * What a client is by its process: an agent if that is in the tree, whatever it says, else a person. What it may do as an agent
 * is decided by its place among the processes alone: an environment can be made up, and where cgroups can be made a process may
 * enter another one. So one that has left its place may do nothing, and neither may a process of another run.
 */

/** The process of a client that has proven which one it is. */
export type ClientOrigin =
	| { readonly is: "inside"; readonly agent: AgentId; readonly pid: number }
	| { readonly is: "outside"; readonly pid: number }
	/** Of another run, over, or not to be seen. */
	| { readonly is: "stranger"; readonly reason: string };

const LEFT = "it is inside the run but detached from its agent (setsid, double fork): run it in the agent's own bash";

/** For when the processes cannot be looked at. */
export const UNSEEN_CLIENT: ClientOrigin = { is: "stranger", reason: UNSEEN.reason };

/** `found`: whose its process is. Throws when the processes cannot be looked at (`isFailedLook`). */
export function clientOrigin(
	found: Belonging,
	deps: Omit<WhoseIsDeps, "processes" | "facts" | "pidNamespace">,
): ClientOrigin {
	if (found.is === "gone") return stranger(found.reason);
	const { info } = found;
	if (found.is === "inside")
		return found.place === undefined ? stranger(LEFT) : { is: "inside", agent: found.place, pid: info.pid };
	const line = [...withAncestorsOf(info, deps.look)];
	if (line.some(({ pid }) => pid === deps.supervisorPid)) return { is: "inside", agent: ROOT, pid: info.pid };
	const other = otherRun(line, deps);
	if (other !== undefined)
		return stranger(`an agent cannot act on another run: it belongs to ${other}, and this is run ${deps.run}`);
	return { is: "outside", pid: info.pid };
}

function stranger(reason: string): ClientOrigin {
	return { is: "stranger", reason };
}

function otherRun(
	line: readonly ProcessInfo[],
	{ look, run, cgroupOf, hasOtherMark }: Pick<WhoseIsDeps, "look" | "run" | "cgroupOf" | "hasOtherMark">,
) {
	const runs = line.flatMap(({ pid }) => [cgroupOf(pid)?.run, parseCookie(look.environment(pid) ?? {})?.run]);
	const other = runs.find((named) => named !== undefined && named !== run);
	if (other !== undefined) return `run ${other}`;
	return line.some(({ pid }) => hasOtherMark(pid, run)) ? "another run" : undefined;
}
