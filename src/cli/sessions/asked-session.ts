/** Which session the options name, for `run` and for a conversation on a terminal. */

import { AgentreeError } from "../../core/errors.ts";
import { OF_PROMPTS, type OptionValues } from "../../project/config/option-table.ts";
import { newestSession, oneSession } from "./find-session.ts";
import type { Session } from "./session.ts";

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
		if (fork === true) throw usage("--fork makes a copy of a conversation: say of which, with --continue or --resume");
		return { is: "new" };
	}
	if (isNewest === true && resume !== undefined)
		throw usage("--continue takes the newest conversation, and --resume the one that you name: give one of the two");
	if (detach === true) throw usage("--detach is for a new run: give it without --continue and --resume");
	const kept = ["json-schema", "worktree", ...OF_PROMPTS].find((flag) => values[flag] !== undefined);
	if (kept !== undefined) throw usage(`--${kept} is for a new conversation: one that goes on keeps what it began with`);
	if (isNewest === true) return { is: "newest" };
	if (typeof resume !== "string") return { is: "choose" };
	if (resume.trim() === "") throw usage("--resume needs a run or words of a conversation; alone it offers a choice");
	return { is: "named", wanted: resume };
}

/** The session that is asked for where nobody can choose. Throws AgentreeError when there is none, or are several. */
export function sessionWithoutChoice(
	asked: Exclude<AskedSession, { is: "new" }>,
	{ home, cwd }: { home: string; cwd: string },
): Session {
	switch (asked.is) {
		case "choose":
			throw usage("--resume needs a run or words of a conversation where no terminal is: agent run -r RUN");
		case "named":
			return oneSession(home, asked.wanted, cwd);
		case "newest": {
			const newest = newestSession(home, cwd);
			if (newest !== undefined) return newest;
			throw new AgentreeError(
				"not_found",
				`no conversation was begun in ${cwd}: begin one without --continue, or name one of another directory with --resume`,
			);
		}
	}
}

/** Refuses the options inside a run: an agent goes on with its own child agents, and with no conversation of a person. */
export function refuseSession(values: OptionValues): void {
	const flag = ["continue", "resume", "fork", "name"].find((name) => values[name] !== undefined);
	if (flag === undefined) return;
	throw usage(
		`--${flag} is for a person's conversations; inside a run a child agent is taken up with: agent resume 1.2`,
	);
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}
