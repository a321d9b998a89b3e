/** `agent ps`: the runs of this user and their agents as a tree. */

import { type AgentId, isOver, ROOT } from "../../core/model/agent.ts";
import { namesOfRuns } from "../../core/run/run-id.ts";
import { type Io, orWarn, warn } from "../../faces/print/io.ts";
import { type ListedRun, stateOfRun } from "../../faces/print/listed-run.ts";
import { paintFor } from "../../faces/print/paint.ts";
import { runAsJson } from "../../faces/print/run-json.ts";
import { runTable } from "../../faces/print/run-table.ts";
import type { Command } from "../../project/config/command-table.ts";
import { isRunning } from "../../record/load-run.ts";
import { listRuns, readRunFile } from "../../record/read-run.ts";
import { runDirectory, runsDirectory } from "../../record/run-directory.ts";
import { RecordedRun, type RunSource } from "../../record/run-source.ts";
import { safeJson } from "../../text/safe/invisible.ts";
import { findRunFor, sandboxedRun, stateDirectoryFor } from "../io/find-run.ts";
import { withProcessIo } from "../io/process-io.ts";

export const command: Command = ([ref], { all, older, json }) =>
	withProcessIo((io) =>
		ps({ ref, all: all === true || older === true, older: older === true, json: json === true }, io),
	);

export interface PsOptions {
	/** Lists only this run, alive or over, with its agents. */
	readonly ref?: string | undefined;
	/** Lists runs that are over, too: two lines each, from their run.json and the end of their transcript. */
	readonly all: boolean;
	/** All of them, not only the newest. */
	readonly older: boolean;
	readonly json: boolean;
}

/** So many runs fit on two screens. */
const NEWEST = 20;

export async function ps(options: PsOptions, io: Io): Promise<number> {
	const home = stateDirectoryFor(io);
	const source = meantRun(home, options.ref, io);
	if (source !== undefined) return print(home, [withAnswers(await load(source, io), source)], options, io);
	const found = list(home, options, io);
	print(home, found.listed, options, io);
	if (found.older > 0) io.stdout(`${paintOf(io).dim(`${found.older} older (agent ps --older)`)}\n`);
	if (found.listed.length === 0) io.stderr(`agent: ${nothingToShow(home, found)}\n`);
	return 0;
}

/** The run that is named, or the one around this sandbox; undefined: all are listed. */
function meantRun(home: string, ref: string | undefined, io: Io): RunSource | undefined {
	const hidden = sandboxedRun(io, home, ref);
	if (hidden !== undefined || ref === undefined) return hidden;
	return new RecordedRun(findRunFor(io, home, ref).directory);
}

function print(home: string, runs: readonly ListedRun[], { json, ref }: PsOptions, io: Io): number {
	const { columns, cwd, isTTY } = io;
	const names = isTTY ? namesOfRuns(listRuns(home)) : undefined; // a pipe gets whole ids
	const view = { now: io.now(), columns, cwd, paint: paintOf(io), isWhole: ref !== undefined, names };
	if (json) io.stdout(`${safeJson(runs.map(runAsJson), "\t")}\n`);
	else if (runs.length > 0) io.stdout(`${runTable(runs, view).join("\n")}\n`);
	return 0;
}

function paintOf({ isTTY, env }: Io) {
	return paintFor(undefined, isTTY, env.NO_COLOR);
}

interface Found {
	readonly listed: readonly ListedRun[];
	/** How many runs that are over were left out because they are not among the newest. */
	readonly older: number;
	/** The newest run that is over and was left out. */
	readonly newestOver: string | undefined;
	readonly unreadable: number;
}

function list(home: string, { all, older, json }: PsOptions, io: Io): Found {
	const ids = listRuns(home);
	const read = ids.flatMap((run) => orWarn(io, () => listOne(runDirectory(home, run), io)) ?? []);
	const sorted = read.sort((a, b) => b.file.startedAt - a.file.startedAt);
	const mayLeaveOut = io.isTTY && !older && !json; // what reads a pipe looks for something in all of it
	const kept = sorted.filter((run, at) => run.state !== undefined || (all && !(mayLeaveOut && at >= NEWEST)));
	return {
		listed: json ? kept : kept.map((run) => withAnswers(run, new RecordedRun(runDirectory(home, run.file.run)))),
		older: all ? sorted.length - kept.length : 0,
		newestOver: sorted.find((run) => run.state === undefined)?.file.run,
		unreadable: ids.length - read.length,
	};
}

function listOne(directory: string, io: Io): ListedRun {
	const file = readRunFile(directory);
	if (!isRunning(file)) return { file };
	const found = new RecordedRun(directory).snapshot();
	warn(io, found.damage);
	return found;
}

async function load(source: RunSource, io: Io): Promise<ListedRun> {
	const found = await source.snapshot();
	warn(io, found.damage);
	return found;
}

/** With the answers that its lines show: the root's of a run that is over, and of one whose agents are listed those of all. */
function withAnswers(run: ListedRun, source: RunSource): ListedRun {
	const answered: AgentId[] =
		run.state === undefined
			? [ROOT].filter(() => stateOfRun(run) === "answer")
			: Object.values(run.state.agents).flatMap((agent) => {
					return isOver(agent) && agent.state.ending.by === "answer" ? [agent.id] : [];
				});
	return { ...run, answers: new Map(answered.map((agent) => [agent, source.lastText(agent)])) };
}

function nothingToShow(home: string, { newestOver, unreadable }: Found): string {
	if (newestOver !== undefined)
		return `no live runs; the newest finished run: agent ps ${newestOver} (all: agent ps -a)`;
	if (unreadable === 0) return "no runs yet; try agent demo";
	const which = unreadable === 1 ? "the only run cannot" : `the ${unreadable} runs cannot`;
	return `${which} be read; you can delete it from ${runsDirectory(home)}`;
}
