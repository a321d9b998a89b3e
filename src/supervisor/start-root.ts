/** Starts the root agent of a run, in its worktree where it has one: there no variable may tie git to another repository. */
import { withoutGitTies } from "../config/git-environment.ts";
import type { Ending } from "../core/agent.ts";
import type { Machine } from "./processes/machine.ts";
import { notBegun, type RootAgent } from "./processes/root-agent.ts";
import type { RunSettings } from "./run-settings.ts";
import type { Worktrees } from "./worktrees.ts";

export interface StartRootDeps {
	readonly settings: RunSettings;
	readonly machine: Pick<Machine, "startRoot">;
	readonly worktrees: Pick<Worktrees, "beginRoot">;
	/** Somebody has stopped the run meanwhile. */
	readonly stopAsked: () => Ending | undefined;
}

export async function startRoot({ settings, machine, worktrees, stopAsked }: StartRootDeps): Promise<RootAgent> {
	const worktree = await worktrees.beginRoot();
	const stopped = stopAsked();
	if (stopped !== undefined) return notBegun(stopped);
	if (worktree === undefined) return machine.startRoot(settings);
	if (worktree.is === "failed") return notBegun(worktree.ending);
	return machine.startRoot({ ...settings, cwd: worktree.cwd, env: withoutGitTies(settings.env) });
}
