/**
 * What the project of a working directory is: for the sandbox, for undo, for instructions and for worktrees. It is the tree of the
 * repository around it, as git finds it; but never a home, nor a directory that has one in it, nor one that somebody else may
 * have made a repository of. Then it is the working directory alone.
 */

import { lstatSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAtOrBelow } from "../core/machine/paths.ts";
import { statsOf } from "../record/files/regular-file.ts";
import { homeDirectory, homeOfUser } from "./config/user-directories.ts";
import { bareRepositoryAt, type Repository, repositoryAround } from "./repository-around.ts";

/** Paths are without links. */
export interface Project {
	/** The working directory. */
	readonly start: string;
	/** At or above it. */
	readonly top: string;
	/** Whose tree that is. */
	readonly repository?: Repository;
	/** Homes that are the top, or lie in it: then the top is the working directory, and has more in it than a project. */
	readonly homes: readonly string[];
}

/** `known`: directories that are a project whether they have a repository or not. Undefined for what is no directory. */
export function projectOf(directory: string, person: Person, known: readonly string[] = []): Project | undefined {
	const start = realDirectory(directory);
	if (start === undefined) return undefined;
	const homes = person.homes.flatMap((home) => realDirectory(home) ?? []);
	const homesIn = (top: string) => [...new Set(homes.filter((home) => isAtOrBelow(home, top)))];
	const found = foundAround(start);
	const isOwn = found !== undefined && homesIn(found.top).length === 0 && isOwnProject(found, start, person);
	const tops = [...known.filter((path) => isAtOrBelow(start, path)), ...(isOwn ? [found.top] : [])];
	const top = tops.reduce((deepest, path) => (path.length > deepest.length ? path : deepest), tops[0] ?? start);
	const repository = isOwn && top === found.top ? { repository: found.repository } : {};
	return { start, top, ...repository, homes: homesIn(top) };
}

/** Who starts a run in a directory has chosen that itself, but not what lies around it. */
function isOwnProject({ top, repository }: Found, start: string, { owners }: Person): boolean {
	if (top === "/") return false;
	if (top === start) return true;
	try {
		const isOpenToAll = (statSync(top).mode & 0o002) !== 0; // anybody could put a repository there
		return (
			!isOpenToAll &&
			[top, join(top, ".git"), repository.directory].every((path) => owners.includes(lstatSync(path).uid))
		);
	} catch {
		return false; // nobody can tell
	}
}

type Found = { readonly top: string; readonly repository: Repository };

function foundAround(start: string): Found | undefined {
	try {
		return repositoryAround(start) ?? bareRepositoryAt(start);
	} catch {
		return undefined; // it may not be read
	}
}

function realDirectory(path: string): string | undefined {
	try {
		return statsOf(path)?.isDirectory() === true ? realpathSync(path) : undefined;
	} catch {
		return undefined; // it has a NUL, or may not be entered
	}
}

/** Whose projects they are. */
export interface Person {
	/** Home directories, as the environment and the system's table of users have them. */
	readonly homes: readonly string[];
	/** Users whose repositories count: for root also the one who has called sudo, as for git (git-config(1), safe.directory). */
	readonly owners: readonly number[];
}

export function personOf(env: Readonly<Record<string, string | undefined>>): Person {
	const uid = process.getuid?.() ?? 0;
	const caller = uid === 0 && /^\d{1,10}$/.test(env.SUDO_UID ?? "") ? [Number(env.SUDO_UID)] : [];
	const homes = [homeDirectory(env), homeOfUser()].flatMap((home) => home ?? []);
	return { homes: [...new Set(homes)], owners: [uid, ...caller] };
}
