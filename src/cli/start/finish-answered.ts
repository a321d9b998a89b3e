/** Resuming a run whose root has answered: nothing is left to do, but perhaps nobody has seen the answer yet. */

import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { ROOT } from "../../core/model/agent.ts";
import { reduce } from "../../core/run/run-state.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { openProcessTable } from "../../processes/table/open-table.ts";
import type { OutputFormat } from "../../project/config/option-table.ts";
import { VERSION } from "../../project/version.ts";
import { readableAgentFile } from "../../record/read-run.ts";
import { takeRunLock } from "../../record/run-lock.ts";
import { reopenRun } from "../../record/run-writer.ts";
import { lockOwner } from "../../supervisor/run/begin-run.ts";
import { endedRunFileOf } from "../../supervisor/run/run-files.ts";
import { complain, print } from "../../terminal/print.ts";
import { exitCodeAfter } from "../io/process-io.ts";
import { lastWordsIn, printLastWords } from "../result/last-words.ts";
import { createResultWriter } from "../result/result-writer.ts";
import { endLeftovers } from "../stop/leftovers.ts";
import type { EndedRun } from "./plan-run.ts";

/** Prints the answer of a run that was killed before it had ended, and ends the run. Refuses a run that had ended: its answer was printed. */
export async function finishAnswered(before: EndedRun, format: OutputFormat): Promise<number> {
	const { file, directory, held } = before;
	const { run } = file;
	if (file.endedAt !== undefined)
		throw new AgentreeError(
			"usage",
			`run ${run} has answered: agent show ${run}; to continue it: agent resume ${run} "also do x"`,
		);
	const table = openProcessTable(process.env);
	const lock = takeRunLock(directory, lockOwner(table), held);
	const left = await endLeftovers({ run, directory }, { table, isHurry: true });
	const survivors = [...left.survivors];
	const end = { ending: { by: "answer" }, exitCode: 0, survivors } as const;
	const state = reduce(before.state, { event: "run_ended", at: SYSTEM_CLOCK.now(), ...end });
	const writer = reopenRun(directory);
	if (state.ended !== undefined) writer.append({ event: "run_ended", ...state.ended });
	writer.writeRun(endedRunFileOf(file, state));
	writer.close();
	lock.release();
	complain(`agent: run ${run} had answered before it was killed; here is its answer`);
	if (format === "text") return exitCodeAfter(await printLastWords(directory, file.model), 0, run);
	const { jsonSchema } = readableAgentFile(directory, ROOT) ?? {};
	const settings = { ...file, version: VERSION, ...defined({ jsonSchema }) };
	const results = createResultWriter(format, settings, (text) => print(1, text));
	const { text } = await lastWordsIn(directory);
	return exitCodeAfter(
		await results.end({ ...end, survivors, rootFinish: { lastWords: text } }, state),
		0,
		`${run}/${ROOT}`,
	);
}
