/** `agent ps`: the runs of this user and their agents as a tree. */
import { stateDirectory } from "../config/state-directory.ts";
import { AgentreeError } from "../core/errors.ts";
import { loadRunState, supervisorOf } from "../store/load-run.ts";
import { listRuns, readRunFile } from "../store/read-run.ts";
import { runDirectory } from "../store/run-directory.ts";
import { findRunFor, type Io, isProcessAlive, warn } from "./io.ts";
import { runAsJson } from "./run-json.ts";
import { type ListedRun, runTable } from "./run-table.ts";

export interface PsOptions {
	/** This run, alive or over, with its agents. */
	readonly ref?: string | undefined;
	/** Runs that are over, too: one line each, from their run.json alone. */
	readonly all: boolean;
	readonly json: boolean;
}

export function ps({ ref, all, json }: PsOptions, io: Io): number {
	const home = stateDirectory(io.env, io.cwd);
	const runs = ref === undefined ? list(home, all, io) : [load(findRunFor(io, home, ref).directory, io)];
	if (json) io.stdout(`${JSON.stringify(runs.map(runAsJson), null, "\t")}\n`);
	else if (runs.length > 0) io.stdout(`${runTable(runs, { now: io.now(), columns: io.columns }).join("\n")}\n`);
	if (runs.length === 0) io.stderr(`${nothingToShow(home, all)}\n`);
	return 0;
}

function list(home: string, all: boolean, io: Io): ListedRun[] {
	const listed: ListedRun[] = [];
	for (const run of listRuns(home)) {
		const found = unlessDamaged(io, () => listOne(runDirectory(home, run), all, io));
		if (found !== undefined) listed.push(found);
	}
	return listed.sort((a, b) => b.file.started_at - a.file.started_at);
}

function listOne(directory: string, all: boolean, io: Io): ListedRun | undefined {
	const file = readRunFile(directory);
	const isOver = file.ended_at !== undefined;
	if (!isOver && isProcessAlive(supervisorOf(file))) return load(directory, io);
	return all ? { file } : undefined;
}

function load(directory: string, io: Io): ListedRun {
	const { state, damage } = loadRunState(directory, isProcessAlive);
	warn(io, damage);
	return { file: readRunFile(directory), state };
}

/** One damaged run must not hide the others. */
function unlessDamaged<T>(io: Io, read: () => T): T | undefined {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		warn(io, [error.message]);
		return undefined;
	}
}

function nothingToShow(home: string, all: boolean): string {
	const [newest] = listRuns(home);
	if (all || newest === undefined) return "agent: no runs yet; agent demo shows one";
	return `agent: no run is alive; the newest is over: agent ps ${newest} (agent ps -a lists all)`;
}
