/** The newest run of a directory that lives, for commands that are about a run which goes on. */

import { isProcessAlive } from "../../faces/print/io.ts";
import { supervisorOf } from "../../record/load-run.ts";
import { type FoundRun, newestRuns } from "../../record/read-run.ts";

export function newestLiving(home: string, cwd: string): FoundRun | undefined {
	for (const { run, directory, file } of newestRuns(home))
		if (file.cwd === cwd && file.endedAt === undefined && isProcessAlive(supervisorOf(file))) return { run, directory };
	return undefined;
}
