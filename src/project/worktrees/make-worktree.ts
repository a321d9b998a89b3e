/**
 * Makes the worktree of an agent. Its name is taken by making its directory, and its branch by a change of the reference that fails
 * where there is one: of two that want the same, in whichever processes, one gets it. Of git's locks a few tries are waited for.
 */
import { existsSync, mkdirSync, realpathSync, rmdirSync } from "node:fs";
import { basename, dirname, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { BELOW } from "../../core/run/file-events.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { inDirectoryOf, makeDirectoriesWithin } from "../../processes/open-within.ts";
import { makePrivateDirectory } from "../../record/files/private-files.ts";
import { inOneLine } from "../../text/safe/terminal-safe.ts";
import type { GitOutput } from "../run-git.ts";
import { isPlace, takenBy, worktreesIn } from "./place-worktree.ts";
import type { RepositoryGit } from "./repository-git.ts";

export type MadeWorktree = { readonly is: "made" } | { readonly is: "failed"; readonly reason: string };

const TRIES = 12;
const FIRST_WAIT_MS = 50;
/** Another git of the same repository is at work. */
const LOCKED = /\.lock'?: File exists|unable to create .*\.lock|cannot lock ref|could not lock/i;

/**
 * `home`: the state directory. Of a failure nothing is left. Throws AgentreeError("not_writable") when the state directory
 * takes nothing.
 */
export async function makeWorktree(own: OwnWorktree, git: RepositoryGit, home: string): Promise<MadeWorktree> {
	const { path, branch, base, repository } = own;
	const place = placeIn(path, home);
	if (!place.take()) return failed(takenBy(path, basename(path)));
	const none = "0".repeat(base.length); // says that there is none yet; of SHA-256 a commit is longer
	const taken = await tried(() => git.of(repository, "update-ref", `refs/heads/${branch}`, base, none));
	if (taken.is === "failed") {
		place.drop();
		return failed(`cannot create the branch ${branch}: ${inOneLine(taken.why)}`);
	}
	return added(own, git, home);
}

/** As it was, for an agent that goes on: where it is still there, or else anew, with its branch. */
export async function remakeWorktree(own: OwnWorktree, git: RepositoryGit, home: string): Promise<MadeWorktree> {
	const { path, branch, base, repository } = own;
	if (!isPlace(own, home)) return failed(`its worktree cannot be at ${path}, on ${branch}`);
	if (!existsSync(repository)) return failed(`the repository of its worktree is gone: ${repository}`);
	if (existsSync(path)) return enter(own);
	await git.of(repository, "worktree", "remove", "--force", path); // what git still has of it
	const found = await git.of(repository, "rev-parse", "--verify", "-q", `refs/heads/${branch}`);
	if (found.is === "failed") {
		const made = await tried(() => git.of(repository, "update-ref", `refs/heads/${branch}`, base));
		if (made.is === "failed") return failed(`its worktree cannot be recreated: ${inOneLine(made.why)}`);
	}
	if (!placeIn(path, home).take()) return failed(takenBy(path, basename(path)));
	return added(own, git, home);
}

async function added(own: OwnWorktree, git: RepositoryGit, home: string): Promise<MadeWorktree> {
	const { path, branch, repository } = own;
	const made = await tried(() => git.of(repository, "worktree", "add", "-q", path, branch));
	const entered = made.is === "done" ? enter(own) : failed(`git cannot create its worktree: ${inOneLine(made.why)}`);
	if (entered.is === "failed") await unmakeWorktree(own, git, home);
	return entered;
}

/** Takes away what was made of a worktree in which nobody has worked. */
async function unmakeWorktree(own: OwnWorktree, git: RepositoryGit, home: string): Promise<void> {
	const { path, branch, base, repository } = own;
	const drop = () => git.of(repository, "worktree", "remove", "--force", "--force", path); // twice: also a locked one
	await drop();
	if (isPlace(own, home)) await git.clear(path);
	await drop(); // of a directory that is not there any more it takes away git's own entry
	await git.of(repository, "update-ref", "-d", `refs/heads/${branch}`, base);
	if (!git.isConfined) dropPlaces(path, home);
}

/** A directory that the base does not have is made; none may lead out of the worktree. */
function enter({ path, cwd }: OwnWorktree): MadeWorktree {
	try {
		if (!existsSync(cwd)) makeDirectoriesWithin(path, relative(path, cwd));
		const real = realpathSync(cwd);
		if (isAtOrBelow(real, path)) return { is: "made" };
		return failed(`in its worktree ${cwd} is a link to ${real}`);
	} catch (error) {
		return failed(`in its worktree ${cwd} cannot be entered: ${(error as NodeJS.ErrnoException).code}`);
	}
}

async function tried(act: () => Promise<GitOutput>): Promise<GitOutput> {
	for (let attempt = 1; ; attempt++) {
		const output = await act();
		if (output.is === "done" || attempt >= TRIES || !LOCKED.test(output.why) || isTaken(output.why)) return output;
		await sleep(Math.min(attempt, 6) * FIRST_WAIT_MS);
	}
}

/** It is locked by nobody: there is one. */
function isTaken(why: string): boolean {
	return /reference already exists|exists; cannot create/.test(why);
}

/** Agents may put links on the way to a worktree of what they start: none is followed. */
function placeIn(path: string, home: string) {
	const root = worktreesIn(home);
	const name = relative(root, path);
	return {
		/** False where there is something already. */
		take: (): boolean => {
			makePrivateDirectory(root);
			makeDirectoriesWithin(root, dirname(name));
			try {
				inDirectoryOf(root, name, (place) => mkdirSync(place, { mode: 0o700 }));
				return true;
			} catch (error) {
				if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
				throw error;
			}
		},
		/** Where it is empty. */
		drop: (): void => {
			try {
				inDirectoryOf(root, name, rmdirSync);
			} catch {} // others are in it, or it is gone
		},
	};
}

/** Makes the directory for the worktrees of what its agent starts, which its sandbox has in it. */
export function makePlaceBelow(path: string, home: string): void {
	const root = worktreesIn(home);
	makePrivateDirectory(root);
	makeDirectoriesWithin(root, `${relative(root, path)}${BELOW}`);
}

/** For the worktrees of what its agent started. */
export function dropPlaceBelow(path: string, home: string): void {
	placeIn(`${path}${BELOW}`, home).drop();
}

/** The directories around a worktree, as far as nothing is in them. The sandboxes of a run that lives need them. */
export function dropPlaces(path: string, home: string): void {
	const root = worktreesIn(home);
	for (let at = dirname(path); isAtOrBelow(at, root) && at !== root; at = dirname(at)) placeIn(at, home).drop();
}

function failed(reason: string): MadeWorktree {
	return { is: "failed", reason };
}
