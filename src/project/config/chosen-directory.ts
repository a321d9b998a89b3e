/**
 * The directories that a run is kept in: the first of those that the environment and the system name which is safe from other
 * users. After `su` or `sudo -E` the variables are another user's, and so are the directories that they name.
 */
import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentreeError } from "../../core/errors.ts";
import { whyUnsafe } from "./safe-directory.ts";
import {
	isSocketPath,
	notUsable,
	socketPath,
	stateDirectory,
	temporarySocketPath,
	whyNotPrepared,
} from "./state-directory.ts";
import { homeOfUser } from "./user-directories.ts";

export interface Chosen {
	readonly path: string;
	/** One line for people, when it is not the one that the environment names. */
	readonly notice?: string;
}

export interface User {
	readonly env: Readonly<Record<string, string | undefined>>;
	/** What a relative AGENTREE_HOME starts from. */
	readonly cwd: string;
	readonly uid: number;
}

/** The state directory as it is read: AGENTREE_HOME is taken whatever it is, also to look at another user's runs. Throws AgentreeError. */
export function readableStateDirectory({ env, cwd, uid }: User): Chosen {
	const named = stateDirectory(env, cwd);
	const why = env.AGENTREE_HOME ? undefined : whyUnsafe(named, uid);
	if (why === undefined) return { path: named };
	const others = [env.HOME, homeOfUser()].flatMap((home) => (home ? [stateDirectory({ HOME: home }, cwd)] : []));
	const safe = others.find((path) => whyUnsafe(path, uid) === undefined);
	if (safe === undefined) throw unsafe(named, why);
	return { path: safe, notice: `storing runs in ${safe} instead of ${named}: ${why}` };
}

/**
 * The state directory as it is written to. All that is kept there is in `runs` and `sockets`, so it may itself be sticky, as a
 * new tmpfs is: nobody else can replace those. An AGENTREE_HOME that is not safe is an error: runs are not put where
 * nobody looks for them.
 */
export function stateDirectoryOf(user: User): Chosen {
	const chosen = readableStateDirectory(user);
	const why = whyUnsafe(join(chosen.path, "runs"), user.uid);
	if (why === undefined) return chosen;
	throw unsafe(chosen.path, why);
}

/** The path of a run's socket; its directory is made. `home`: the state directory, where sockets lie when `/tmp` has a trap. */
export function prepareSocket(run: string, home: string, { env, uid }: Pick<User, "env" | "uid">): Chosen {
	const named = socketPath(env, uid, run);
	const paths = [named, temporarySocketPath(uid, run), join(home, "sockets", `${run}.sock`)];
	const why = whyNotFor(named, uid);
	if (why === undefined) return { path: named };
	const path = paths.filter(isSocketPath).find((path) => path !== named && whyNotFor(path, uid) === undefined);
	if (path === undefined) throw unsafe(dirname(named), why);
	return { path, notice: `the socket of this run is ${path}: ${why}` };
}

/** Why no socket can be made there. The directory may be missing, or another user's, where a container or `su` has left its variable. */
function whyNotFor(path: string, uid: number): string | undefined {
	if (!isSocketPath(path)) return "its path is too long for a socket";
	const directory = dirname(path);
	const why = whyUnsafe(directory, uid, { isClosedThen: true }) ?? whyNotPrepared(directory, uid);
	if (why !== undefined) return why;
	try {
		accessSync(directory, constants.W_OK | constants.X_OK);
		return undefined;
	} catch (error) {
		return (error as Error).message;
	}
}

function unsafe(path: string, why: string): AgentreeError {
	return notUsable(path, why.includes(" is writable by ") ? `${why} (fix: chmod go-w)` : why);
}
