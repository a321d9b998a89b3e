/** Which session the options ask for. It is looked for in find-session.ts, which a new run does not load. */

import { AgentreeError, usageError } from "../../core/errors.ts";
import { readableStateDirectory } from "../../project/config/chosen-directory.ts";
import { OF_PROMPTS, type OptionValues } from "../../project/config/option-table.ts";
import { listRuns } from "../../record/read-run.ts";

/** Whether the word is the last characters of one of this user's runs. */
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

/** What the options ask for, for `run` and for a chat. */
export type AskedSession =
	| { readonly is: "new" }
	| { readonly is: "newest" }
	/** `-r` alone: the person chooses. */
	| { readonly is: "choose" }
	| { readonly is: "named"; readonly wanted: string };

/** Throws AgentreeError("usage") for options that contradict each other. */
export function askedSession(values: OptionValues): AskedSession {
	const { continue: isNewest, resume, fork, detach } = values;
	if (isNewest !== true && resume === undefined) {
		if (fork === true) throw usageError("--fork needs --continue or --resume");
		return { is: "new" };
	}
	if (isNewest === true && resume !== undefined)
		throw usageError("--continue and --resume contradict each other: use one");
	if (detach === true) throw usageError("--detach is for a new run: use it without --continue and --resume");
	const kept = ["json-schema", "worktree", ...OF_PROMPTS].find((flag) => values[flag] !== undefined);
	if (kept !== undefined) throw usageError(`--${kept} is for a new conversation: a continued one keeps its own`);
	if (isNewest === true) return { is: "newest" };
	if (typeof resume !== "string") return { is: "choose" };
	if (resume.trim() === "")
		throw usageError("--resume needs a run or words of a conversation; without a value it offers a choice");
	return { is: "named", wanted: resume };
}

/** Refuses the options inside a run: an agent goes on with its own child agents, and with no conversation of a person. */
export function refuseSession(values: OptionValues): void {
	const flag = ["continue", "resume", "fork", "name"].find((name) => values[name] !== undefined);
	if (flag === undefined) return;
	throw usageError(`--${flag} is not available inside a run; to resume a child agent: agent resume 1.2`);
}
