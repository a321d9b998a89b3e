/** What of a project's repositories git runs, or where it finds out what to run. */

import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { ifThere } from "../../core/if-there.ts";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import type { Place } from "../confinement-of.ts";
import { lookAtPlace } from "../look-at-places.ts";
import { KEPT_IN_PROJECT } from "../places.ts";
import { placesIn, type Setting, settingsIn } from "./git-configuration.ts";
import { type FoundRepositories, type GitDirectory, repositoriesIn, textOf, treeOf } from "./git-repositories.ts";

export interface GitPlaces {
	readonly kept: readonly string[];
	/** Files that name a repository, to be kept, and links to one. */
	readonly pointers: readonly string[];
	/** What `fillRepository` makes, or finds. */
	readonly toCome: readonly Place[];
	/** What is not kept, a line each. */
	readonly notices: readonly string[];
}

interface Facts {
	readonly top: string;
	/** The directories of the project's repository, without links. */
	readonly own: readonly string[];
	/** Files of the user's own configuration of git. */
	readonly configurations: readonly string[];
	readonly homes: readonly string[];
}

/** git-config(1), FILES. */
export function configurationsOf(
	env: Readonly<Record<string, string | undefined>>,
	homes: readonly string[],
): string[] {
	const { GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, XDG_CONFIG_HOME } = env;
	return [
		GIT_CONFIG_SYSTEM || "/etc/gitconfig",
		...homes.flatMap((home) => [join(home, ".gitconfig"), join(home, ".config/git/config")]),
		...(XDG_CONFIG_HOME ? [join(XDG_CONFIG_HOME, "git/config")] : []),
		...(GIT_CONFIG_GLOBAL ? [GIT_CONFIG_GLOBAL] : []),
	];
}

/** `commondir` names the directory from which git takes hooks and config, `gitdir` the work tree. Of alternates git reads configuration, too. */
const KEPT = ["hooks", "config", "config.worktree", "commondir", "objects/info/alternates"];
const KEPT_OF_LINKED = ["commondir", "gitdir", "config.worktree"];
const keptIn = ({ path, is }: GitDirectory) =>
	(is === "linked" ? KEPT_OF_LINKED : KEPT).map((name) => join(path, name));
/** But for the project's own directories: each place is a mount or two, and those of a command take longer the more there are. */
const MOST = 150;

export function gitPlaces(facts: Facts): GitPlaces {
	const { top, configurations } = facts;
	const found = repositoriesIn(top, facts.own);
	const { directories, pointers, left } = withinMost(found);
	const named = placesNamed(directories, facts);
	return {
		kept: [...directories.flatMap(keptIn), ...configurations, ...named.kept],
		pointers,
		toCome: directories.flatMap(({ path }) => fillsOf(path)),
		notices: [
			...(left === 0
				? []
				: [`${top} has ${left} more repositories (submodules, work trees, others) than can be protected: ${LOOK}`]),
			...(found.isPart ? [`${top} has too many directories to search them all for repositories: ${LOOK}`] : []),
			...[...named.missing].map(
				(path) => `git's configuration names ${path}, which does not exist: commands could create it`,
			),
		],
	};
}

const LOOK = "check what git runs in the others before you use git there, or use --sandbox read-only";

function withinMost({ directories, pointers }: FoundRepositories) {
	const within: GitDirectory[] = [];
	const files: string[] = [];
	let places = 0;
	for (const directory of directories) {
		if (directory.is !== "own") places += keptIn(directory).length;
		if (places > MOST) break;
		const tree = treeOf(directory);
		within.push(tree === undefined ? directory : { ...directory, tree });
		if (tree !== undefined) files.push(join(tree, ".git"));
	}
	const trees = new Set(directories.flatMap(({ tree }) => (tree === undefined ? [] : [join(tree, ".git")])));
	const others = pointers.filter((path) => !trees.has(path));
	return {
		directories: within,
		pointers: [...new Set([...files, ...others.slice(0, MOST)])],
		left: directories.length - within.length + Math.max(0, others.length - MOST),
	};
}

/** What the configurations name that hold in these work trees. */
function placesNamed(directories: readonly GitDirectory[], { top, configurations, homes }: Facts) {
	const read = new Map<string, readonly Setting[]>();
	const settingsOf = (file: string) => {
		const settings = read.get(file) ?? settingsIn(textOf(file));
		read.set(file, settings);
		return settings;
	};
	const kept = new Set<string>();
	const missing = new Set<string>();
	const add = (file: string, tree: string, depth: number): void => {
		for (const { path, is } of placesIn(settingsOf(file), { directory: dirname(file), top: tree, homes })) {
			const place = lookAtPlace(path);
			if (place?.is === "directory" && is === "program") continue; // `!cd src && …`
			if (place !== undefined) kept.add(path);
			else if (is !== "program" && isMakeable(path, top)) missing.add(path);
			if (is === "included" && depth < MOST_INCLUDES) add(path, tree, depth + 1);
		}
	};
	for (const { path, is, tree = path } of directories) {
		const shared = is === "linked" ? dirname(dirname(path)) : path;
		for (const file of [join(shared, "config"), join(path, "config.worktree"), ...configurations]) add(file, tree, 0);
	}
	return { kept, missing };
}

const MOST_INCLUDES = 10; // as git has it

function isMakeable(path: string, top: string): boolean {
	return isAtOrBelow(path, top) && !KEPT_IN_PROJECT.some((name) => isAtOrBelow(path, join(top, name)));
}

const ITSELF = ".\n";

/** What of a repository's directory an agent could make otherwise. To git these are as nothing. */
export function fillsOf(directory: string): Place[] {
	if (!existsSync(join(directory, "HEAD"))) return []; // it is none any more
	const places = isLinked(directory) ? [OF_WORK_TREE] : [OF_WORK_TREE, "config", "commondir", ALTERNATES];
	const files = places.map((name): Place => ({ path: join(directory, name), is: "file" }));
	const hooks: Place[] = isLinked(directory) ? [] : [{ path: join(directory, "hooks"), is: "directory" }];
	return [...files, ...hooks].filter(({ path }) => isReal(dirname(path)));
}

/** A configuration of the work tree is heeded as soon as a person turns that on (git-sparse-checkout(1) does). */
const OF_WORK_TREE = "config.worktree";
const ALTERNATES = "objects/info/alternates";

/** It names the directory that it shares with others. */
function isLinked(directory: string): boolean {
	const text = textOf(join(directory, "commondir"));
	return text !== "" && text !== ITSELF;
}

function isReal(directory: string): boolean {
	return ifThere(() => realpathSync.native(directory) === directory) ?? false; // it is not there
}

/** Makes what is missing: a mount needs something to stand on. */
export function fillRepository(directory: string): void {
	for (const { path, is } of fillsOf(directory)) {
		try {
			if (is === "directory") mkdirSync(path);
			else {
				writeFileSync(path, basename(path) === "commondir" ? ITSELF : "", { flag: "wx" });
				chmodSync(path, 0o644); // whatever the umask: another user of the repository reads it, too
			}
		} catch {
			// it is there, or the repository is another user's and nobody here writes to it
		}
	}
}

/** Takes away what stands in nobody's repository but for a sandbox. */
export function unfillRepository(directory: string): void {
	const remove = (name: string, isOurs: (path: string) => boolean) => {
		try {
			if (isOurs(join(directory, name))) rmSync(join(directory, name));
		} catch {
			// there is none
		}
	};
	for (const name of [OF_WORK_TREE, "config", ALTERNATES])
		remove(name, (path) => lstatSync(path, { throwIfNoEntry: false })?.size === 0);
	remove("commondir", (path) => readFileSync(path, "utf8") === ITSELF);
}
