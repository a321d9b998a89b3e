/**
 * Which agent owns a process: the one rule, for every caller. The owner is found in this order:
 * 1. from the process upwards, the nearest ancestor that is an agent (known by pid and start time, since pids are reused),
 *    or is in the session or process group of a command;
 * 2. the owner of the process that began its session: a double fork after `setsid` has lost its ancestors;
 * 3. the owner that it had at an earlier look;
 * 4. the agent that its cookie names;
 * 5. the root, if it has the run's mark.
 * The first process of a sandbox takes in orphans of all agents that work in it: from it upwards an owner is found only for what 2 to 4 say
 * nothing of, and bounds what they say.
 * A cgroup bounds the result: a process in an agent's cgroup belongs to that agent, or to one below it. Each way catches
 * what the others lose.
 */

import { defined } from "../../core/defined.ts";
import { type AgentId, isWithin } from "../../core/model/agent.ts";
import {
	hasEnded,
	hasStartedBefore,
	isSameStart,
	type Look,
	type ProcessInfo,
	type ProcessRef,
} from "./process-table.ts";

/** Says that a pid is an agent's. `startTime` is that of the process meant: a later process with this pid is another one. */
export interface Claim {
	readonly agent: AgentId;
	readonly startTime: string;
}

/** What the caller knows of agents and commands. Each key that is absent is a way that is not tried. */
export interface Claims {
	/** The agent whose own process has or had that pid. */
	readonly agentAt?: (pid: number) => Claim | undefined;
	/** The command whose shell has or had that pid, which is also the number of its session and its group. */
	readonly commandAt?: (pid: number) => Claim | undefined;
	/** `isForgeable`: the process is another user's, who may have copied the cookie; only a secret in it proves anything then. */
	readonly agentOfCookie?: (environment: Readonly<Record<string, string>>, isForgeable: boolean) => AgentId | undefined;
	/** The agent of a process that has no cookie, but the mark of a run (run-mark.ts). */
	readonly agentOfMark?: (pid: number) => AgentId | undefined;
	/** The user whose processes carry no forged cookies. Absent: all users. */
	readonly ownUid?: number;
	/** A start time. The environment of an older process is not read for a cookie: reading environments is what costs. */
	readonly startedSince?: string;
	/** The agent in whose cgroup a process is. */
	readonly cgroupOwnerOf?: (pid: number) => AgentId | undefined;
	/** The owners found at earlier looks, by `processKey`. New owners are added to it. */
	readonly memory?: Map<string, AgentId>;
}

type OwnerOf = (info: ProcessInfo) => AgentId | undefined;

/** Makes the function that gives the owner of a process, for one look. Each process is examined once. */
export function createOwnerOf(look: Pick<Look, "read" | "environment">, claims: Claims): OwnerOf {
	const owners = new Map<number, AgentId | undefined>();
	const byClaim = (info: ProcessInfo): AgentId | undefined => {
		const agent = claims.agentAt?.(info.pid);
		if (agent !== undefined && isSameStart(agent.startTime, info.startTime)) return agent.agent;
		return commandHolding(look, claims, info.session)?.agent ?? commandHolding(look, claims, info.group)?.agent;
	};
	const bySessionLeader = ({ pid, session }: ProcessInfo): AgentId | undefined => {
		const leader = session > 1 && session !== pid ? look.read(session) : undefined;
		return leader === undefined ? undefined : ownerOf(leader);
	};
	const isTakenIn = ({ parent, session }: ProcessInfo): boolean => {
		const first = look.read(parent);
		return first !== undefined && first.session !== session && look.read(first.parent)?.name === SANDBOX_MONITOR;
	};
	const foundFor = (info: ProcessInfo, above: AgentId | undefined): AgentId | undefined => {
		if (above !== undefined && !isTakenIn(info)) return above;
		return boundBy(above, bySessionLeader(info) ?? byMemory(claims, info) ?? byCookie(look, claims, info));
	};
	const settle = (info: ProcessInfo, found: AgentId | undefined): AgentId | undefined => {
		const owner = boundBy(claims.cgroupOwnerOf?.(info.pid), found);
		owners.set(info.pid, owner);
		if (owner !== undefined) claims.memory?.set(processKey(info), owner);
		return owner;
	};
	const ownerOf = (start: ProcessInfo): AgentId | undefined => {
		const line: { info: ProcessInfo; claimed: AgentId | undefined }[] = []; // no recursion: a chain of processes may be longer than the stack
		let at: ProcessInfo | undefined = start;
		while (at !== undefined && at.pid > 1 && !owners.has(at.pid)) {
			owners.set(at.pid, undefined); // while pids are being reused, parents can form a circle
			const claimed = byClaim(at);
			line.push({ info: at, claimed });
			at = claimed === undefined ? look.read(at.parent) : undefined;
		}
		let owner = at === undefined ? undefined : owners.get(at.pid);
		for (const { info, claimed } of line.reverse()) owner = settle(info, claimed ?? foundFor(info, owner));
		return owners.get(start.pid);
	};
	return ownerOf;
}

/**
 * The command whose session or process group has the number `leaderPid`. It holds that number while its shell lives, and
 * afterwards until a later process gets the pid.
 */
export function commandHolding<C extends Claim>(
	look: Pick<Look, "read">,
	{ commandAt }: { commandAt?: (pid: number) => C | undefined },
	leaderPid: number,
): C | undefined {
	const command = leaderPid > 1 ? commandAt?.(leaderPid) : undefined;
	const leader = command === undefined ? undefined : look.read(leaderPid);
	return leader === undefined || isSameStart(leader.startTime, command?.startTime ?? "") ? command : undefined;
}

/** The owner of a process that is in the cgroup or the sandbox of an agent: `found` if that is the agent or one below it, else the agent. */
export function boundBy(holder: AgentId | undefined, found: AgentId | undefined): AgentId | undefined {
	if (holder === undefined) return found;
	return found !== undefined && isWithin(found, holder) ? found : holder;
}

function byMemory({ memory }: Claims, info: ProcessInfo): AgentId | undefined {
	return memory?.get(processKey(info));
}

function byCookie(look: Pick<Look, "environment">, claims: Claims, info: ProcessInfo): AgentId | undefined {
	const { agentOfCookie, startedSince = "0" } = claims;
	if (agentOfCookie === undefined || hasStartedBefore(info.startTime, startedSince)) return undefined;
	const environment = look.environment(info.pid);
	const isForgeable = claims.ownUid !== undefined && info.uid !== undefined && info.uid !== claims.ownUid;
	if (environment === undefined) return undefined;
	return agentOfCookie(environment, isForgeable) ?? (isForgeable ? undefined : claims.agentOfMark?.(info.pid));
}

export interface Owned {
	readonly info: ProcessInfo;
	/** Undefined for a process that belongs to no agent. */
	readonly owner: AgentId | undefined;
}

/** All living processes with their owners, also those that no agent owns. */
export function ownersIn(look: Look, claims: Claims): Owned[] {
	const infos = look.list();
	const byPid = new Map(infos.map((info) => [info.pid, info]));
	const ownerOf = createOwnerOf({ read: (pid) => byPid.get(pid), environment: look.environment }, claims);
	return infos.flatMap((info) => (hasEnded(info) ? [] : [{ info, owner: ownerOf(info) }]));
}

/** The process that is going to send signals. */
export interface Asker {
	readonly pid: number;
	/** Undefined where the system has no user ids. */
	readonly uid: number | undefined;
}

export function thisProcess(): Asker {
	return { pid: process.pid, uid: process.getuid?.() };
}

/** False for the asker itself. A process of another user (su, sudo) that belongs to an agent ends with it where it can. */
export function mayEnd({ pid }: ProcessInfo, asker: Pick<Asker, "pid">): boolean {
	return pid > 1 && pid !== asker.pid;
}

/** All living processes that an agent in the claims owns and that the asker may end. */
export function belongingTo(look: Look, claims: Claims, asker: Asker = thisProcess()): ProcessInfo[] {
	return ownersIn(look, { ...claims, ...defined({ ownUid: asker.uid }) }).flatMap(({ info, owner }) =>
		owner !== undefined && mayEnd(info, asker) ? [info] : [],
	);
}

/**
 * `found` and the living processes among `pids`, which a cgroup lists. The kernel vouches for these, whoever their
 * user is.
 */
export function withCgroupMembers(look: Pick<Look, "read">, found: ProcessInfo[], pids: number[]): ProcessInfo[] {
	const known = new Set(found.map(({ pid }) => pid));
	const others = pids.filter((pid) => !known.has(pid) && pid > 1 && pid !== process.pid);
	const infos = others.flatMap((pid) => look.read(pid) ?? []);
	return [...found, ...infos.filter((info) => !hasEnded(info))];
}

/** A key that names a process forever: its pid and its start time. */
export function processKey({ pid, startTime }: ProcessRef): string {
	return `${pid} ${startTime}`;
}

/** The processes that a sandbox itself consists of (agent/bash/bubblewrap-shell.ts): bwrap, and the first process in its namespace. */

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
