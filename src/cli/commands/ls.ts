/** `agent ls`: the conversations that can be continued, the most recent first; with `--name`, names one of them. */
import { AgentreeError } from "../../core/errors.ts";
import { namesOfRuns } from "../../core/run/run-id.ts";
import type { Io } from "../../faces/print/io.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import { isRef, requireRunName } from "../../project/config/run-names.ts";
import { listRuns } from "../../record/read-run.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { stateDirectoryFor } from "../io/find-run.ts";
import { refuseInside } from "../io/inside-run.ts";
import { type PrintingCommand, paintOf, printJson } from "../io/process-io.ts";
import { isRunHere } from "../sessions/asked-session.ts";
import { sessionWithoutChoice } from "../sessions/find-session.ts";
import { filterSessions, firstMessages, listSessions, lookedAt, type Session } from "../sessions/session.ts";
import { sessionAsJson, sessionRows } from "../sessions/session-rows.ts";

/** With words only those in which all of them stand; `--all`: those of other directories, too. */
export const ls: PrintingCommand = ([words = ""], { all, json, name }, io) => {
	if (typeof name === "string") return nameOne(words, name, io);
	const isAll = all === true;
	const home = stateDirectoryFor(io);
	const of = (cwd: string | undefined) => filterSessions(listSessions(home, cwd), words, firstMessages);
	const found = of(isAll ? undefined : io.cwd);
	if (json) printJson(io, found.map(lookedAt).map(sessionAsJson));
	else if (found.length > 0) print(found, { home, isAll }, io);
	if (found.length === 0) io.stderr(`agent: ${nothingToShow(words, isAll ? 0 : of(undefined).length, io)}\n`);
	return 0;
};

/** Names the most recent conversation of this directory, or the one that `wanted` selects. Throws AgentreeError. */
async function nameOne(wanted: string, name: string, io: Io): Promise<number> {
	refuseInside("agents cannot name runs: --name is for the user");
	if (wanted === "" && isRef(name, isRunHere))
		throw new AgentreeError("usage", `"${name}" is a run; to name it: agent ls ${name} --name "the parser"`);
	const given = requireRunName(name);
	const asked = wanted === "" ? ({ is: "newest" } as const) : ({ is: "named", wanted } as const);
	const { run, directory } = sessionWithoutChoice(asked, { home: stateDirectoryFor(io), cwd: io.cwd });
	const { nameRun } = await import("../sessions/name-run.ts");
	await nameRun({ run, directory }, { name: given, table: openProcessTable(io.env) }, io);
	io.stdout(given === "" ? `run ${run} is now unnamed\n` : `run ${run} is named ${oneLine(given)}\n`);
	return 0;
}

/** So many fit on a screen, or on two. */
const NEWEST = 30;

function print(found: readonly Session[], { home, isAll }: { home: string; isAll: boolean }, io: Io): void {
	const { columns, isTTY } = io;
	const shown = isTTY ? found.slice(0, NEWEST) : found; // what reads a pipe looks for something in all of it
	const names = isTTY ? namesOfRuns(listRuns(home)) : undefined; // a pipe gets whole ids
	const paint = paintOf(io);
	const view = { now: io.now(), columns, names, hasDirectories: isAll, messagesOf: firstMessages, paint };
	const { header, rows } = sessionRows(shown.map(lookedAt), view);
	io.stdout(`${[header, ...rows.map(({ line }) => line)].join("\n")}\n`);
	const older = found.length - shown.length;
	if (older > 0)
		io.stdout(`${paint.dim(`${older} older; search with agent ls WORDS, or list all with agent ls | less`)}\n`);
}

function nothingToShow(words: string, elsewhere: number, { cwd }: Io): string {
	const what = words.trim() === "" ? "conversation" : `conversation with "${words.trim()}"`;
	if (elsewhere === 0) return `no ${what}${words.trim() === "" ? " yet; try agent demo" : ""}`;
	return `no ${what} in ${cwd}; in other directories: ${elsewhere} (agent ls --all)`;
}
