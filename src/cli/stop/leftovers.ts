/**
 * Processes that runs with a dead supervisor have left. Usually their agents end these themselves, but nothing ends a command
 * when supervisor and root were killed at the same moment. So each run, when its own root has started, looks for what
 * unfinished runs of the same state directory have left.
 */

import { existsSync, statSync } from "node:fs";
import { AgentreeError } from "../../core/errors.ts";
import { type Agent, type AgentId, isOver, isWithin, ROOT } from "../../core/model/agent.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import { agentsInOrder } from "../../core/run/run-state.ts";
import type { RunFile } from "../../core/schemas/run-files.ts";
import { cgroupMembershipOf, cgroupOfRun } from "../../processes/cgroups/cgroup.ts";
import { markOf, readMark } from "../../processes/run-mark.ts";
import {
	type Asker,
	belongingTo,
	type Claims,
	mayEnd,
	ownersIn,
	thisProcess,
	withCgroupMembers,
} from "../../processes/table/belonging.ts";
import { AT_ONCE, endProcesses } from "../../processes/table/end-processes.ts";
import { isRecordedAlive } from "../../processes/table/open-table.ts";
import { isInOurNamespace, ownPidNamespace } from "../../processes/table/pid-namespace.ts";
import { isAlive, type Look, type ProcessInfo, type ProcessTable } from "../../processes/table/process-table.ts";
import { removeFile } from "../../record/files/private-files.ts";
import { replayRun, supervisorOf } from "../../record/load-run.ts";
import { type FoundRun, readableRunFile, supervisedRuns } from "../../record/read-run.ts";
import { reservePath, runDirectory } from "../../record/run-directory.ts";
import { readRunLock } from "../../record/run-lock.ts";
import { whyForeign } from "../../record/run-origin.ts";
import { removeMountPlaceholdersOf } from "../../supervisor/sandboxes/mount-placeholders.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";

const MAX_READ = 200; // the cost of a start must not grow with the number of old runs
const MAX_UNFINISHED = 20;

export interface LeftoversEnd {
	/** False: nothing of the run lived. */
	readonly hasFound: boolean;
	/** The pids that could not be ended. */
	readonly survivors: readonly number[];
}

/** Ends what lives of a run, or of the agent that is named and all below it. */
export async function endLeftovers(
	found: FoundRun,
	{ table, isHurry }: { table: ProcessTable; isHurry: boolean },
): Promise<LeftoversEnd> {
	const find = findProcessesOf(found);
	const hasFound = find(table.look()).length > 0;
	const survivors = hasFound ? await endProcesses({ table, find, ...(isHurry && AT_ONCE) }) : [];
	removeGroupOf(found.run);
	return { hasFound, survivors: survivors.map(({ pid }) => pid) };
}

/** The newest run that was started in `cwd`, whose supervisor is dead, and of which something lives. */
export function newestAbandoned(home: string, cwd: string, table: ProcessTable): string | undefined {
	const runs = abandonedRuns(home).filter((file) => file.cwd === cwd);
	if (runs.length === 0) return undefined;
	const look = table.look();
	const [here] = byPlace(home, new Set(runs.map(({ run }) => run)));
	return runs.find(({ run }) => {
		const left = leftoversOf(new Set([run]), look);
		return (here.has(run) ? left : left.filter(isHere)).length > 0;
	})?.run;
}

/** Ends what other runs have left, even in their projects. What cannot be ended or read is left to the next run that starts. `own`: the run that starts now. */
export async function sweepLeftovers(
	table: ProcessTable,
	own: Pick<RunSettings, "home" | "run" | "sandbox">,
): Promise<void> {
	const { home } = own;
	const abandoned = abandonedRuns(home).filter(({ run }) => run !== own.run);
	const runs = new Set(abandoned.map(({ run }) => run));
	if (runs.size === 0) return;
	const [here, elsewhere] = byPlace(home, runs);
	const find = (look: Look) => [...leftoversOf(here, look), ...leftoversOf(elsewhere, look).filter(isHere)];
	await endProcesses({ table, find });
	for (const file of abandoned) {
		removeGroupOf(file.run);
		removeFile(reservePath(runDirectory(home, file.run)));
		removeMountPlaceholdersOf(runDirectory(home, file.run), own);
	}
}

/** Removes a run's cgroup, unless something lives in it: in another pid namespace the run may go on, and make agents' groups. */
export function removeGroupOf(run: string): void {
	const group = cgroupOfRun(run);
	if (group?.pids().length === 0) group.remove();
}

/**
 * Runs whose supervisor was in this pid namespace: they have taken their commands into namespaces of sandboxes. Any other run may go on
 * where it was, so of it only what is here is looked at.
 */
function byPlace(home: string, runs: ReadonlySet<string>): [here: Set<string>, elsewhere: Set<string>] {
	const [own, here, elsewhere] = [ownPidNamespace(), new Set<string>(), new Set<string>()];
	for (const run of runs)
		(readRunLock(runDirectory(home, run))?.owner?.pidNamespace === own ? here : elsewhere).add(run);
	return [here, elsewhere];
}

function isHere({ pid }: ProcessInfo): boolean {
	return isInOurNamespace(pid);
}

/** Finds the processes of runs by the cookie that agents and their commands carry, by the run's mark, and by its cgroup where there is one. */
function leftoversOf(runs: ReadonlySet<string>, look: Look): ProcessInfo[] {
	if (runs.size === 0) return [];
	const ofRuns = (place: { run: string; agent: AgentId | undefined } | undefined) =>
		place !== undefined && runs.has(place.run) ? (place.agent ?? ROOT) : undefined;
	const marks = new Set<number | undefined>([...runs].map(markOf));
	const claims: Claims = {
		agentOfCookie: (environment, isForgeable) => (isForgeable ? undefined : ofRuns(parseCookie(environment))),
		agentOfMark: (pid) => (marks.has(readMark(pid)) ? ROOT : undefined),
	};
	const members = look.list().flatMap(({ pid }) => (ofRuns(cgroupMembershipOf(pid)) === undefined ? [] : [pid]));
	return withCgroupMembers(look, belongingTo(look, claims), members);
}

/** The runs without an end whose supervisor is dead, the newest first; without those from elsewhere, whose ids may be those of runs that go on. */
export function abandonedRuns(home: string): RunFile[] {
	const unfinished = [...supervisedRuns(home, MAX_READ)]
		.filter(({ file }) => file.endedAt === undefined)
		.slice(0, MAX_UNFINISHED);
	const abandoned = unfinished.filter(
		({ directory, run, file }) =>
			!isRecordedAlive(supervisorOf(file)) && !isJustResumed(home, run) && whyForeign(directory, file) === undefined,
	);
	return abandoned.map(({ file }) => file);
}

/** True for a run whose new supervisor has the lock, while run.json does not name it yet. */
function isJustResumed(home: string, run: string): boolean {
	const owner = readRunLock(runDirectory(home, run))?.owner;
	if (owner === undefined || owner.pidNamespace !== ownPidNamespace()) return false;
	return isRecordedAlive({ pid: owner.pid, startTime: owner.startTime });
}

/**
 * Finds the processes of a run without its supervisor: by the agents that its event log names, by the cookie that agents
 * and their commands carry, by descent from both, by the run's mark, and by its cgroup where there is one.
 */

export type FindProcesses = (look: Look) => ProcessInfo[];

/** Finds the processes of an agent and of all below it; for the root, those of the whole run. */
export function findProcessesOf({ run, directory, agent = ROOT }: FoundRun): FindProcesses {
	const recorded = livingOnRecord(directory);
	const asker = askerFor(directory);
	const wasHere =
		existsSync(directory) && (readRunLock(directory)?.owner?.pidNamespace === ownPidNamespace() || hasEnded(directory));
	return (look) => {
		const claims = claimsOf(run, recorded, look);
		const owned = ownersIn(look, claims).flatMap(({ info, owner }) =>
			owner !== undefined && isWithin(owner, agent) && mayEnd(info, asker) ? [info] : [],
		);
		const members = look.list().flatMap(({ pid }) => {
			const place = cgroupMembershipOf(pid);
			return place?.run === run && isWithin(place.agent, agent) ? [pid] : [];
		});
		// A run whose supervisor was elsewhere may go on there, unless it has ended. One that was here has taken its agents into any namespace.
		return withCgroupMembers(look, owned, members).filter(({ pid }) => wasHere || isInOurNamespace(pid));
	};
}

/**
 * A file can name any process. So an agent on record is believed only if the process itself has an agent's title, and no
 * cookie of another run.
 */
function claimsOf(run: string, recorded: readonly Agent[], look: Look): Claims {
	const mark = markOf(run);
	const agents = new Map(recorded.filter((agent) => isAgentOf(run, agent, look)).map((agent) => [agent.pid, agent]));
	return {
		agentAt: (pid) => {
			const found = agents.get(pid);
			return found === undefined ? undefined : { agent: found.id, startTime: found.startTime };
		},
		agentOfCookie: (environment) => {
			const cookie = parseCookie(environment);
			return cookie?.run === run ? (cookie.agent ?? ROOT) : undefined;
		},
		agentOfMark: (pid) => (readMark(pid) === mark ? ROOT : undefined),
	};
}

function isAgentOf(run: string, agent: Agent, look: Look): boolean {
	if (!isAlive(look, agent) || look.read(agent.pid)?.name.startsWith("agent ") !== true) return false;
	const cookie = parseCookie(look.environment(agent.pid) ?? {});
	return cookie === undefined || cookie.run === run;
}

function hasEnded(directory: string): boolean {
	return readableRunFile(directory)?.endedAt !== undefined;
}

/** None when the record cannot be read: then there are the other ways. */
function livingOnRecord(directory: string): Agent[] {
	try {
		return agentsInOrder(replayRun(directory).state).filter((agent) => !isOver(agent));
	} catch (error) {
		if (error instanceof AgentreeError) return [];
		throw error;
	}
}

/** Root ends in another user's run what is that user's, and nothing else: the user may have written the files. */
function askerFor(directory: string): Asker {
	const own = thisProcess();
	return own.uid === 0 ? { ...own, uid: statSync(directory, { throwIfNoEntry: false })?.uid ?? 0 } : own;
}
