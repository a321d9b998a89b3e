/** `agent ls`: the conversations that one can go on with, the last used first. */

import { namesOfRuns } from "../../core/run/run-id.ts";
import { type Io, stateDirectoryFor } from "../../faces/print/io.ts";
import { paintFor } from "../../faces/print/paint.ts";
import type { Command } from "../../project/config/command-table.ts";
import { listRuns } from "../../record/read-run.ts";
import { safeJson } from "../../text/safe/safe-json.ts";
import { withProcessIo } from "../io/process-io.ts";
import { filterSessions } from "../sessions/filter-sessions.ts";
import { firstMessages } from "../sessions/first-messages.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { lookedAt, type Session } from "../sessions/session.ts";
import { sessionAsJson } from "../sessions/session-json.ts";
import { sessionRows } from "../sessions/session-rows.ts";

export const command: Command = ([words = ""], { all, json }) =>
	withProcessIo((io) => list({ words, isAll: all === true, json: json === true }, io));

export interface ListOptions {
	/** Only those in which all of these words stand; empty: all. */
	readonly words: string;
	/** Those of other directories, too. */
	readonly isAll: boolean;
	readonly json: boolean;
}

/** So many fit on a screen, or on two. */
const NEWEST = 30;

export function list({ words, isAll, json }: ListOptions, io: Io): number {
	const home = stateDirectoryFor(io);
	const of = (cwd: string | undefined) => filterSessions(listSessions(home, cwd), words, firstMessages);
	const found = of(isAll ? undefined : io.cwd);
	if (json) io.stdout(`${safeJson(found.map(lookedAt).map(sessionAsJson), "\t")}\n`);
	else if (found.length > 0) print(found, { home, isAll }, io);
	if (found.length === 0) io.stderr(`agent: ${nothingToShow(words, isAll ? 0 : of(undefined).length, io)}\n`);
	return 0;
}

function print(found: readonly Session[], { home, isAll }: { home: string; isAll: boolean }, io: Io): void {
	const { columns, isTTY } = io;
	const shown = isTTY ? found.slice(0, NEWEST) : found; // what reads a pipe looks for something in all of it
	const names = isTTY ? namesOfRuns(listRuns(home)) : undefined; // a pipe gets whole ids
	const paint = paintFor(undefined, isTTY, io.env.NO_COLOR);
	const view = { now: io.now(), columns, names, hasDirectories: isAll, messagesOf: firstMessages, paint };
	const { header, rows } = sessionRows(shown.map(lookedAt), view);
	io.stdout(`${[header, ...rows.map(({ line }) => line)].join("\n")}\n`);
	const older = found.length - shown.length;
	if (older > 0) io.stdout(`${paint.dim(`${older} older: agent ls WORDS searches them, agent ls | less shows all`)}\n`);
}

function nothingToShow(words: string, elsewhere: number, { cwd }: Io): string {
	const what = words.trim() === "" ? "conversation" : `conversation with "${words.trim()}"`;
	if (elsewhere === 0) return `no ${what}${words.trim() === "" ? " yet; agent demo shows a run" : ""}`;
	return `no ${what} was begun in ${cwd}; of other directories: ${elsewhere} (agent ls --all)`;
}
