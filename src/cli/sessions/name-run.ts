/** Gives a run a name: by its supervisor, or in its files when it has none. */

import { ROOT } from "../../core/model/agent.ts";
import type { Io } from "../../faces/print/io.ts";
import type { ProcessTable } from "../../processes/table/process-table.ts";
import { readRunFile } from "../../record/read-run.ts";
import { requireValid } from "../../record/repair.ts";
import { takeRunLock } from "../../record/run-lock.ts";
import { reopenRun } from "../../record/run-writer.ts";
import { supervisorProcess } from "../../record/supervisor-process.ts";
import { lockOwner } from "../../supervisor/run/begin-run.ts";
import { namedRunFileOf } from "../../supervisor/run/run-files.ts";
import { askRun } from "../io/ask-run.ts";
import type { NamedRun } from "./remove-run.ts";
import { requireKnownVersion, requireOriginal, requireOver, requireOwn } from "./resumable.ts";

/** `name`: in one line; empty: none. Throws AgentreeError when the run cannot be written, or its supervisor does not answer. */
export async function nameRun(
	{ run, directory }: NamedRun,
	{ name, table }: { name: string; table: ProcessTable },
	io: Io,
): Promise<void> {
	const file = readRunFile(directory);
	if (supervisorProcess({ run, directory }, file).is !== "dead") {
		const target = { run, directory, agent: ROOT };
		await askRun(target, { request: { say: "name", name }, answer: "named" }, io);
		return;
	}
	requireOwn(directory, run, io.uid);
	requireOriginal(directory, file);
	requireKnownVersion(file);
	requireValid(directory);
	const lock = takeRunLock(directory, lockOwner(table), await requireOver(directory, file, io.now()));
	try {
		const writer = reopenRun(directory);
		try {
			writer.append({ event: "run_named", at: io.now(), name });
			const now = readRunFile(directory); // before the lock somebody else may have written it
			writer.writeRun(namedRunFileOf(now, name === "" ? {} : { name }));
		} finally {
			writer.close();
		}
	} finally {
		if (file.endedAt !== undefined) lock.release(); // that of a killed run stays: by it others find what the run has left
	}
}
