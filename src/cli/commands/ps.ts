/** `agent ps`: the runs of this user and their agents as a tree. */

import { type AgentId, isOver, ROOT } from "../../core/model/agent.ts";
import { namesOfRuns } from "../../core/run/run-id.ts";
import { type Io, orWarn, warn } from "../../faces/print/io.ts";
import { runAsJson } from "../../faces/print/run-json.ts";
import { runTable } from "../../faces/print/run-table.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { isRunning } from "../../record/load-run.ts";
import { listRuns, newestRuns, readRunFile } from "../../record/read-run.ts";
import { runDirectory, runsDirectory } from "../../record/run-directory.ts";
import { hasRunLock } from "../../record/run-lock.ts";
import { RecordedRun, type RunSource } from "../../record/run-source.ts";
import { type ListedRun, stateOfRun } from "../../view/agents/listed-run.ts";
import { findRunFor, sandboxedRun, stateDirectoryFor } from "../io/find-run.ts";
import { type PrintingCommand, paintOf, printJson } from "../io/process-io.ts";

/** So many runs fit on two screens. */
const NEWEST = 20;

/**
 * With a ref only that run, with its agents. `--all`: runs that are over, too, two lines each from their run.json and the end of their
 * transcript, on a terminal the newest; `--older`: all of them.
 */
export const ps: PrintingCommand = async ([ref], values, io) => {
	const home = stateDirectoryFor(io);
	const source = meantRun(home, ref, io);
	if (source !== undefined)
		return print(
			[withAnswers(await load(source, io), source)],
			{ home, json: values.json, isWhole: ref !== undefined },
			io,
		);
	const found = list(home, values, io);
	print(found.listed, { home, json: values.json, isWhole: false }, io);
	if (found.older > 0) io.stdout(`${paintOf(io).dim(`${found.older} older (agent ps --older)`)}\n`);
	if (found.listed.length === 0) io.stderr(`agent: ${nothingToShow(home)}\n`);
	return 0;
};

/** The run that is named, or the one around this sandbox; undefined: all are listed. */
function meantRun(home: string, ref: string | undefined, io: Io): RunSource | undefined {
	const hidden = sandboxedRun(io, home, ref);
	if (hidden !== undefined || ref === undefined) return hidden;
	return new RecordedRun(findRunFor(io, home, ref).directory);
}

function print(
	runs: readonly ListedRun[],
	{ home, json, isWhole }: { readonly home: string; readonly json: unknown; readonly isWhole: boolean },
	io: Io,
): number {
	const { columns, cwd, isTTY } = io;
	const names = isTTY ? namesOfRuns(listRuns(home)) : undefined; // a pipe gets whole ids
	const view = { now: io.now(), columns, cwd, paint: paintOf(io), isWhole, names };
	if (json) printJson(io, runs.map(runAsJson));
	else if (runs.length > 0) io.stdout(`${runTable(runs, view).join("\n")}\n`);
	return 0;
}

interface Found {
	readonly listed: readonly ListedRun[];
	/** How many runs that are over were left out because they are not among the newest. */
	readonly older: number;
}

function list(home: string, { all, older, json }: OptionValues, io: Io): Found {
	const isAll = all || older;
	const ids = listRuns(home).filter((run) => isAll || hasRunLock(runDirectory(home, run))); // others have no supervisor
	const read = ids.flatMap((run) => orWarn(io, () => listOne(runDirectory(home, run), io)) ?? []);
	const sorted = read.sort((a, b) => b.file.startedAt - a.file.startedAt);
	const mayLeaveOut = io.isTTY && !older && !json; // what reads a pipe looks for something in all of it
	const kept = sorted.filter((run, at) => run.state !== undefined || (isAll && !(mayLeaveOut && at >= NEWEST)));
	return {
		listed: json ? kept : kept.map((run) => withAnswers(run, new RecordedRun(runDirectory(home, run.file.run)))),
		older: isAll ? sorted.length - kept.length : 0,
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

function nothingToShow(home: string): string {
	for (const { run } of newestRuns(home))
		return `no live runs; the newest finished run: agent ps ${run} (all: agent ps -a)`;
	const unreadable = listRuns(home).length;
	if (unreadable === 0) return "no runs yet; try agent demo";
	const which = unreadable === 1 ? "the only run cannot" : `the ${unreadable} runs cannot`;
	return `${which} be read; you can delete it from ${runsDirectory(home)}`;
}
