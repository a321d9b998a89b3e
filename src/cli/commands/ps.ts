/** `agent ps`: the runs of this user and their agents as a tree. */
import type { Command } from "../../config/command-table.ts";
import type { RunFile } from "../../core/transcript.ts";
import { supervisorOf } from "../../store/load-run.ts";
import { listRuns, readRunFile } from "../../store/read-run.ts";
import { runDirectory, runsDirectory } from "../../store/run-directory.ts";
import { safeJson } from "../../text/safe-json.ts";
import {
	findRunFor,
	type Io,
	isProcessAlive,
	isProcessSuspended,
	loadRunNow,
	orWarn,
	stateDirectoryFor,
	warn,
} from "../io/io.ts";
import { withProcessIo } from "../io/process-io.ts";
import { runAsJson } from "../text/run-json.ts";
import { type ListedRun, runTable } from "../text/run-table.ts";

export const command: Command = ([ref], { all, json }) =>
	withProcessIo((io) => ps({ ref, all: all === true, json: json === true }, io));

export interface PsOptions {
	/** Lists only this run, alive or over, with its agents. */
	readonly ref?: string | undefined;
	/** Lists runs that are over, too: one line each, from their run.json alone. */
	readonly all: boolean;
	readonly json: boolean;
}

export function ps({ ref, all, json }: PsOptions, io: Io): number {
	const home = stateDirectoryFor(io);
	if (ref !== undefined) return print([load(findRunFor(io, home, ref).directory, io)], json, io);
	const found = list(home, all, io);
	print(found.listed, json, io);
	if (found.listed.length === 0) io.stderr(`agent: ${nothingToShow(home, found)}\n`);
	return 0;
}

function print(runs: readonly ListedRun[], json: boolean, io: Io): number {
	const { columns, cwd } = io;
	if (json) io.stdout(`${safeJson(runs.map(runAsJson), "\t")}\n`);
	else if (runs.length > 0) io.stdout(`${runTable(runs, { now: io.now(), columns, cwd }).join("\n")}\n`);
	return 0;
}

interface Found {
	readonly listed: ListedRun[];
	/** The newest run that is over and was left out. */
	readonly newestOver: string | undefined;
	readonly unreadable: number;
}

function list(home: string, all: boolean, io: Io): Found {
	const listed: ListedRun[] = [];
	let newestOver: RunFile | undefined;
	let unreadable = 0;
	for (const run of listRuns(home)) {
		const found = orWarn(io, () => listOne(runDirectory(home, run), all, io));
		if (found === undefined) unreadable++;
		else if ("file" in found) listed.push(found);
		else if (newestOver === undefined || found.leftOut.startedAt > newestOver.startedAt) newestOver = found.leftOut;
	}
	listed.sort((a, b) => b.file.startedAt - a.file.startedAt);
	return { listed, newestOver: newestOver?.run, unreadable };
}

function listOne(directory: string, all: boolean, io: Io): ListedRun | { leftOut: RunFile } {
	const file = readRunFile(directory);
	const isOver = file.endedAt !== undefined;
	if (!isOver && isProcessAlive(supervisorOf(file))) return load(directory, io);
	return all ? { file } : { leftOut: file };
}

function load(directory: string, io: Io): ListedRun {
	const { file, state, damage } = loadRunNow(directory);
	warn(io, damage);
	return { file, state, isSuspended: isProcessSuspended(supervisorOf(file)) };
}

function nothingToShow(home: string, { newestOver, unreadable }: Found): string {
	if (newestOver !== undefined)
		return `no run is alive; the newest is over: agent ps ${newestOver} (agent ps -a lists all)`;
	if (unreadable === 0) return "no runs yet; agent demo shows one";
	const which = unreadable === 1 ? "the only run that is there cannot" : `the ${unreadable} runs that are there cannot`;
	return `${which} be read; what is of no use may be removed from ${runsDirectory(home)}`;
}
