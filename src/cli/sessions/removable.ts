/**
 * Which runs a person wants removed, and whether each may be: it is a run of this user, and nothing of it is alive. What its
 * files say does not make it dead.
 */
import { chmodSync, lstatSync } from "node:fs";
import { AgentreeError } from "../../core/errors.ts";
import { NO_PROCESS } from "../../core/model/agent.ts";
import { isRunId } from "../../core/run/run-id.ts";
import type { ProcessTable } from "../../processes/table/process-table.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { parseDuration } from "../../project/config/read-limits.ts";
import { type FoundRun, findRun, readableRunFile } from "../../record/read-run.ts";
import { eventsPath, runFilePath } from "../../record/run-directory.ts";
import type { HeldLock } from "../../record/run-lock.ts";
import { supervisorProcess } from "../../record/supervisor-process.ts";
import { findProcessesOf } from "../stop/find-processes.ts";
import { requireOver } from "./resumable.ts";
import { listSessions, type Session, sessionOf } from "./session.ts";

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
export function requireNoProcess({ run, directory }: NamedRun, table: ProcessTable): void {
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
