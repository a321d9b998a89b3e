/** The newest run of a directory that lives, for commands that are about a run which goes on. */
import { supervisorOf } from "../../store/load-run.ts";
import { type FoundRun, newestRuns } from "../../store/read-run.ts";
import { isProcessAlive } from "./io.ts";

export function newestLiving(home: string, cwd: string): FoundRun | undefined {
	for (const { run, directory, file } of newestRuns(home))
		if (file.cwd === cwd && file.endedAt === undefined && isProcessAlive(supervisorOf(file))) return { run, directory };
	return undefined;
}
