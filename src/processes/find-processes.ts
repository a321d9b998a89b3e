/**
 * A subtree of processes is: the descendants of its roots ∪ the sessions and groups of its commands ∪ what carries its
 * cookie in the environment, and all descendants of those. Each catches what the others lose: a parent that died
 * breaks descent, `setsid` leaves the session, `env -i` drops the cookie.
 */
import { hasEnded, type ProcessInfo, type ProcessRef, type ProcessTable } from "./process-table.ts";
import { hasStartedBefore, isSameStart } from "./start-time.ts";

export interface Subtree {
	/** A root that lives is part of the subtree. */
	readonly roots: readonly ProcessRef[];
	/** Sessions (and groups) that belong to it as a whole. The leader may have ended. */
	readonly sessions: readonly number[];
	readonly cookie?: (environment: Record<string, string>) => boolean;
	/** What earlier looks have found by its cookie, by `nameOf`: not asked again, and added to. */
	readonly carriers?: Set<string>;
	/** Nothing older is asked for its cookie: reading environments is what costs. */
	readonly startedSince?: string;
	/** Pids that are never part of it, nor what only they lead to. Pid 1 and `self` never are. */
	readonly except: readonly number[];
	/** The asker: this process. */
	readonly self?: number;
	/** Processes of other users are never part of it. Default: this process's user. */
	readonly uid?: number | undefined;
}

/** The living processes of the subtree, in the order of the table. */
export function findProcesses(table: ProcessTable, subtree: Subtree): ProcessInfo[] {
	const { self = process.pid, uid = process.getuid?.() } = subtree;
	const forbidden = new Set([0, 1, self, ...subtree.except]);
	const isOurs = (info: ProcessInfo) => uid === undefined || info.uid === undefined || info.uid === uid;
	const now = table.snapshot?.() ?? table;
	const candidates = now.list().filter((info) => !forbidden.has(info.pid) && !hasEnded(info) && isOurs(info));
	const found = new Set<number>();
	addMembers(candidates, found, subtree);
	addDescendants(candidates, found);
	if (subtree.cookie !== undefined) {
		addCarriers(now, candidates, found, { ...subtree, cookie: subtree.cookie });
		addDescendants(candidates, found);
	}
	return candidates.filter((info) => found.has(info.pid));
}

/** `found` and what a cgroup lists. The kernel tells whose those are, so neither user nor start time is asked. */
export function withMembers(table: Pick<ProcessTable, "read">, found: ProcessInfo[], pids: number[]): ProcessInfo[] {
	const known = new Set(found.map(({ pid }) => pid));
	const others = pids.filter((pid) => !known.has(pid) && pid > 1 && pid !== process.pid);
	const infos = others.flatMap((pid) => table.read(pid) ?? []);
	return [...found, ...infos.filter((info) => !hasEnded(info))];
}

function addMembers(candidates: readonly ProcessInfo[], found: Set<number>, subtree: Subtree): void {
	const startTimes = new Map(subtree.roots.map((root) => [root.pid, root.startTime]));
	// A session whose leader has another start time is a later one that got the same number.
	const isReused = (info: ProcessInfo) => !isSameStart(startTimes.get(info.pid) ?? info.startTime, info.startTime);
	const reused = new Set(candidates.filter(isReused).map((info) => info.pid));
	const sessions = new Set(subtree.sessions.filter((session) => session > 1 && !reused.has(session)));
	for (const info of candidates) {
		const isRoot = startTimes.has(info.pid) && !isReused(info);
		const isMember = sessions.has(info.session) || sessions.has(info.group);
		if (isRoot || isMember) found.add(info.pid);
	}
}

/** A session that was opened by a process of the subtree belongs to it, too. */
function addDescendants(candidates: readonly ProcessInfo[], found: Set<number>): void {
	const isBelow = (info: ProcessInfo) => found.has(info.parent) || found.has(info.session);
	for (let before = -1; before !== found.size; ) {
		before = found.size;
		for (const info of candidates) if (isBelow(info)) found.add(info.pid);
	}
}

function addCarriers(
	table: ProcessTable,
	candidates: readonly ProcessInfo[],
	found: Set<number>,
	subtree: Subtree & Required<Pick<Subtree, "cookie">>,
): void {
	const isOlder = ({ startTime }: ProcessInfo) => hasStartedBefore(startTime, subtree.startedSince ?? "0");
	for (const info of candidates) {
		if (found.has(info.pid) || isOlder(info)) continue;
		const environment = subtree.carriers?.has(nameOf(info)) ? undefined : table.environment(info.pid);
		if (environment !== undefined && subtree.cookie(environment)) subtree.carriers?.add(nameOf(info));
		else if (!subtree.carriers?.has(nameOf(info))) continue;
		found.add(info.pid);
	}
}

/** A process for ever, as a key. */
export function nameOf({ pid, startTime }: ProcessRef): string {
	return `${pid} ${startTime}`;
}
