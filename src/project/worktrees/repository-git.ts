/**
 * Git in the user's own repository, for the worktrees of agents. Unlike that of kept states it reads their configuration: a
 * worktree has to look as `git worktree add` makes it. No hook runs, and no daemon is started. Outside of a sandbox filters run
 * when one is made alone, with the cookie of the agent; afterwards the configuration may be an agent's. Only then what is missing of a
 * partial clone is fetched, too.
 */

import { rmSync } from "node:fs";
import { defined } from "../../core/defined.ts";
import { usageError } from "../../core/errors.ts";
import { absolutePath } from "../../core/machine/paths.ts";
import { findProgram } from "../../processes/child-process.ts";
import { type Git, type GitOutput, runGit, withoutGitTies } from "../run-git.ts";

export interface RepositoryGit {
	/** It runs in a sandbox. */
	readonly isConfined: boolean;
	/** In a directory: the repository is found as git finds it. */
	in: (directory: string, ...args: string[]) => Promise<GitOutput>;
	/** With the git directory of a repository. */
	of: (repository: string, ...args: string[]) => Promise<GitOutput>;
	/** Removes a directory with all that is in it. */
	clear: (directory: string) => Promise<void>;
}

/** bwrap with its arguments, up to those of the program in it. */
export interface GitSandbox {
	readonly program: string;
	/** As the places are when it is asked. */
	readonly args: () => readonly string[];
	/** The filter of system calls, which it gets as descriptor 4. */
	readonly filter?: string;
}

export interface GitHost {
	readonly env: Readonly<Record<string, string | undefined>>;
	/** Ends what is under way. */
	readonly signal: AbortSignal;
	/** The filters of a configuration run: with them files are as their user knows them. They carry this cookie. */
	readonly filters?: { readonly cookie: Readonly<Record<string, string>> };
	/**
	 * Of agents in a sandbox, who may have changed what git works on, or change it meanwhile: it may do no more than they. Its filters,
	 * too, which their files may name.
	 */
	readonly sandbox?: GitSandbox | undefined;
	/** It looks alone, maybe before anybody trusts the repository: no filter runs in the sandbox either. */
	readonly isLook?: true;
}

const SETTINGS = [
	...["core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false"],
	...["worktree.useRelativePaths=false", "submodule.recurse=false", "checkout.workers=1"],
].flatMap((setting) => ["-c", setting]);
/**
 * What is missing of a partial clone is not fetched, by whatever a configuration names for that: the variable goes before
 * `protocol.NAME.allow` (git(1)). Git knows GIT_NO_LAZY_FETCH from 2.44 on.
 */
const NO_FETCH = { GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1" };
const MOST_MS = 600_000; // a large tree on a slow disk

/** Throws AgentreeError("usage") when there is no git. */
export function repositoryGit({ env, signal, filters, sandbox, isLook }: GitHost): RepositoryGit {
	const program = findProgram("git", env.PATH);
	if (program === undefined) throw usageError("--worktree needs git, which is not in PATH");
	const environment = {
		...withoutGitTies(env),
		...(filters?.cookie ?? NO_FETCH),
		...{
			PATH: absolutePath(env.PATH),
			LC_ALL: "C",
			GIT_OPTIONAL_LOCKS: "0",
			GIT_TERMINAL_PROMPT: "0",
			GIT_EDITOR: "false",
		},
	};
	const attempt = (
		cwd: string,
		words: readonly [string, ...string[]],
		more: Git["environment"],
		within: GitSandbox | undefined,
	) => {
		const [first, ...args] =
			within === undefined ? words : [within.program, ...within.args(), "--chdir", cwd, "--", ...words];
		const git: Git = {
			...{ program: first as string, environment: { ...environment, ...more }, cwd: within === undefined ? cwd : "/" },
			...{ isSandboxed: within !== undefined, ...defined({ readsFile: within?.filter }) },
		};
		return runGit(git, { args, signal: AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]) });
	};
	const start = async (cwd: string, words: readonly [string, ...string[]], more: Git["environment"]) => {
		for (let attempts = 1; ; attempts++) {
			const output = await attempt(cwd, words, more, sandbox);
			if (sandbox === undefined || !isUnmade(output) || attempts === MOST_ATTEMPTS) return output;
		}
	};
	const run = async (cwd: string, args: readonly string[]) => {
		const call = (own: readonly string[], more: Git["environment"]) => start(cwd, [program, ...SETTINGS, ...own], more);
		const word = args[0]?.startsWith(OF) ? args[1] : args[0];
		const mayRun = filters !== undefined || (sandbox !== undefined && !isLook);
		if (mayRun || !USE_FILTERS.has(word ?? "")) return call(args, {});
		const names = ["config", "-z", "--name-only", "--get-regexp", FILTERS]; // which runs nothing, so it needs no sandbox
		const listed = await attempt(cwd, [program, ...SETTINGS, ...names], {}, undefined);
		return call(args, listed.is === "done" ? without(listed.out.toString("utf8").split("\0")) : {});
	};
	return {
		isConfined: sandbox !== undefined,
		in: (directory, ...args) => run(directory, args),
		of: (repository, ...args) => run(repository, [`${OF}${repository}`, ...args]),
		clear: async (directory) => {
			if (sandbox === undefined) rmSync(directory, { recursive: true, force: true });
			else await start("/", ["rm", "-rf", "--", directory], {});
		},
	};
}

const MOST_ATTEMPTS = 8;

/** Places that come or go meanwhile, as entries of other worktrees, keep a sandbox from being made: then nothing has run. */
function isUnmade(output: GitOutput): boolean {
	return output.is === "failed" && output.why.startsWith("bwrap: ");
}

const OF = "--git-dir=";
/** To remove a worktree git looks whether it is clean. */
const USE_FILTERS: ReadonlySet<string> = new Set(["status", "worktree"]);
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

/** The worktrees of a repository, as it has them down. No git runs in any of them. */

interface ListedWorktree {
	readonly path: string;
	/** The commit of its HEAD; undefined for a branch without one. */
	readonly commit: string | undefined;
	/** The full name of the branch that its HEAD is on; undefined for none. */
	readonly branch: string | undefined;
}

/** Undefined when git does not say. */
export async function listedWorktrees(
	repository: string,
	git: Pick<RepositoryGit, "of">,
): Promise<ListedWorktree[] | undefined> {
	const listed = told(await git.of(repository, "worktree", "list", "--porcelain"));
	return listed?.split("\n\n").flatMap((entry) => {
		const value = (name: string) =>
			entry
				.split("\n")
				.find((line) => line.startsWith(`${name} `))
				?.slice(name.length + 1);
		const path = value("worktree");
		return path === undefined ? [] : [{ path, commit: commitIn(value("HEAD")), branch: value("branch") }];
	});
}

function commitIn(head: string | undefined): string | undefined {
	return head === undefined || /^0+$/.test(head) ? undefined : head;
}
