/** What becomes of an agent's worktree when the agent is done: removed when nothing in it would be lost, else kept. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { defined } from "../../core/defined.ts";
import type { KeptWorktree, OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { inOneLine } from "../../text/safe/terminal-safe.ts";
import { dropPlaceBelow, dropPlaces } from "./make-worktree.ts";
import { entryOfWorktree, isPlace } from "./place-worktree.ts";
import { listedWorktrees, type RepositoryGit, told } from "./repository-git.ts";

type SettledWorktree = { readonly is: "removed" } | KeptWorktree;

interface SettleOptions {
	readonly git: RepositoryGit;
	/** The state directory. */
	readonly home: string;
	/** Also what has commits goes, when each of them is in another branch, too. */
	readonly goesWhenMerged?: boolean;
	/** Why it has to stay, whatever is in it. */
	readonly staysBecause?: string | undefined;
}

const UNDER_WAY = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply"];
const NO_PLACE = "its record names an unexpected place";
export const UNTIED = "its .git is gone, or names another repository";
const HAS_SUBMODULES = /submodule/i;

/** Never throws for what git says. */
export async function settleWorktree(own: OwnWorktree, options: SettleOptions): Promise<SettledWorktree> {
	const { path, repository } = own;
	if (!isPlace(own, options.home)) return { is: "kept", commits: 0, files: 0, reason: NO_PLACE };
	if (!existsSync(repository)) return { is: "kept", commits: 0, files: 0, reason: `${repository} is gone` };
	const beyond = await commitsBeyond(own, options);
	dropPlaceBelow(path, options.home);
	if (!existsSync(path)) return settleGone(own, beyond, options);
	if (entryOfWorktree(own) === undefined) return { ...kept(beyond ?? { commits: 0 }, 0, UNTIED), isUntied: true };
	const found = await lookInto(own, options);
	const { reason = options.staysBecause } = found;
	if (beyond?.commits !== 0 || found.files > 0 || reason !== undefined) return kept(beyond, found.files, reason);
	const why = await remove(own, options.git);
	if (why !== undefined) return kept(beyond, 0, why);
	return dropBranch(own, options);
}

/** Undefined when git does not say. */
type Beyond = Pick<KeptWorktree, "commits" | "head" | "isBranchGone" | "isMerged"> | undefined;

const NO_COMMIT = "0".repeat(40);

function kept(beyond: Beyond, files: number, reason?: string): KeptWorktree {
	const why = beyond === undefined ? "its commits cannot be counted" : reason;
	return { is: "kept", commits: 0, ...beyond, files, ...defined({ reason: why }) };
}

/** Those of its branch and of its HEAD, which may be on another one, or on none; even when its directory is gone. */
async function commitsBeyond(own: OwnWorktree, { git, goesWhenMerged }: SettleOptions): Promise<Beyond> {
	const { path, repository, branch, base } = own;
	const name = `refs/heads/${branch}`;
	const tip = told(await git.of(repository, "rev-parse", "--verify", "-q", name)) || undefined;
	const listed = await listedWorktrees(repository, git);
	const entry = listed?.find((each) => each.path === path);
	if (listed === undefined || (entry === undefined && existsSync(path))) return undefined;
	const head = entry?.branch === name ? undefined : entry;
	const others = goesWhenMerged ? [`--exclude=${branch}`, "--branches", "--remotes"] : [];
	const count = async (commits: readonly string[], ...without: string[]): Promise<number | undefined> => {
		if (commits.length === 0) return existsSync(path) ? undefined : 0;
		const counted = told(
			await git.of(repository, "rev-list", "--count", ...commits, "--not", base, ...without, ...others),
		);
		return counted !== undefined && /^\d+$/.test(counted) ? Number(counted) : undefined;
	};
	const ends = [tip, head?.commit].filter((commit) => commit !== undefined);
	const commits = await count(ends);
	const origin = listed.find((each) => each.path === own.origin)?.commit;
	const isMerged = commits !== 0 && origin !== undefined && (await count(ends, origin)) === 0;
	const ahead = head?.commit === undefined ? 0 : await count([head.commit], ...(tip === undefined ? [] : [tip]));
	if (commits === undefined || ahead === undefined) return undefined;
	const on = head && { ...defined({ branch: head.branch?.replace(/^refs\/heads\//, "") }), ahead };
	return {
		...{ commits, ...(tip === undefined && { isBranchGone: true }), ...(isMerged && { isMerged }) },
		...(on && { head: { ...on, commit: head?.commit ?? NO_COMMIT } }),
	};
}

async function lookInto(own: OwnWorktree, { git }: SettleOptions): Promise<{ files: number; reason?: string }> {
	const { path } = own;
	const entry = entryOfWorktree(own);
	if (entry === undefined) return { files: 0, reason: UNTIED };
	// With `none` git would run in each submodule, by a configuration that is an agent's.
	const how = ["--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--no-renames"];
	const status = await git.in(path, "status", ...how);
	if (status.is === "failed") return { files: 0, reason: `git says: ${inOneLine(status.why)}` };
	const files = status.out.reduce((lines, byte) => lines + (byte === 0 ? 1 : 0), 0);
	const step = UNDER_WAY.find((name) => existsSync(join(entry, name)));
	if (step !== undefined) return { files, reason: `it is in the middle of something: ${step}` };
	if (existsSync(join(entry, "locked"))) return { files, reason: "it is locked (git worktree unlock)" };
	const hasRepositories = existsSync(join(entry, "modules")) || (await hasSubmodules(path, git));
	return hasRepositories ? { files, reason: "it has submodule repositories" } : { files };
}

const GITLINK = /^160000 [^\t]*\t(.*)$/s;

/** True when a submodule has its files in it. */
async function hasSubmodules(path: string, git: RepositoryGit): Promise<boolean> {
	const listed = await git.in(path, "ls-files", "-s", "-z");
	if (listed.is === "failed") return true;
	if (!listed.out.includes("160000 ")) return false;
	const links = listed.out.toString("utf8").split("\0");
	return links.some((line) => existsSync(join(path, GITLINK.exec(line)?.[1] ?? "\0", ".git")));
}

/** Git looks once more whether it is clean. Gives the reason when it does not remove it. */
async function remove({ path, repository }: OwnWorktree, git: RepositoryGit): Promise<string | undefined> {
	const removed = await git.of(repository, "worktree", "remove", path);
	if (removed.is === "done") return undefined;
	if (!HAS_SUBMODULES.test(removed.why)) return `git does not remove it: ${inOneLine(removed.why)}`;
	const forced = await git.of(repository, "worktree", "remove", "--force", path); // there are none in it, but their places
	return forced.is === "done" ? undefined : `git does not remove it: ${inOneLine(forced.why)}`;
}

/** Somebody has removed its directory. Git's entry goes, unless it alone names commits, and of the branch what nothing would be lost with. */
async function settleGone(own: OwnWorktree, beyond: Beyond, options: SettleOptions): Promise<SettledWorktree> {
	const isOnNone = beyond?.head !== undefined && beyond.head.branch === undefined && beyond.head.ahead > 0;
	if (!isOnNone) await options.git.of(own.repository, "worktree", "remove", "--force", own.path);
	if (beyond?.commits === 0) return dropBranch(own, options);
	return { ...kept(beyond, 0, "its directory is gone, but its commits remain"), isGone: true };
}

/** Not while another worktree has it, nor when it has moved meanwhile. */
async function dropBranch(own: OwnWorktree, { git, home }: SettleOptions): Promise<SettledWorktree> {
	const { path, repository, branch } = own;
	if (!git.isConfined) dropPlaces(path, home);
	const name = `refs/heads/${branch}`;
	const listed = await listedWorktrees(repository, git);
	const isUsed = listed === undefined || listed.some((each) => each.branch === name);
	if (isUsed) return kept({ commits: 0 }, 0, `another worktree is on ${branch}`);
	const head = told(await git.of(repository, "rev-parse", "--verify", "-q", name));
	if (head !== undefined) await git.of(repository, "update-ref", "-d", name, head);
	return { is: "removed" };
}
