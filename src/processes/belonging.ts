/**
 * Whose a process is: the one rule, for whoever asks. From the process upwards, the nearest one decides that is an agent,
 * known by pid and start time since pids are reused, or is in the session or group of a command. A process that has lost
 * its ancestors and its session (a double fork after `setsid`) belongs to whoever the process belongs to that began its
 * session; then to whom it belonged at an earlier look; then to the agent that its cookie names. Whatever all these say,
 * it belongs to the agent in whose cgroup it is, or to one below that has none. Each way catches what the others lose.
 */
import { type AgentId, isWithin } from "../core/agent.ts";
import { hasEnded, type Look, type ProcessInfo, type ProcessRef } from "./process-table.ts";
import { hasStartedBefore, isSameStart } from "./start-time.ts";

/** `startTime` is that of the process which the claim is about: a later one with its pid is another. */
export interface Claim {
	readonly agent: AgentId;
	readonly startTime: string;
}

/** What the asker knows. What it leaves out it knows nothing of. */
export interface Claims {
	readonly agentAt?: (pid: number) => Claim | undefined;
	/** The command whose shell has or had that pid, which is also the number of its session and its group. */
	readonly commandAt?: (pid: number) => Claim | undefined;
	readonly agentOfCookie?: (environment: Readonly<Record<string, string>>) => AgentId | undefined;
	/** Nothing older is asked for its cookie: to read environments is what costs. */
	readonly startedSince?: string;
	readonly groupOf?: (pid: number) => AgentId | undefined;
	/** Whose each process was at earlier looks, by `nameOf`. Added to. */
	readonly memory?: Map<string, AgentId>;
}

export type OwnerOf = (info: ProcessInfo) => AgentId | undefined;

/** For one look; each process is asked about once. */
export function createOwnerOf(look: Pick<Look, "read" | "environment">, claims: Claims): OwnerOf {
	const owners = new Map<number, AgentId | undefined>();
	const byClaim = (info: ProcessInfo): AgentId | undefined => {
		const agent = claims.agentAt?.(info.pid);
		if (agent !== undefined && isSameStart(agent.startTime, info.startTime)) return agent.agent;
		return commandHolding(look, claims, info.session)?.agent ?? commandHolding(look, claims, info.group)?.agent;
	};
	const byLeader = ({ pid, session }: ProcessInfo): AgentId | undefined => {
		const leader = session > 1 && session !== pid ? look.read(session) : undefined;
		return leader === undefined ? undefined : ownerOf(leader);
	};
	const settle = (info: ProcessInfo, above: AgentId | undefined): AgentId | undefined => {
		const found = byClaim(info) ?? above ?? byLeader(info) ?? byMemory(claims, info) ?? byCookie(look, claims, info);
		const owner = ownerBy(claims.groupOf?.(info.pid), found);
		owners.set(info.pid, owner);
		if (owner !== undefined) claims.memory?.set(nameOf(info), owner);
		return owner;
	};
	const ownerOf = (start: ProcessInfo): AgentId | undefined => {
		const line: ProcessInfo[] = []; // not by recursion: a chain of processes may be longer than the stack
		let at: ProcessInfo | undefined = start;
		while (at !== undefined && at.pid > 1 && !owners.has(at.pid)) {
			owners.set(at.pid, undefined); // pids can be read in a circle while they are given anew
			line.push(at);
			at = byClaim(at) === undefined ? look.read(at.parent) : undefined;
		}
		let owner = at === undefined ? undefined : owners.get(at.pid);
		for (const info of line.reverse()) owner = settle(info, owner);
		return owners.get(start.pid);
	};
	return ownerOf;
}

/** The command of whose session or group that is the number: while its shell lives, and after, until a later process has it. */
export function commandHolding<C extends Claim>(
	look: Pick<Look, "read">,
	{ commandAt }: { commandAt?: (pid: number) => C | undefined },
	leaderPid: number,
): C | undefined {
	const command = leaderPid > 1 ? commandAt?.(leaderPid) : undefined;
	const leader = command === undefined ? undefined : look.read(leaderPid);
	return leader === undefined || isSameStart(leader.startTime, command?.startTime ?? "") ? command : undefined;
}

/** What is in an agent's cgroup is its own, or that of an agent below it which has no group. */
export function ownerBy(group: AgentId | undefined, found: AgentId | undefined): AgentId | undefined {
	if (group === undefined) return found;
	return found !== undefined && isWithin(found, group) ? found : group;
}

function byMemory({ memory }: Claims, info: ProcessInfo): AgentId | undefined {
	return memory?.get(nameOf(info));
}

function byCookie(look: Pick<Look, "environment">, claims: Claims, info: ProcessInfo): AgentId | undefined {
	const { agentOfCookie, startedSince = "0" } = claims;
	if (agentOfCookie === undefined || hasStartedBefore(info.startTime, startedSince)) return undefined;
	const environment = look.environment(info.pid);
	return environment === undefined ? undefined : agentOfCookie(environment);
}

export interface Owned {
	readonly info: ProcessInfo;
	/** Undefined for what is nobody's. */
	readonly owner: AgentId | undefined;
}

/** All that lives, the processes of others too. */
export function ownersIn(look: Look, claims: Claims): Owned[] {
	const infos = look.list();
	const byPid = new Map(infos.map((info) => [info.pid, info]));
	const ownerOf = createOwnerOf({ read: (pid) => byPid.get(pid), environment: look.environment }, claims);
	return infos.flatMap((info) => (hasEnded(info) ? [] : [{ info, owner: ownerOf(info) }]));
}

export interface Asker {
	readonly pid: number;
	/** Undefined where the system has none. */
	readonly uid: number | undefined;
}

export function thisProcess(): Asker {
	return { pid: process.pid, uid: process.getuid?.() };
}

/** The asker never ends itself, nor what is another user's: of a process that only its cookie tells that may be a lie. */
export function mayEnd({ pid, uid }: ProcessInfo, asker: Asker): boolean {
	return pid > 1 && pid !== asker.pid && (asker.uid === undefined || uid === undefined || uid === asker.uid);
}

/** All that belongs to somebody whom the claims know, and that the asker may end. */
export function belongingTo(look: Look, claims: Claims, asker: Asker = thisProcess()): ProcessInfo[] {
	return ownersIn(look, claims).flatMap(({ info, owner }) =>
		owner !== undefined && mayEnd(info, asker) ? [info] : [],
	);
}

/** `found` and what a cgroup lists. The kernel tells whose those are, so neither user nor start time is asked. */
export function withMembers(look: Pick<Look, "read">, found: ProcessInfo[], pids: number[]): ProcessInfo[] {
	const known = new Set(found.map(({ pid }) => pid));
	const others = pids.filter((pid) => !known.has(pid) && pid > 1 && pid !== process.pid);
	const infos = others.flatMap((pid) => look.read(pid) ?? []);
	return [...found, ...infos.filter((info) => !hasEnded(info))];
}

/** A process for ever, as a key. */
export function nameOf({ pid, startTime }: ProcessRef): string {
	return `${pid} ${startTime}`;
}
