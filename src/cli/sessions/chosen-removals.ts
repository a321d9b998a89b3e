/** Which runs are to be removed, by what a person typed. */

import { AgentreeError } from "../../core/errors.ts";
import { parseDuration } from "../../project/config/duration.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { findRun, readableRunFile } from "../../record/read-run.ts";
import { listSessions } from "./list-sessions.ts";
import type { NamedRun } from "./removable.ts";
import { type Session, sessionOf } from "./session.ts";

export interface ChosenRun extends NamedRun {
	/** Undefined: its run.json cannot be read. */
	readonly session: Session | undefined;
}

/** Throws AgentreeError: `usage`, `not_found`. */
export function chosenRemovals(
	refs: readonly string[],
	values: OptionValues,
	{ home, cwd, now }: { home: string; cwd: string; now: number },
): ChosenRun[] {
	const olderThan = values["older-than"];
	const isEverywhere = values["all-directories"] === true;
	if (refs.length > 0) {
		if (olderThan !== undefined || isEverywhere)
			throw usage("name runs, or give --older-than: both together would remove what you do not expect");
		return [...new Set(refs)].map((ref) => named(ref, home, cwd));
	}
	if (typeof olderThan !== "string")
		throw usage("say which runs: agent rm RUN … (agent ls lists them), or agent rm --older-than 30d");
	const ms = parseDuration(olderThan);
	if (ms === undefined) throw usage(`--older-than must be a time such as 30d or 12h, not "${olderThan}"`);
	const sessions = listSessions(home, isEverywhere ? undefined : cwd);
	const old = sessions.filter(({ state, usedAt }) => state !== "alive" && now - usedAt > ms);
	return old.map((session) => ({ run: session.run, directory: session.directory, session }));
}

function named(ref: string, home: string, cwd: string): ChosenRun {
	const { run, directory, agent } = findRun(home, ref, cwd);
	if (agent !== undefined) throw usage(`only whole runs are removed: agent rm ${run}`);
	const file = readableRunFile(directory);
	return { run, directory, session: file === undefined ? undefined : sessionOf({ run, directory, file }) };
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}
