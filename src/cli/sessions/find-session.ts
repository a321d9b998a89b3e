/** Which session a person means: the newest of a directory, or one by its run, its name or words of it. */

import { AgentreeError } from "../../core/errors.ts";
import { readableStateDirectory } from "../../project/config/chosen-directory.ts";
import { listRuns, readRunFile } from "../../record/read-run.ts";
import { runDirectory } from "../../record/run-directory.ts";
import { filterSessions } from "./filter-sessions.ts";
import { firstMessages } from "./first-messages.ts";
import { isOfDirectory, listSessions } from "./list-sessions.ts";
import type { Session } from "./session.ts";

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
		throw new AgentreeError("not_found", `no conversation "${wanted}": agent ls --all lists all`);
	}
	const named = found.sessions.slice(0, 5).map(({ run }) => run);
	const more = found.sessions.length > named.length ? ` and ${found.sessions.length - named.length} more` : "";
	throw new AgentreeError("not_found", `"${wanted}" fits several conversations: ${named.join(", ")}${more}`);
}

function counted(sessions: readonly Session[]): FoundSessions {
	const [session] = sessions;
	if (session === undefined) return { is: "none" };
	return sessions.length === 1 ? { is: "one", session } : { is: "several", sessions };
}

function isSame(name: string, wanted: string): boolean {
	return name.localeCompare(wanted.trim(), undefined, { sensitivity: "accent" }) === 0;
}

/** Do the last characters name one of this user's runs? */

export function isRunHere(word: string): boolean {
	if (!/^[a-z0-9]{4,}$/.test(word)) return false;
	try {
		const { path } = readableStateDirectory({ env: process.env, cwd: "/", uid: process.getuid?.() ?? 0 });
		return listRuns(path).some((run) => run.endsWith(`-${word}`));
	} catch (error) {
		if (error instanceof AgentreeError) return false; // whoever needs the directory says what is wrong with it
		throw error;
	}
}
