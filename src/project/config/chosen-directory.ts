/**
 * The directories that a run is kept in: the first of those that the environment and the system name which is safe from other
 * users. After `su` or `sudo -E` the variables are another user's, and so are the directories that they name.
 */
import { accessSync, constants, lstatSync, readlinkSync, type Stats } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { AgentreeError } from "../../core/errors.ts";
import {
	homeOfUser,
	isSocketPath,
	notUsable,
	socketPath,
	stateDirectory,
	temporarySocketPath,
	whyNotPrepared,
} from "./user-directories.ts";

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

/** The state directory as it is read: AGENTREE_HOME is taken whatever it is, even to look at another user's runs. Throws AgentreeError. */
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

/**
 * Whether a directory is safe from other users, by the rule that ssh has for the files that it trusts (StrictModes): it is
 * ours, nobody else may write there, and nobody else can put another in its place.
 */

const MAX_LINKS = 40; // as in the kernel
const STICKY = 0o1000;

/**
 * Why the directory is not safe for the user, as in `/a is writable by everyone`; undefined when it is. What is missing of
 * the path is safe: we make it. `path` is absolute. `isClosedThen`: the directory is closed to others before it is used.
 */
export function whyUnsafe(path: string, uid: number, { isClosedThen = false } = {}): string | undefined {
	const user = { uid, isClosedThen };
	for (const step of stepsTo(path)) {
		const why =
			typeof step.found === "string" ? `cannot be read (${step.found})` : whyUnsafeStep(step, step.found, user);
		if (why !== undefined) return `${step.path} ${why}`;
	}
	return undefined;
}

interface Step {
	readonly path: string;
	/** The system's code when that cannot be known. */
	readonly found: Stats | string;
	/** True for the directory that the path leads to. */
	readonly isLast: boolean;
}

/** The directories and links on the way to the path and through its links, as far as they exist. */
function* stepsTo(path: string): Generator<Step> {
	const names = namesIn(path);
	let links = 0;
	for (let at = "/"; names.length > 0; ) {
		const name = names.shift() ?? "";
		const each = name === ".." ? dirname(at) : join(at, name);
		const found = look(each);
		if (found === undefined) return;
		yield { path: each, found, isLast: names.length === 0 };
		if (typeof found === "string") return;
		if (!found.isSymbolicLink()) at = each;
		else {
			if (++links > MAX_LINKS) return;
			const target = readlinkSync(each);
			names.unshift(...namesIn(target));
			if (isAbsolute(target)) at = "/";
		}
	}
}

function namesIn(path: string): string[] {
	return path.split("/").filter((name) => name !== "" && name !== ".");
}

/** Undefined for nothing, and for what is told by whoever uses it. */
function look(path: string): Stats | string | undefined {
	try {
		return lstatSync(path, { throwIfNoEntry: false });
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code ?? "";
		return code === "EACCES" || code === "EPERM" ? code : undefined;
	}
}

function whyUnsafeStep(
	{ isLast }: Step,
	found: Stats,
	{ uid, isClosedThen }: { uid: number; isClosedThen: boolean },
): string | undefined {
	const isOurs = found.uid === uid;
	const isTrusted = isOurs || found.uid === systemUser();
	if (found.isSymbolicLink()) return isTrusted ? undefined : `is a symbolic link of user ${found.uid}`;
	if (isLast ? !isOurs : !isTrusted) return `belongs to user ${found.uid}, not to you (${uid})`;
	const mayBeOpen = isLast ? isClosedThen : (found.mode & STICKY) !== 0; // sticky, as /tmp: nobody can replace what is another's
	const writers = otherWriters(found, uid);
	return writers === undefined || mayBeOpen ? undefined : `is writable by ${writers}`;
}

/** 0. In a user namespace all users outside of it, root too, are one: the owner of `/`, who can replace all. */
function systemUser(): number {
	return lstatSync("/").uid;
}

/** A group with the number of its user is that user's own, which most systems make for each; that of root may have members. */
function otherWriters({ mode, gid }: Stats, uid: number): string | undefined {
	if ((mode & 0o002) !== 0) return "everyone";
	const isOwnGroup = gid === uid && uid !== 0;
	return (mode & 0o020) !== 0 && !isOwnGroup ? `group ${gid}` : undefined;
}
