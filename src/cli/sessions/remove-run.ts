/**
 * Removes a run with all its files. Its lock is taken first, so that nobody goes on with it meanwhile, or it is not removed. Then it
 * is moved away from the runs at once, and no half of it is ever among them.
 */

import {
	chmodSync,
	existsSync,
	lstatSync,
	readdirSync,
	realpathSync,
	renameSync,
	rmdirSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { NO_PROCESS, ROOT } from "../../core/model/agent.ts";
import { worktreesLeft, worktreesOfRun } from "../../core/run/file-events.ts";
import { pipesDirectory, proxySocket } from "../../core/run/pipe-path.ts";
import { isRunId } from "../../core/run/run-id.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { errnoWords } from "../../faces/print/io.ts";
import type { ProcessTable } from "../../processes/table/process-table.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { parseDuration } from "../../project/config/read-limits.ts";
import { socketPath, temporarySocketPath } from "../../project/config/user-directories.ts";
import type { GitSandbox } from "../../project/worktrees/repository-git.ts";
import { type RemovedTree, removeTree } from "../../record/files/remove-tree.ts";
import { replayRun } from "../../record/load-run.ts";
import { type FoundRun, findRun, readableAgentFile, readableRunFile } from "../../record/read-run.ts";
import { eventsPath, runFilePath, runsDirectory } from "../../record/run-directory.ts";
import { type HeldLock, type RunLock, takeRunLock } from "../../record/run-lock.ts";
import { whyForeign } from "../../record/run-origin.ts";
import { supervisorProcess } from "../../record/supervisor-process.ts";
import { probeSandbox } from "../../sandbox/probe.ts";
import { lockOwner } from "../../supervisor/run/begin-run.ts";
import { removeMountPlaceholdersOf } from "../../supervisor/sandboxes/mount-placeholders.ts";
import { describeKeptWorktree } from "../../view/words/worktrees.ts";
import { findProcessesOf, removeGroupOf } from "../stop/leftovers.ts";
import { requireOver } from "./resumable.ts";
import { listSessions, type Session, sessionOf } from "./session.ts";

export interface RemovalHost {
	readonly home: string;
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly uid: number;
	readonly table: ProcessTable;
	readonly now: number;
	/** Some random characters, for names that nothing has. */
	readonly mark: string;
}

/** `worktrees`: a line for each git worktree that stays. */
export type Removed =
	| { readonly is: "removed"; readonly bytes: number; readonly worktrees: readonly string[] }
	/** It stays as it is. */
	| { readonly is: "kept"; readonly why: string }
	/** It is no run any more, but not all of its files are gone. */
	| { readonly is: "partly"; readonly bytes: number; readonly why: string; readonly worktrees: readonly string[] };

const MOVED = /^\.(removing|forking)-/;
const FORK_MS = 60 * 60 * 1000; // no copy takes so long

export async function removeRun(found: NamedRun, host: RemovalHost): Promise<Removed> {
	const why = whyNoRun(found, host.uid);
	if (why !== undefined) return { is: "kept", why };
	const aside = join(runsDirectory(host.home), `.removing-${found.run}-${host.mark}`);
	let worktrees: readonly string[] = [];
	try {
		const lock = await takeLock(found, host);
		try {
			// What a run from elsewhere says of this machine's directories and repositories counts for nothing.
			if (isOfHere(found.directory)) {
				worktrees = await dropWorktrees(found.run, found.directory, host);
				removeMountPlaceholdersOf(found.directory);
			}
			renameSync(found.directory, aside);
		} catch (error) {
			lock.release();
			throw error;
		}
	} catch (error) {
		if (error instanceof AgentreeError) return { is: "kept", why: error.message };
		const { code = String(error) } = error as NodeJS.ErrnoException;
		return { is: "kept", why: `run ${found.run} cannot be moved: ${errnoWords(code)}` };
	}
	removeSockets(found.run, host);
	removeGroupOf(found.run);
	return resultOf(removeTree(aside, `.${host.mark}-`), { run: found.run, aside, worktrees });
}

function isOfHere(directory: string): boolean {
	const file = readableRunFile(directory);
	return file !== undefined && whyForeign(directory, file) === undefined;
}

/** Looks again once the lock is there: an agent that was about to start is a process by then. */
async function takeLock(found: NamedRun, host: RemovalHost): Promise<RunLock> {
	const held = await requireDead(found, host);
	const lock = takeRunLock(found.directory, lockOwner(host.table), held);
	try {
		requireNoProcess(found, host.table);
		return lock;
	} catch (error) {
		lock.release();
		throw error;
	}
}

function resultOf(
	{ bytes, left, first }: RemovedTree,
	{ run, aside, worktrees }: { run: string; aside: string; worktrees: readonly string[] },
): Removed {
	if (left === 0) return { is: "removed", bytes, worktrees };
	const reason = first === undefined ? "" : ` (${first.path}: ${errnoWords(first.code)})`;
	return { is: "partly", bytes, worktrees, why: `${left} files of run ${run} remain in ${aside}${reason}` };
}

/** What a supervisor that was killed has left beside the runs. */
function removeSockets(run: string, { env, uid, home, mark }: RemovalHost): void {
	const sockets = [socketPath(env, uid, run), temporarySocketPath(uid, run), join(home, "sockets", `${run}.sock`)];
	for (const socket of new Set(sockets)) {
		try {
			for (const path of [proxySocket(socket), socket]) {
				const found = lstatSync(path, { throwIfNoEntry: false });
				if (found?.isSocket() === true && found.uid === uid) unlinkSync(path);
			}
			const pipes = pipesDirectory(socket);
			if (lstatSync(pipes, { throwIfNoEntry: false })?.isDirectory() === true) removeTree(pipes, `.${mark}-`);
		} catch {} // not ours: it is only swept up
	}
}

/** Removes what a removal, or a copying, that was killed has left. Gives the bytes that this freed. */
export function sweepHalves({ home, now, mark }: Pick<RemovalHost, "home" | "now" | "mark">): number {
	const runs = runsDirectory(home);
	const names = readdirSync(runs).filter((name) => MOVED.test(name));
	const over = names.filter((name) => name.startsWith(".removing-") || isOld(join(runs, name), now));
	return over.reduce((bytes, name) => bytes + removeTree(join(runs, name), `.${mark}-`).bytes, 0);
}

function isOld(path: string, now: number): boolean {
	const changed = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
	return changed !== undefined && now - changed > FORK_MS;
}

/**
 * The git worktrees of a run that is removed: those in which nothing would be lost go with it, even when all of their commits are in
 * another branch by now. The others stay, since they are work of somebody, and are told of. Of a run with a sandbox git looks at
 * them in one: its agents may have written what git would run there.
 */

const MOST_MS = 120_000;

interface DropHost {
	readonly env: Readonly<Record<string, string | undefined>>;
	/** The state directory. */
	readonly home: string;
	readonly uid: number;
}

/** `directory`: of the run. Gives a line for each that stays. */
async function dropWorktrees(run: string, directory: string, host: DropHost): Promise<string[]> {
	const { env, home } = host;
	const left = worktreesLeft(stateIn(directory));
	const lines: string[] = [];
	if (left.length > 0) {
		const { repositoryGit } = await import("../../project/worktrees/repository-git.ts");
		const { settleWorktree } = await import("../../project/worktrees/settle-worktree.ts");
		const { dropPlaces } = await import("../../project/worktrees/make-worktree.ts");
		const { entryOfWorktree } = await import("../../project/worktrees/place-worktree.ts");
		const sandboxFor = await gitSandboxes(run, directory, host);
		for (const [agent, { state: _, ...own }] of left) {
			const sandbox = sandboxFor?.(entryOfWorktree(own));
			const git = repositoryGit({ env, signal: AbortSignal.timeout(MOST_MS), sandbox });
			const settled = await settleWorktree(own, { git, home, goesWhenMerged: true });
			if (settled.is === "kept") lines.push(`of agent ${agent} ${describeKeptWorktree(own, settled)}`);
			else dropPlaces(own.path, home);
		}
	}
	dropPlace(run, home);
	return lines;
}

/** As the run's root was confined; undefined where it was not, or none can be had here any more. */
async function gitSandboxes(
	run: string,
	directory: string,
	{ env, home, uid }: DropHost,
): Promise<((entry: string | undefined) => GitSandbox) | undefined> {
	const confinement = readableAgentFile(directory, ROOT)?.sandbox;
	const probed = confinement && probeSandbox(env);
	if (confinement === undefined || probed?.is !== "found") return undefined;
	const { helperArgs } = await import("../../sandbox/bubblewrap-args.ts");
	const real = realpathSync(home);
	const empty = join(realpathSync(directory), "empty");
	writeFileSync(empty, "", { mode: 0o400 });
	const { seccompFilter } = await import("../../sandbox/seccomp-filter.ts");
	const calls = seccompFilter(process.arch);
	const filter = join(realpathSync(directory), "filter");
	if (calls !== undefined) writeFileSync(filter, calls, { mode: 0o400 });
	const places = { stateDirectory: real, empty, needed: [], worktrees: worktreesOfRun(run, real) };
	const isThere = ({ path }: { path: string }) => existsSync(path);
	const { withoutEntry } = await import("../../sandbox/derived-confinements.ts");
	const there = () => ({ ...confinement, mounts: confinement.mounts.filter(isThere) });
	const nesting = { isRoot: uid === 0, isFiltered: calls !== undefined };
	const { program } = probed;
	return (entry) => ({
		program,
		args: () => helperArgs(withoutEntry(there(), entry), places, nesting),
		...(calls && { filter }),
	});
}

/** What a supervisor that was killed has left. */
function dropPlace(run: string, home: string): void {
	try {
		rmdirSync(worktreesOfRun(run, home));
	} catch {} // there is none, or worktrees stay
}

/** A run that is too damaged to be read has none that is known. */
function stateIn(directory: string): Pick<RunState, "worktrees"> {
	try {
		return replayRun(directory).state;
	} catch (error) {
		if (error instanceof AgentreeError) return {};
		throw error;
	}
}

/**
 * Which runs a person wants removed, and whether each may be: it is a run of this user, and nothing of it is alive. What its
 * files say does not make it dead.
 */

export type NamedRun = Pick<FoundRun, "run" | "directory">;

const ENTERED = 0o700;

/**
 * Why what lies there is no run of this user; undefined when it is one. A run's own directory that a command has closed is opened
 * again, as it was made.
 */
export function whyNoRun(found: NamedRun, uid: number): string | undefined {
	const why = wrongWith(found, uid);
	return why === undefined ? undefined : `${found.run} is not one of your runs: ${why}`;
}

function wrongWith({ run, directory }: NamedRun, uid: number): string | undefined {
	const found = lstatSync(directory, { throwIfNoEntry: false });
	if (found === undefined) return "it is gone";
	if (!found.isDirectory()) return found.isSymbolicLink() ? "it is a link" : "it is not a directory";
	if (found.uid !== uid) return `it belongs to user ${found.uid}, and you are ${uid}`;
	if (!isRunId(run)) return "its name is not a run id";
	if ((found.mode & ENTERED) !== ENTERED) chmodSync(directory, ENTERED);
	const file = readableRunFile(directory);
	if (file !== undefined) return file.run === run ? undefined : `it is a manual copy of run ${file.run}`;
	const hasRecord = [runFilePath(directory), eventsPath(directory)].some(isThere);
	return hasRecord ? undefined : "it has neither run.json nor events.jsonl";
}

/**
 * Gives the lock that a dead supervisor has left, if any. Throws AgentreeError("not_started") when the run is alive, or may be:
 * its supervisor by its lock, by run.json or by its process, or any process that belongs to it.
 */
export async function requireDead(
	{ run, directory }: NamedRun,
	{ table, now }: { table: ProcessTable; now: number },
): Promise<HeldLock | undefined> {
	const file = readableRunFile(directory) ?? { run, supervisor: NO_PROCESS, socket: "" };
	const held = await requireOver(directory, file, now);
	const supervisor = supervisorProcess({ run, directory }, file);
	if (supervisor.is === "alive" || supervisor.is === "suspended") throw alive(run, [supervisor.pid]);
	requireNoProcess({ run, directory }, table);
	return held;
}

/** Throws AgentreeError("not_started") when a process of the run is alive. */
function requireNoProcess({ run, directory }: NamedRun, table: ProcessTable): void {
	const processes = findProcessesOf({ run, directory })(table.look());
	if (processes.length > 0)
		throw alive(
			run,
			processes.map(({ pid }) => pid),
		);
}

function alive(run: string, pids: readonly number[]): AgentreeError {
	const named = `${pids.slice(0, 5).join(", ")}${pids.length > 5 ? " …" : ""}`;
	return new AgentreeError(
		"not_started",
		`processes of run ${run} are alive (${named}); to stop them: agent stop ${run}`,
	);
}

function isThere(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

export interface ChosenRun extends NamedRun {
	/** Undefined: its run.json cannot be read. */
	readonly session: Session | undefined;
}

/** The runs that a person typed, or that are old. Throws AgentreeError: `usage`, `not_found`. */
export function chosenRemovals(
	refs: readonly string[],
	values: OptionValues,
	{ home, cwd, now }: { home: string; cwd: string; now: number },
): ChosenRun[] {
	const olderThan = values["older-than"];
	const isEverywhere = values["all-directories"] === true;
	if (refs.length > 0) {
		if (olderThan !== undefined || isEverywhere) throw usage("name runs or use --older-than, not both");
		return [...new Set(refs)].map((ref) => named(ref, home, cwd));
	}
	if (typeof olderThan !== "string")
		throw usage("which runs? agent rm RUN … (agent ls lists them), or agent rm --older-than 30d");
	const ms = parseDuration(olderThan);
	if (ms === undefined) throw usage(`--older-than must be a time such as 30d or 12h, not "${olderThan}"`);
	const sessions = listSessions(home, isEverywhere ? undefined : cwd);
	const old = sessions.filter(({ state, usedAt }) => state !== "alive" && now - usedAt > ms);
	return old.map((session) => ({ run: session.run, directory: session.directory, session }));
}

function named(ref: string, home: string, cwd: string): ChosenRun {
	const { run, directory, agent } = findRun(home, ref, cwd);
	if (agent !== undefined) throw usage(`only whole runs can be removed: agent rm ${run}`);
	const file = readableRunFile(directory);
	return { run, directory, session: file === undefined ? undefined : sessionOf({ run, directory, file }) };
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}
