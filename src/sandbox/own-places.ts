/**
 * What is agentree's own: its configuration, its state, its sockets, and the files with keys that a person has named. No command
 * writes there, wherever they lie, even in a project or in a place that is named writable: it would decide for later runs.
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isAtOrBelow } from "../core/machine/paths.ts";
import {
	absoluteOnly,
	configurationDirectory,
	configurationPath,
	socketDirectory,
} from "../project/config/user-directories.ts";

export interface OwnPlaces {
	/** The directory that decides for later runs. */
	readonly configuration: string | undefined;
	/** With all that is in them, without links as far as they are there: hidden, unless a person names one to be read. */
	readonly directories: readonly string[];
	/** Files that may have keys in them: hidden. */
	readonly files: readonly string[];
	/** Where the worktrees of agents lie, which are projects. */
	readonly worktrees: string;
}

interface OwnPlacesOf {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly uid: number;
	readonly cwd: string;
	/** The state directory. */
	readonly home: string;
	/** Home directories. */
	readonly homes: readonly string[];
	/** As a person has named them. */
	readonly keyFiles: readonly (string | undefined)[];
}

export function ownPlaces({ env, uid, cwd, home, homes, keyFiles }: OwnPlacesOf): OwnPlaces {
	const configuration = configurationDirectory(env);
	const xdg = [absoluteOnly(env.XDG_CONFIG_HOME), absoluteOnly(env.XDG_STATE_HOME)];
	const above = [...xdg, ...homes.flatMap((each) => [join(each, ".config"), join(each, ".local/state")])];
	const usual = above.flatMap((directory) => (directory === undefined ? [] : [join(directory, "agentree")]));
	const sockets = [socketDirectory(env, uid), socketDirectory({}, uid)];
	const named = [configurationPath(env, () => cwd)?.path, ...keyFiles].flatMap((path) => path ?? []);
	return {
		configuration,
		directories: [...new Set([home, ...usual, ...sockets].map(realPathToBe))],
		files: [...new Set(named)].filter((path) => !/^\/(dev|proc)\//.test(realPathToBe(path))), // a pipe is none
		worktrees: join(realPathToBe(home), "worktrees"),
	};
}

/** A worktree of an agent is none of it, though it lies in the state directory. */
export function isOwn(path: string, { directories, worktrees }: OwnPlaces): boolean {
	const isWorktree = path !== worktrees && isAtOrBelow(path, worktrees);
	return !isWorktree && directories.some((directory) => isAtOrBelow(path, directory));
}

/** What is missing of a path is as it says. */
function realPathToBe(path: string): string {
	if (existsSync(path) || path === "/") return realpathSync(path);
	return join(realPathToBe(dirname(path)), path.slice(dirname(path).length));
}
