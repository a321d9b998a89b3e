/** `agent name`: what a run is called in lists. */

import { AgentreeError } from "../../core/errors.ts";
import { type Io, stateDirectoryFor } from "../../faces/print/io.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import type { Command } from "../../project/config/command-table.ts";
import { isRef } from "../../project/config/refuse-ref.ts";
import { requireRunName } from "../../project/config/require-run-name.ts";
import { findRun } from "../../record/read-run.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { withProcessIo } from "../io/process-io.ts";
import { sessionWithoutChoice } from "../sessions/asked-session.ts";
import { nameRun } from "../sessions/name-run.ts";
import { isRunHere } from "../start/is-run-here.ts";
import { isInside } from "../stop/end-unanswered.ts";

export const command: Command = ([first, second], _) => withProcessIo((io) => name(first, second, io));

/** One argument is a name for the newest run of this directory. */
async function name(first: string | undefined, second: string | undefined, io: Io): Promise<number> {
	if (isInside(io)) throw new AgentreeError("refused", "inside a run nothing is named: names are a person's");
	if (first === undefined || (second === undefined && isRef(first, isRunHere)))
		throw new AgentreeError("usage", 'say what it is to be called: agent name RUN "the parser"');
	const home = stateDirectoryFor(io);
	const given = requireRunName(second ?? first);
	const found =
		second === undefined ? sessionWithoutChoice({ is: "newest" }, { home, cwd: io.cwd }) : findRun(home, first, io.cwd);
	await nameRun(found, { name: given, table: openProcessTable(io.env) }, io);
	io.stdout(
		given === "" ? `run ${found.run} has no name any more\n` : `run ${found.run} is called ${oneLine(given)}\n`,
	);
	return 0;
}
