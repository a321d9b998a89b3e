/** Where the worktree of an agent is going to be, and of which repository. Nothing is made yet. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { defined } from "../../core/defined.ts";
import { type AgentreeError, usageError } from "../../core/errors.ts";
import { BELOW } from "../../core/run/file-events.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { inOneLine } from "../../text/safe/terminal-safe.ts";
import { type Person, projectOf } from "../project-of.ts";
import { repositoryAround } from "../repository-around.ts";
import { listedWorktrees, type RepositoryGit, told } from "./repository-git.ts";

export interface RepositoryFacts {
	/** The tree around the directory; the repository itself where that is bare. */
	readonly origin: string;
	/** The directory below that. */
	readonly below: string;
	/** The git directory that all worktrees of the repository share. */
	readonly repository: string;
	/** The commit of HEAD. */
	readonly base: string;
	/** What of the tree is in no commit, so that no worktree has it. */
	readonly absent: Pick<OwnWorktree, "uncommitted" | "ignored">;
}

/** `directory`: where the agent would work without. Throws AgentreeError("usage"). */
export async function lookAtRepository(
	directory: string,
	git: RepositoryGit,
	person: Person,
): Promise<RepositoryFacts> {
	const start = realpathSync(directory);
	if (projectOf(start, person)?.repository === undefined) throw noRepository(directory);
	const asked = await git.in(start, "rev-parse", "--git-common-dir", "--is-inside-work-tree", "--is-bare-repository");
	if (asked.is === "failed") throw usageError(`git on ${directory}: ${inOneLine(asked.why)}`);
	const lines = (told(asked) ?? "").split("\n");
	const [isInside, isBare] = lines.slice(-2).map((line) => line === "true");
	const repository = realpathSync(resolve(start, lines.slice(0, -2).join("\n")));
	if (!isInside && !isBare)
		throw usageError(`${directory} is inside a git directory: start in a working tree or a bare repository`);
	const top = isInside ? told(await git.in(start, "rev-parse", "--show-toplevel")) : repository;
	const base = told(await git.in(start, "rev-parse", "--verify", "-q", "HEAD^{commit}"));
	if (base === undefined || base === "")
		throw usageError(`the repository of ${directory} has no commits: commit something first`);
	const origin = realpathSync(top ?? start);
	const absent = isInside ? await absentIn(origin, git) : {};
	return { origin, below: isInside ? relative(origin, start) : "", repository, base, absent };
}

const LISTED = ["--porcelain=v1", "-z", "--ignored=matching", "--untracked-files=normal", "--ignore-submodules=dirty"];
const MOST_IGNORED = 12; // names that an agent is told

/** Nothing where git does not say. The names nearest to the top are told. */
async function absentIn(top: string, git: RepositoryGit): Promise<RepositoryFacts["absent"]> {
	const entries = told(await git.in(top, "status", ...LISTED, "--no-renames"))?.split("\0") ?? [];
	const ignored = entries.flatMap((entry) => (entry.startsWith("!! ") ? [entry.slice(3).replace(/\/$/, "")] : []));
	const uncommitted = entries.filter((entry) => entry !== "").length - ignored.length;
	const depth = (path: string) => path.split("/").length;
	const nearest = ignored.toSorted((a, b) => depth(a) - depth(b)).slice(0, MOST_IGNORED);
	return defined({
		uncommitted: uncommitted === 0 ? undefined : uncommitted,
		ignored: nearest.length === 0 ? undefined : nearest,
	});
}

/** `within`: the directory of the worktrees of what an agent starts. */
export function placeOf(
	{ origin, below, repository, base, absent }: RepositoryFacts,
	name: string,
	within: string,
): OwnWorktree {
	const path = join(within, name);
	return { path, cwd: join(path, below), origin, repository, branch: `${BRANCHES}${name}`, base, ...absent };
}

/** Whether a worktree can be there: commands may change the record that names it, and put links there. */
export function isPlace({ path, cwd, branch, base }: OwnWorktree, home: string): boolean {
	const root = worktreesIn(home);
	const [first = "", ...names] = relative(root, path).split("/");
	const name = names.pop() ?? "";
	const areNames =
		[first, name].every(isName) && names.every((each) => each.endsWith(BELOW) && isName(each.slice(0, -1)));
	const isBelow = cwd === path || (cwd.startsWith(`${path}/`) && !cwd.split("/").includes(".."));
	const isOne = areNames && join(root, first, ...names, name) === path;
	return (
		isOne && hasNoLinks(dirname(path)) && isBelow && branch === `${BRANCHES}${name}` && /^[0-9a-f]{40,64}$/.test(base)
	);
}

function isName(name: string): boolean {
	return /^[\w-][\w.-]*$/.test(name);
}

function hasNoLinks(path: string): boolean {
	return !existsSync(path) || realpathSync(path) === path;
}

/** The place that a person or an agent has named. Throws AgentreeError("usage") for a name that cannot be, or is taken. */
export async function requireFree(
	facts: RepositoryFacts,
	{ name, within }: { name: string; within: string },
	git: RepositoryGit,
): Promise<void> {
	const { path, branch, repository } = placeOf(facts, requireWorktreeName(name), within);
	if (existsSync(path)) throw usageError(takenBy(path, name));
	const found = await git.of(repository, "rev-parse", "--verify", "-q", `refs/heads/${branch}`);
	if (found.is === "failed") return;
	const other = await worktreeOn(branch, { repository, git });
	if (other !== undefined) throw usageError(takenBy(other, name));
	throw usageError(
		`the branch ${branch} already exists: use another name than ${name}, or remove it with git branch -d ${branch}`,
	);
}

async function worktreeOn(
	branch: string,
	{ repository, git }: { repository: string; git: RepositoryGit },
): Promise<string | undefined> {
	const listed = (await listedWorktrees(repository, git)) ?? [];
	return listed.find((each) => each.branch === `refs/heads/${branch}`)?.path;
}

export function takenBy(path: string, name: string): string {
	return `a worktree ${name} already exists: use another name, or continue in it with --cd ${path} and without --worktree`;
}

/** All worktrees of agents lie in it. */
export function worktreesIn(home: string): string {
	return join(existsSync(home) ? realpathSync(home) : home, "worktrees");
}

function noRepository(directory: string): AgentreeError {
	return usageError(
		`--worktree needs a git repository, and ${directory} is not in one: create one (git init, and a commit), or leave out --worktree`,
	);
}

/** What an agent's worktree may be called: it is a directory, and the last part of a branch. Pure. */

const MAX_CHARS = 100;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

const BRANCHES = "agentree/";

/** Throws AgentreeError("usage"). */
function requireWorktreeName(name: string): string {
	const isOdd = !NAME.test(name) || name.includes("..") || /\.(lock)?$/i.test(name) || name.length > MAX_CHARS;
	if (!isOdd) return name;
	const rule = `letters, digits, "-", "_" and single "." (at most ${MAX_CHARS}, the first one a letter or a digit)`;
	throw usageError(`--worktree: a name can have ${rule}, not ${JSON.stringify(name)}`);
}

/** The directory that a repository has for a worktree of an agent: `.git/worktrees/NAME`. */

/**
 * Undefined when the worktree is not tied to it any more as git ties them: an agent can change the files that do so, and git that is
 * run there would heed another configuration.
 */
export function entryOfWorktree({ path, repository }: OwnWorktree): string | undefined {
	try {
		const around = repositoryAround(path);
		if (around?.top !== path || around.repository.common !== repository) return undefined;
		const { directory } = around.repository;
		const isEntry = dirname(directory) === join(repository, "worktrees");
		const named = resolve(directory, readFileSync(join(directory, "gitdir"), "utf8").trimEnd());
		return isEntry && named === join(path, ".git") && !hasOwnCommands(directory, repository) ? directory : undefined;
	} catch {
		return undefined; // something of it is gone
	}
}

/** What git puts into the configuration of a worktree itself: for a sparse checkout, and as a copy of that of the repository. */
const HARMLESS = /^\s*(\[core\]|\[(index|extensions)\]|(sparse\w*|bare|worktreeconfig|partialclone)\s*=\s*\w+)?\s*$/i;

function hasOwnCommands(directory: string, repository: string): boolean {
	const own = linesOf(join(directory, "config.worktree"));
	const shared = new Set(linesOf(join(repository, "config.worktree")));
	return !own.every((line) => HARMLESS.test(line) || shared.has(line));
}

function linesOf(path: string): string[] {
	try {
		return readFileSync(path, "utf8").split("\n");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
		throw error;
	}
}

/** Whether the directory is that of which the agent's directory in its worktree is a copy. */
export function isWorktreeOf({ path, cwd, origin }: OwnWorktree, directory: string): boolean {
	return existsSync(directory) && realpathSync(directory) === join(origin, relative(path, cwd));
}
