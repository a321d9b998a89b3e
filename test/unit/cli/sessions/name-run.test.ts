import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { collectingIo } from "../../../../src/cli/io/process-io.ts";
import { nameRun } from "../../../../src/cli/sessions/name-run.ts";
import { cheapTable, procTable } from "../../../../src/processes/table/process-table.ts";
import { readRunFile } from "../../../../src/record/read-run.ts";
import { runDirectory, runFilePath } from "../../../../src/record/run-directory.ts";
import { toFile } from "../../../../src/record/spelling.ts";
import { T0, temporaryHome } from "../../record/fabricate.ts";
import { fabricateRun } from "./fabricated-sessions.ts";

// Seen to fail: what another process had written before the lock was taken was lost.
test("a name is put into the run's file as that is under the lock", async () => {
	const home = temporaryHome();
	const { run } = fabricateRun(home, 1, { says: ["hello"] });
	const directory = runDirectory(home, run);
	const before = readRunFile(directory);
	const read = (pid: number) => {
		writeFileSync(runFilePath(directory), JSON.stringify(toFile({ ...before, model: "other" })));
		return procTable.read(pid);
	};
	const table = cheapTable({ list: () => [], environment: () => undefined, read });
	const { io } = collectingIo({ env: {}, now: () => T0 }, 80);
	await nameRun({ run, directory }, { name: "n", table }, io);
	expect(readRunFile(directory)).toEqual({ ...before, model: "other", name: "n" });
});
