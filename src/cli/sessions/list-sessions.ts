/** The sessions of a directory, from the small files of their runs. */
import type { RunFile } from "../../core/model/transcript.ts";
import { directoryId } from "../../record/files/file-facts.ts";
import { newestRuns } from "../../record/read-run.ts";
import { rebuiltRunFile } from "../../record/repair.ts";
import { type Session, sessionOf } from "./session.ts";

/** The last used first. `cwd`: only those of this directory, also of when it had another name; undefined: all. */
export function listSessions(home: string, cwd: string | undefined): Session[] {
	const isWanted = cwd === undefined ? () => true : isOfDirectory(cwd);
	const sessions: Session[] = [];
	const instead = (directory: string) => rebuiltRunFile(directory, ""); // the way to go on with one writes run.json anew
	for (const run of newestRuns(home, undefined, instead)) if (isWanted(run.file)) sessions.push(sessionOf(run));
	return sessions.sort((a, b) => b.usedAt - a.usedAt);
}

/** Whether a run works in this directory, also by the name that it had before. */
export function isOfDirectory(cwd: string): (file: RunFile) => boolean {
	const id = directoryId(cwd);
	return (file) => file.cwd === cwd || (id !== undefined && file.cwdId === id);
}
