/**
 * Git in the user's own repository, for the worktrees of agents. Unlike that of kept states it reads their configuration: a
 * worktree has to look as `git worktree add` makes it. No hook runs, and no daemon is started. Filters run when one is made alone,
 * with the cookie of the agent; afterwards the configuration may be an agent's.
 */
import { withoutGitTies } from "../../config/git-environment.ts";
import { AgentreeError } from "../../core/errors.ts";
import { findProgram } from "../../processes/find-program.ts";
import { type Git, type GitOutput, runGit } from "../run-git.ts";

export interface RepositoryGit {
	/** In a directory: the repository is found as git finds it. */
	in: (directory: string, ...args: string[]) => Promise<GitOutput>;
	/** With the git directory of a repository. */
	of: (repository: string, ...args: string[]) => Promise<GitOutput>;
}

export interface GitHost {
	readonly env: Readonly<Record<string, string | undefined>>;
	/** Ends what is under way. */
	readonly signal: AbortSignal;
	/** The filters of a configuration run: with them files are as their user knows them. They carry this cookie. */
	readonly filters?: { readonly cookie: Readonly<Record<string, string>> };
}

const SETTINGS = [
	...["core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false"],
	...["worktree.useRelativePaths=false", "submodule.recurse=false", "checkout.workers=1"],
].flatMap((setting) => ["-c", setting]);
const MOST_MS = 600_000; // a large tree on a slow disk

/** Throws AgentreeError("usage") when there is no git. */
export function repositoryGit({ env, signal, filters }: GitHost): RepositoryGit {
	const program = findProgram("git", env.PATH);
	if (program === undefined) throw new AgentreeError("usage", "--worktree needs git, which is not in PATH");
	const environment = {
		...withoutGitTies(env),
		...filters?.cookie,
		...{ LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", GIT_EDITOR: "false" },
	};
	const run = async (cwd: string, args: readonly string[]) => {
		const git: Git = { program, environment, cwd };
		const both = AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]);
		const call = (own: readonly string[], more: Git["environment"]) =>
			runGit({ ...git, environment: { ...environment, ...more } }, { args: [...SETTINGS, ...own], signal: both });
		if (filters !== undefined || !USE_FILTERS.has(args[0] ?? "")) return call(args, {});
		const listed = await call(["config", "-z", "--name-only", "--get-regexp", FILTERS], {});
		return call(args, listed.is === "done" ? without(listed.out.toString("utf8").split("\0")) : {});
	};
	return {
		in: (directory, ...args) => run(directory, args),
		of: (repository, ...args) => run(repository, [`--git-dir=${repository}`, ...args]),
	};
}

const USE_FILTERS: ReadonlySet<string> = new Set(["status"]);
const FILTERS = "^filter\\..*\\.(clean|smudge|process|required)$";

/** Settings that win over all files, by the environment: a name may have any character. */
function without(names: readonly string[]): Record<string, string> {
	const settings = [...new Set(names)].filter((name) => name !== "");
	const set = settings.flatMap((name, n) => [
		[`GIT_CONFIG_KEY_${n}`, name],
		[`GIT_CONFIG_VALUE_${n}`, name.endsWith(".required") ? "false" : ""],
	]);
	return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(set) };
}

/** What git printed, without the last line's end; undefined when it failed. */
export function told(output: GitOutput): string | undefined {
	return output.is === "done" ? output.out.toString("utf8").replace(/\n$/, "") : undefined;
}
