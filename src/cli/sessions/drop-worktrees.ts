/**
 * The git worktrees of a run that is removed: those in which nothing would be lost go with it, also when all of their commits are in
 * another branch by now. The others stay, since they are work of somebody, and are told of. Of a run with a sandbox git looks at
 * them in one: its agents may have written what git would run there.
 */
import { existsSync, realpathSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../core/agent.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { RunState } from "../../core/run-state.ts";
import { worktreesLeft, worktreesOfRun } from "../../core/worktrees.ts";
import { probeSandbox } from "../../sandbox/probe.ts";
import { replayRun } from "../../store/load-run.ts";
import { readableAgentFile } from "../../store/read-run.ts";
import { describeKeptWorktree } from "../../text/worktrees.ts";
import type { GitSandbox } from "../../worktree/agents/repository-git.ts";

const MOST_MS = 120_000;

interface DropHost {
	readonly env: Readonly<Record<string, string | undefined>>;
	/** The state directory. */
	readonly home: string;
	readonly uid: number;
}

/** `directory`: of the run. Gives a line for each that stays. */
export async function dropWorktrees(run: string, directory: string, host: DropHost): Promise<string[]> {
	const { env, home } = host;
	const left = worktreesLeft(stateIn(directory));
	const lines: string[] = [];
	if (left.length > 0) {
		const { repositoryGit } = await import("../../worktree/agents/repository-git.ts");
		const { settleWorktree } = await import("../../worktree/agents/settle-worktree.ts");
		const { dropPlaces } = await import("../../worktree/agents/make-worktree.ts");
		const { entryOfWorktree } = await import("../../worktree/agents/entry-of-worktree.ts");
		const sandboxFor = await gitSandboxes(run, directory, host);
		for (const [agent, { state: _, ...own }] of left) {
			const sandbox = sandboxFor?.(entryOfWorktree(own));
			const git = repositoryGit({ env, signal: AbortSignal.timeout(MOST_MS), sandbox });
			const settled = await settleWorktree(own, { git, home, goesWhenMerged: true });
			if (settled.is === "kept") lines.push(`of agent ${agent} ${describeKeptWorktree(own, settled)}`);
			else dropPlaces(own.path, home);
		}
	}
	dropPlace(run, home);
	return lines;
}

/** As the run's root was confined; undefined where it was not, or none can be had here any more. */
async function gitSandboxes(
	run: string,
	directory: string,
	{ env, home, uid }: DropHost,
): Promise<((entry: string | undefined) => GitSandbox) | undefined> {
	const confinement = readableAgentFile(directory, ROOT)?.sandbox;
	const probed = confinement && probeSandbox(env);
	if (confinement === undefined || probed?.is !== "found") return undefined;
	const { helperArgs } = await import("../../sandbox/bubblewrap-args.ts");
	const real = realpathSync(home);
	const empty = join(realpathSync(directory), "empty");
	writeFileSync(empty, "", { mode: 0o400 });
	const { seccompFilter } = await import("../../sandbox/seccomp-filter.ts");
	const calls = seccompFilter(process.arch);
	const filter = join(realpathSync(directory), "filter");
	if (calls !== undefined) writeFileSync(filter, calls, { mode: 0o400 });
	const places = { stateDirectory: real, empty, needed: [], worktrees: worktreesOfRun(run, real) };
	const isThere = ({ path }: { path: string }) => existsSync(path);
	const { withoutEntry } = await import("../../sandbox/in-worktree.ts");
	const there = () => ({ ...confinement, mounts: confinement.mounts.filter(isThere) });
	const nesting = { isRoot: uid === 0, isFiltered: calls !== undefined };
	const { program } = probed;
	return (entry) => ({
		program,
		args: () => helperArgs(withoutEntry(there(), entry), places, nesting),
		...(calls && { filter }),
	});
}

/** What a supervisor that was killed has left. */
function dropPlace(run: string, home: string): void {
	try {
		rmdirSync(worktreesOfRun(run, home));
	} catch {} // there is none, or worktrees stay
}

/** A run that is too damaged to be read has none that is known. */
function stateIn(directory: string): Pick<RunState, "worktrees"> {
	try {
		return replayRun(directory).state;
	} catch (error) {
		if (error instanceof AgentreeError) return {};
		throw error;
	}
}
