import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requireOriginal } from "../../../../src/cli/sessions/resumable.ts";
import { abandonedRuns } from "../../../../src/cli/stop/leftovers.ts";
import { ownPidNamespace } from "../../../../src/processes/table/pid-namespace.ts";
import { procTable } from "../../../../src/processes/table/process-table.ts";
import { findRun } from "../../../../src/record/read-run.ts";
import { readRunLock, takeRunLock } from "../../../../src/record/run-lock.ts";
import { createRun } from "../../../../src/record/run-writer.ts";
import { runFile, temporaryHome } from "../../record/fabricate.ts";

const DEAD = { pid: 2 ** 22 - 1, startTime: "1" };
const { pid } = process;
const KILLED = { ...DEAD, pidNamespace: ownPidNamespace() };
const OURS = { pid, startTime: procTable.read(pid)?.startTime ?? "", pidNamespace: ownPidNamespace() };

test("a copy beside a run is not taken for it: what it tells of the run's supervisor was true once", () => {
	// Seen to fail without the comparison of the names: the copy ended the live run, and was found as the newest run.
	const home = temporaryHome();
	const run = createRun(home, runFile({ supervisor: DEAD, cwd: home }));
	takeRunLock(run.directory, KILLED, undefined);
	run.close();
	const copy = `${run.directory}.bak`;
	cpSync(run.directory, copy, { recursive: true });
	const { origin } = run;
	expect(abandonedRuns(home)).toEqual([runFile({ supervisor: DEAD, cwd: home, origin })]);
	const live = createRun(join(home, "x"), runFile({ supervisor: OURS, cwd: home }));
	live.close();
	cpSync(join(live.directory, "run.json"), join(run.directory, "run.json"));
	expect(abandonedRuns(home)).toEqual([]);
	expect(findRun(home, undefined, home).directory).toBe(run.directory);
	expect(() => requireOriginal(run.directory, runFile())).not.toThrow();
	expect(() => requireOriginal(copy, runFile())).toThrow(
		`${copy} is a copy of run ${runFile().run}: resume ${runFile().run}, or rename the copy to ${runFile().run}`,
	);
});

test("a run from elsewhere is not abandoned: its id may be that of a run that goes on", () => {
	// Seen to fail: a state directory that was copied ended the processes of the one that it was copied from.
	const home = temporaryHome();
	const run = createRun(join(home, "original"), runFile({ supervisor: DEAD }));
	takeRunLock(run.directory, KILLED, undefined);
	run.close();
	cpSync(join(home, "original"), join(home, "copy"), { recursive: true });
	expect(abandonedRuns(join(home, "original"))).toHaveLength(1);
	expect(abandonedRuns(join(home, "copy"))).toEqual([]);
});

test("a run is not abandoned whose new supervisor has its lock and has not written run.json yet", () => {
	// Seen to fail without the look at the lock.
	const home = temporaryHome();
	const run = createRun(home, runFile({ supervisor: DEAD }));
	takeRunLock(run.directory, KILLED, undefined);
	run.close();
	expect(abandonedRuns(home)).toHaveLength(1);
	takeRunLock(run.directory, OURS, readRunLock(run.directory));
	expect(abandonedRuns(home)).toEqual([]);
});
