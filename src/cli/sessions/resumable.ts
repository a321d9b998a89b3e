/** Whether a run may be resumed. Each reason against it is an error of one line that says what to do. */

import { statSync } from "node:fs";
import { basename } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { type Limits, limitOfFlag } from "../../core/limits/limits.ts";
import { type Ending, isOver, ROOT } from "../../core/model/agent.ts";
import { turnLimitReached } from "../../core/run/admission.ts";
import { type RunState, reduce } from "../../core/run/run-state.ts";
import { budgetsOf, totalsWithin } from "../../core/run/spending.ts";
import { RUN_FORMAT, type RunFile } from "../../core/schemas/run-files.ts";
import { isRecordedAlive } from "../../processes/table/open-table.ts";
import { isNamespaceOver, ownPidNamespace } from "../../processes/table/pid-namespace.ts";
import { VERSION } from "../../project/version.ts";
import { statsOf } from "../../record/files/regular-file.ts";
import { isRunning, supervisorOf } from "../../record/load-run.ts";
import { type HeldLock, readRunLock } from "../../record/run-lock.ts";
import { supervisorAt } from "../../record/supervisor-process.ts";
import { formatCost } from "../../text/numbers.ts";

const WRITING_MS = 10_000; // a lock that stays empty for longer was left by a power cut

/** Resolves to the lock that a dead supervisor has left, if any. Throws AgentreeError("not_started") when a supervisor is alive. */
export async function requireOver(
	directory: string,
	file: Pick<RunFile, "run" | "supervisor" | "endedAt" | "socket">,
	now: number,
): Promise<HeldLock | undefined> {
	const { run } = file;
	const supervisor = supervisorOf(file);
	if (isRunning(file)) throw stillRunning(run, supervisor.pid);
	const held = readRunLock(directory);
	if (held === undefined) return undefined;
	const { owner, path } = held;
	if (owner === undefined) {
		if (Math.abs(now - held.since) < WRITING_MS)
			throw new AgentreeError("not_started", `run ${run} is already being resumed`);
		return held;
	}
	if (owner.pidNamespace === ownPidNamespace()) {
		if (isRecordedAlive({ pid: owner.pid, startTime: owner.startTime })) throw stillRunning(run, owner.pid);
		return held;
	}
	if (isNamespaceOver(owner.pidNamespace)) return held;
	const answer = await answerOn(file.socket);
	if (answer === "ECONNREFUSED") return held; // nobody listens any more on the socket that is still there
	if (answer === "connected") throw stillRunning(run, owner.pid);
	throw new AgentreeError(
		"not_started",
		`run ${run} is or was supervised in another pid namespace (pid ${owner.pid}, perhaps in a container) that cannot be seen from here; if it has ended, remove ${path}`,
	);
}

function stillRunning(run: string, pid: number): AgentreeError {
	return new AgentreeError(
		"not_started",
		`run ${run} is running (supervisor pid ${pid}): agent ps ${run}; agent show ${run} --follow; agent stop ${run}`,
	);
}

async function answerOn(socket: string): Promise<string> {
	try {
		const connection = await supervisorAt(socket).connect();
		connection.close();
		return "connected";
	} catch (error) {
		return (error as NodeJS.ErrnoException).code ?? "error";
	}
}

/** Refuses a copied directory: the copy would be resumed under the id, and in the directory, of the original run. */
export function requireOriginal(directory: string, { run }: RunFile): void {
	if (basename(directory) === run) return;
	throw new AgentreeError(
		"usage",
		`${directory} is a copy of run ${run}: resume ${run}, or rename the copy to ${run} to resume from it`,
	);
}

/** Refuses a run of a newer version: its files may mean something that this version does not know. */
export function requireKnownVersion({ run, version, format }: RunFile): void {
	if (format > RUN_FORMAT)
		throw new AgentreeError(
			"usage",
			`run ${run} has files of format ${format}, and agentree ${VERSION} writes format ${RUN_FORMAT}: use a later version`,
		);
	if (!isNewer(version, VERSION)) return;
	throw new AgentreeError(
		"usage",
		`run ${run} was written by agentree ${version}, and this is ${VERSION}: use that version or a later one`,
	);
}

/** Compares the numbers that may change the meaning of files: the major one, or below 1.0 the minor one. */
export function isNewer(version: string, than: string): boolean {
	const [major = 0, minor = 0] = numbersOf(version);
	const [ownMajor = 0, ownMinor = 0] = numbersOf(than);
	return major > ownMajor || (major === ownMajor && major === 0 && minor > ownMinor);
}

function numbersOf(version: string): number[] {
	return version.split(".").map((part) => Number.parseInt(part, 10) || 0);
}

/** Refuses the run of another user, even to root, who could resume it: its files would then belong to two users. */
export function requireOwn(directory: string, run: string, uid: number): void {
	const owner = statSync(directory, { throwIfNoEntry: false })?.uid;
	if (owner === undefined || owner === uid) return;
	throw new AgentreeError(
		"usage",
		`run ${run} belongs to user ${owner}, and you are ${uid}: only its owner can resume it`,
	);
}

/** Refuses a run whose directory is gone. `isMoved`: `--cd` names another directory. */
export function requireDirectory({ run, cwd }: RunFile, isMoved: boolean): void {
	if (isMoved || statsOf(cwd)?.isDirectory() === true) return;
	throw new AgentreeError(
		"usage",
		`the directory of run ${run} no longer exists: ${cwd}; create it, or choose another with --cd`,
	);
}

/** Refuses a run that ended at a limit and would meet it again at once. */
export function requireRoom(state: RunState, limits: Limits): void {
	const root = state.agents[ROOT];
	const ending: Ending | undefined = root !== undefined && isOver(root) ? root.state.ending : undefined;
	if (root === undefined || ending?.by !== "limit") return;
	const { pid, startTime } = state;
	const on = reduce({ ...state, limits }, { event: "agent_resumed", at: 0, agent: ROOT, pid, startTime, limits });
	const used = turnsUsedUp(on) ?? budgetUsedUp(on, { met: ending.limit, before: root.limits });
	if (used === undefined) return;
	throw new AgentreeError(
		"usage",
		`run ${state.run} ended at a limit that it would reach again at once (${used.reason}); raise it: agent resume ${state.run} --${used.limit} ${used.example}`,
	);
}

interface UsedUp {
	/** The limit, named like its flag. */
	limit: string;
	reason: string;
	example: string;
}

function turnsUsedUp(run: RunState): UsedUp | undefined {
	const reached = turnLimitReached(run, ROOT);
	if (reached === undefined) return undefined;
	const key = limitOfFlag(reached.limit)?.key;
	return { ...reached, example: String(2 * ((key === undefined ? undefined : run.limits[key]) ?? 1)) };
}

/** A budget that is spent, or at which the run ended and which is no larger now. */
function budgetUsedUp(run: RunState, { met, before }: { met: string; before: Limits }): UsedUp | undefined {
	const former = budgetsOf(before, totalsWithin(run, ROOT));
	const used = budgetsOf(run.limits, totalsWithin(run, ROOT)).find(({ limit, most, spent }) => {
		const mostBefore = former.find((other) => other.limit === limit)?.most ?? Number.POSITIVE_INFINITY;
		return (spent ?? 0) >= most || (limit === met && most <= mostBefore);
	});
	if (used === undefined) return undefined;
	const { limit, most, spent } = used;
	const words = limit === "max-budget-usd" ? formatCost(spent) : `${spent} tokens`;
	return { limit, reason: `${limit} ${most}: ${words} used`, example: String(2 * Math.max(most, spent ?? 0)) };
}
