/** Where the worktree of an agent is going to be, and of which repository. Nothing is made yet. */
import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { inOneLine } from "../../text/terminal-safe.ts";
import { type RepositoryGit, told } from "./repository-git.ts";
import { BRANCHES, requireWorktreeName } from "./worktree-name.ts";

export interface RepositoryFacts {
	/** The tree around the directory; the repository itself where that is bare. */
	readonly origin: string;
	/** The directory below that. */
	readonly below: string;
	/** The git directory that all worktrees of the repository share. */
	readonly repository: string;
	/** The commit of HEAD. */
	readonly base: string;
}

/** `directory`: where the agent would work without. Throws AgentreeError("usage"). */
export async function lookAtRepository(directory: string, git: RepositoryGit): Promise<RepositoryFacts> {
	const start = realpathSync(directory);
	const asked = await git.in(start, "rev-parse", "--git-common-dir", "--is-inside-work-tree", "--is-bare-repository");
	if (asked.is === "failed") throw noRepository(directory, asked.why);
	const lines = (told(asked) ?? "").split("\n");
	const [isInside, isBare] = lines.slice(-2).map((line) => line === "true");
	const repository = realpathSync(resolve(start, lines.slice(0, -2).join("\n")));
	if (!isInside && !isBare)
		throw usage(`${directory} is inside of a git directory: start in a working tree, or in a bare repository`);
	const top = isInside ? told(await git.in(start, "rev-parse", "--show-toplevel")) : repository;
	const base = told(await git.in(start, "rev-parse", "--verify", "-q", "HEAD^{commit}"));
	if (base === undefined || base === "")
		throw usage(`the repository of ${directory} has no commit to begin at: commit something first`);
	const origin = realpathSync(top ?? start);
	return { origin, below: isInside ? relative(origin, start) : "", repository, base };
}

/** `home`: the state directory. */
export function placeOf({ origin, below, repository, base }: RepositoryFacts, name: string, home: string): OwnWorktree {
	const path = join(worktreesOf(repository, home), name);
	return { path, cwd: join(path, below), origin, repository, branch: `${BRANCHES}${name}`, base };
}

/** Whether a worktree can be there: commands may change the record that names it. */
export function isPlace({ path, cwd, branch, repository, base }: OwnWorktree, home: string): boolean {
	const name = relative(worktreesOf(repository, home), path);
	const isName = name !== "" && !name.includes("/") && !name.startsWith(".") && join(dirname(path), name) === path;
	const isBelow = cwd === path || (cwd.startsWith(`${path}/`) && !cwd.split("/").includes(".."));
	return isName && isBelow && branch === `${BRANCHES}${name}` && /^[0-9a-f]{40,64}$/.test(base);
}

/** The place that a person or an agent has named. Throws AgentreeError("usage") for a name that cannot be, or is taken. */
export async function requireFree(
	facts: RepositoryFacts,
	{ name, home }: { name: string; home: string },
	git: RepositoryGit,
): Promise<void> {
	const { path, branch, repository } = placeOf(facts, requireWorktreeName(name), home);
	if (existsSync(path)) throw usage(takenBy(path, name));
	const found = await git.of(repository, "rev-parse", "--verify", "-q", `refs/heads/${branch}`);
	if (found.is === "done")
		throw usage(
			`the branch ${branch} exists: give another name than ${name}, or remove it with git branch -d ${branch}`,
		);
}

export function takenBy(path: string, name: string): string {
	return `there is a worktree ${name}: give another name, or work on in it with --cd ${path} and without --worktree`;
}

/** The directory is there for all worktrees of one repository, and has its name in it. */
export function worktreesOf(repository: string, home: string): string {
	const place = basename(repository) === ".git" ? basename(dirname(repository)) : basename(repository, ".git");
	const hash = createHash("sha256").update(repository).digest("hex").slice(0, 12);
	const name = place.replace(/[^\w.-]/g, "_").slice(0, 40);
	const real = existsSync(home) ? realpathSync(home) : home;
	return join(real, "worktrees", `${name === "" ? "repository" : name}-${hash}`);
}

function noRepository(directory: string, why: string): AgentreeError {
	if (/not a git repository/i.test(why))
		return usage(
			`--worktree needs a git repository, and ${directory} is in none: begin one (git init, and a commit), or leave --worktree out`,
		);
	return usage(`git says of ${directory}: ${inOneLine(why)}`);
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}
