/** Opens the work tree of a conversation, of which states are kept. Its code is loaded in conversations alone. */
import { newestRuns } from "../../record/read-run.ts";
import { undoDirectory } from "../../record/run-directory.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";

interface OpenDeps extends Pick<RunSettings, "cwd" | "home" | "env"> {
	/** The run's. */
	directory: string;
	now: () => number;
	signal: AbortSignal;
}

const MOST_RUNS = 20; // of which one may have kept states of the same tree

export async function openWorktree({ cwd, home, env, directory, now, signal }: OpenDeps) {
	const { Worktree } = await import("../../project/files/worktree.ts");
	const earlier = [...newestRuns(home, MOST_RUNS)].map((run) => undoDirectory(run.directory));
	return Worktree.open({ cwd, directory: undoDirectory(directory), own: [home], earlier, env, signal, now });
}
