/** The look for what a run changes that other programs run later, with the clock and the home of this process. */

import { relative } from "node:path";
import { defined } from "../../core/defined.ts";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import type { Confinement } from "../../core/machine/sandbox.ts";
import { ROOT } from "../../core/model/agent.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { personOf } from "../../project/project-of.ts";
import { beginLaterLook } from "../../project/undo/look-for-later.ts";
import type { RunsLater } from "../../project/undo/runs-later.ts";
import { readableAgentFile, readableRunFile } from "../../record/read-run.ts";
import { runDirectory } from "../../record/run-directory.ts";
import { isFetched } from "../../sandbox/git/git-repositories.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";

type Began = Pick<RunSettings, "run" | "home" | "cwd" | "worktree" | "sandbox"> & {
	readonly env: Readonly<Record<string, string | undefined>>;
};

export function laterLook({ run, home, cwd, worktree, sandbox, env }: Began): () => RunsLater[] {
	const directory = runDirectory(home, run);
	const before = readableAgentFile(directory, ROOT); // of a run that goes on
	const confinement = sandbox?.confinement ?? before?.sandbox;
	return beginLaterLook(worktree?.cwd ?? cwd, {
		...{ person: personOf(env), now: SYSTEM_CLOCK.now },
		...defined({
			since: before?.worktree === undefined ? unseenSince(directory) : undefined, // all of a worktree is as new as the run
			isUnkept: confinement && unkeptIn(confinement, cwd),
		}),
	});
}

/** Nobody has looked since then, where a supervisor was killed, or where the run lives and somebody joins it now. */
function unseenSince(directory: string): number | undefined {
	const file = readableRunFile(directory);
	return file?.endedAt === undefined ? file?.startedAt : undefined;
}

function unkeptIn({ mode, mounts }: Confinement, cwd: string): ((directory: string) => boolean) | undefined {
	if (mode === "read-only") return undefined;
	return (directory) =>
		!isFetched(relative(cwd, directory)) && !mounts.some(({ path }) => isAtOrBelow(path, directory));
}
