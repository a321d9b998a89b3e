/** Which session a person means: the newest of a directory, or one by its run, its name or words of it. */

import { AgentreeError, usageError } from "../../core/errors.ts";
import { preview } from "../../core/preview.ts";
import { shortRunId } from "../../core/run/run-id.ts";
import type { RunFile } from "../../core/schemas/run-files.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { directoryId, statsOf } from "../../record/files/regular-file.ts";
import { listRuns, readRunFile } from "../../record/read-run.ts";
import { runDirectory } from "../../record/run-directory.ts";
import type { AskedSession } from "./asked-session.ts";
import {
	filterSessions,
	firstMessages,
	isOfDirectory,
	listSessions,
	lookedAt,
	runTitle,
	type Session,
} from "./session.ts";

export type FoundSessions =
	| { readonly is: "one"; readonly session: Session }
	/** Which of them is meant is for the person to say. The last used is the first. */
	| { readonly is: "several"; readonly sessions: readonly Session[] }
	| { readonly is: "none" };

/** The session of this directory that was used last; undefined when there is none. */
export function newestSession(home: string, cwd: string): Session | undefined {
	return listSessions(home, cwd)[0];
}

/**
 * `wanted`: a run, whole or its beginning or its last characters; else its name; else words. Names and words are looked for
 * among the sessions of `cwd` first, and then among all.
 */
export function findSessions(home: string, wanted: string, cwd: string): FoundSessions {
	const all = listSessions(home, undefined);
	const byRun = all.filter(({ run }) => run === wanted || run.startsWith(wanted) || run.endsWith(`-${wanted}`));
	const whole = byRun.filter(({ run }) => run === wanted);
	if (byRun.length > 0) return counted(whole.length > 0 ? whole : byRun);
	const isHere = isOfDirectory(cwd);
	const here = all.filter(({ file }) => isHere(file));
	for (const sessions of [here, all]) {
		const called = sessions.filter(({ file }) => file.name !== undefined && isSame(file.name, wanted));
		const found = called.length > 0 ? called : filterSessions(sessions, wanted, firstMessages);
		if (found.length > 0) return counted(found);
	}
	return { is: "none" };
}

/** As `findSessions`, where nobody can be asked. Throws AgentreeError: `not_found`, and with the candidates when there are several. */
export function oneSession(home: string, wanted: string, cwd: string): Session {
	const found = findSessions(home, wanted, cwd);
	if (found.is === "one") return found.session;
	if (found.is === "none") {
		if (listRuns(home).includes(wanted)) readRunFile(runDirectory(home, wanted)); // says why it is in no list
		throw new AgentreeError("not_found", `no conversation "${wanted}"; see agent ls --all`);
	}
	const named = found.sessions.slice(0, 5).map(({ run }) => run);
	const more = found.sessions.length > named.length ? ` and ${found.sessions.length - named.length} more` : "";
	throw new AgentreeError("not_found", `"${wanted}" matches several conversations: ${named.join(", ")}${more}`);
}

function counted(sessions: readonly Session[]): FoundSessions {
	const [session] = sessions;
	if (session === undefined) return { is: "none" };
	return sessions.length === 1 ? { is: "one", session } : { is: "several", sessions };
}

function isSame(name: string, wanted: string): boolean {
	return name.localeCompare(wanted.trim(), undefined, { sensitivity: "accent" }) === 0;
}

/** The session that is asked for where nobody can choose. Throws AgentreeError when there is none, or are several. */
export function sessionWithoutChoice(
	asked: Exclude<AskedSession, { is: "new" }>,
	{ home, cwd }: { home: string; cwd: string },
): Session {
	switch (asked.is) {
		case "choose":
			throw usageError("without a terminal, --resume needs a run or words of a conversation: agent run -r RUN");
		case "named":
			return oneSession(home, asked.wanted, cwd);
		case "newest": {
			const newest = newestSession(home, cwd);
			if (newest !== undefined) return newest;
			throw new AgentreeError(
				"not_found",
				`there is no conversation in ${cwd}: start one without --continue, or choose one from another directory with --resume`,
			);
		}
	}
}

const MOST_TASK_CHARS = 50;

/**
 * Throws AgentreeError("not_started") for a session that is alive: it has its own supervisor, and perhaps a person at a terminal.
 * An older one in its place would be a surprise.
 */
export function refuseLiving(session: Session): void {
	const { state, file } = lookedAt(session);
	if (state !== "alive" && state !== "waiting") return;
	const run = shortRunId(session.run);
	const what = `run ${run} (${preview(runTitle(file), MOST_TASK_CHARS)})`;
	throw new AgentreeError("not_started", `${what} ${adviceFor(run, { isWaiting: state === "waiting", file })}`);
}

function adviceFor(run: string, { isWaiting, file }: { isWaiting: boolean; file: Session["file"] }): string {
	const others = `--fork continues in a copy, agent stop ${run} stops it`;
	const say = `agent send ${run} "…" sends a message`;
	if (isWaiting) return `is a chat waiting for you: ${say}, agent -r ${run} opens it; ${others}`;
	if (file.isConversation) return `is a chat at work: ${say}, agent -r ${run} opens it; ${others}`;
	return `is at work: agent wait ${run} waits for its end; ${others}`;
}

export interface SessionDirectory {
	readonly cwd: string;
	/** One line for the person; undefined: it is the directory that they are in, by the name that it had. */
	readonly notice?: string;
}

/**
 * A session goes on in its own directory. Where that was renamed, or is gone, it moves to the directory that the person is in:
 * `here`.
 */
export function sessionDirectory({ run, cwd, cwdId }: RunFile, here: string): SessionDirectory {
	if (cwd === here) return { cwd };
	const isRenamed = cwdId !== undefined && directoryId(here) === cwdId;
	if (!isRenamed && statsOf(cwd)?.isDirectory() === true)
		return { cwd, notice: `run ${run} continues in its own directory, ${cwd}` };
	const why = isRenamed ? "which was renamed" : "which no longer exists";
	return { cwd: here, notice: `run ${run} continues in ${here}; it was in ${cwd}, ${why}` };
}

/** The options for a session that goes on, with its directory where the person names none. `say`: tells them of it. */
export function withSessionDirectory(
	values: OptionValues,
	file: RunFile,
	{ here, say }: { here: string; say: (notice: string) => void },
): OptionValues {
	if (values.cd !== undefined) return values;
	const { cwd, notice } = sessionDirectory(file, here);
	if (notice === undefined) return values;
	say(notice);
	return { ...values, cd: cwd };
}
