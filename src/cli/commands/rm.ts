/** `agent rm`: removes runs that are over, with all their files. Says first what would go; a person is asked. */

import { AgentreeError, EXIT } from "../../core/errors.ts";
import { type Io, warn } from "../../faces/print/io.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import { sizeOfTree } from "../../record/files/remove-tree.ts";
import { print } from "../../terminal/print.ts";
import { askKey, canAsk } from "../io/ask-key.ts";
import { stateDirectoryFor } from "../io/find-run.ts";
import { refuseInside } from "../io/inside-run.ts";
import { type PrintingCommand, paintOf } from "../io/process-io.ts";
import {
	type ChosenRun,
	chosenRemovals,
	type RemovalHost,
	removeRun,
	requireDead,
	sweepHalves,
	whyNoRun,
} from "../sessions/remove-run.ts";
import { removalLines, sizeWords } from "../sessions/session-rows.ts";

const KEPT = EXIT.notStarted; // as what is refused
const NOT_ALL = EXIT.failure;

export const rm: PrintingCommand = async (args, values, io) => {
	refuseInside("agents cannot remove runs: agent rm is for the user");
	const refs = args.filter((ref) => ref !== undefined);
	const home = stateDirectoryFor(io);
	const now = io.now();
	const table = openProcessTable(io.env);
	const mark = Math.random().toString(36).slice(2, 8);
	const host: RemovalHost = { home, env: io.env, uid: io.uid, table, now, mark };
	const chosen = chosenRemovals(refs, values, { home, cwd: io.cwd, now });
	const { runs, kept } = await removableAmong(chosen, host);
	warn(io, kept);
	if (chosen.length === 0) io.stderr("agent: no finished run is that old\n");
	if (runs.length === 0) return kept.length > 0 ? KEPT : 0;
	const sized = runs.map((run) => ({ ...run, size: sizeOfTree(run.directory) }));
	if (values.yes !== true) {
		const lines = removalLines(sized, { now, columns: io.columns, paint: paintOf(io) });
		if (!canAsk()) {
			io.stdout(`${[...lines, `nothing removed; to remove ${runs.length === 1 ? "it" : "them"}: --yes`].join("\n")}\n`);
			return kept.length > 0 ? KEPT : 0;
		}
		await print(2, `${lines.join("\n")}\n`);
		if ((await askKey("Remove them permanently?  y yes · n no", "yn")) !== "y") return 0;
	}
	return removeAll(runs, host, { isAllChosen: kept.length === 0 }, io);
};

async function removableAmong(chosen: readonly ChosenRun[], host: RemovalHost) {
	const runs: ChosenRun[] = [];
	const kept: string[] = [];
	for (const run of chosen) {
		const why = whyNoRun(run, host.uid);
		try {
			if (why === undefined) await requireDead(run, host);
			if (why === undefined) runs.push(run);
			else kept.push(why);
		} catch (error) {
			if (!(error instanceof AgentreeError)) throw error;
			kept.push(error.message);
		}
	}
	return { runs, kept };
}

async function removeAll(
	runs: readonly ChosenRun[],
	host: RemovalHost,
	{ isAllChosen }: { isAllChosen: boolean },
	io: Io,
): Promise<number> {
	let bytes = sweepHalves(host);
	let removed = 0;
	let exitCode: number = isAllChosen ? 0 : KEPT;
	for (const run of runs) {
		const result = await removeRun(run, host);
		if (result.is !== "removed") warn(io, [result.why]);
		if (result.is === "kept") exitCode ||= KEPT;
		else {
			warn(io, result.worktrees);
			removed++;
			bytes += result.bytes;
			if (result.is === "partly") exitCode = NOT_ALL;
		}
	}
	io.stdout(`removed ${removed === 1 ? "1 run" : `${removed} runs`}: ${sizeWords({ bytes, isWhole: true })} freed\n`);
	return exitCode;
}
