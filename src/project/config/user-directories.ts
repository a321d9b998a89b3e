/** The user's directories: home, configuration, and those of runs and of their sockets, which only the user may read. */

import { chmodSync, existsSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { AgentreeError, usageError } from "../../core/errors.ts";
import { variablesNotUtf8 } from "./not-utf8.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** `$HOME`, else the home directory in the system's user table; `os.homedir()` would return whatever HOME says. */
export function homeDirectory(env: Environment): string | undefined {
	return absoluteOnly(env.HOME) ?? homeOfUser();
}

/** The value when it is an absolute path. The XDG specification says to ignore relative ones, and a relative HOME is no home. */
export function absoluteOnly(value: string | undefined): string | undefined {
	return value !== undefined && isAbsolute(value) ? value : undefined;
}

/** The home directory that the system's table of users has, whatever HOME says; undefined for none. */
export function homeOfUser(): string | undefined {
	try {
		return absoluteOnly(userInfo().homedir);
	} catch {
		return undefined; // a user that the system's table does not know
	}
}

/** A path as in a shell, which expands a `~` of a word of its own alone, and none in a variable that a file of a CI sets. */
export function withHome(path: string, home: string | undefined): string {
	return home === undefined ? path : path.replace(/^~(?=\/|$)/, () => home);
}

interface ConfigurationPath {
	readonly path: string;
	/** True when AGENTREE_CONFIG names the file: then it has to be there. */
	readonly isNamed: boolean;
}

/** `$AGENTREE_CONFIG`, else `$XDG_CONFIG_HOME/agentree/config.yaml`, else `~/.config/agentree/config.yaml`; undefined without a home. */
export function configurationPath(env: Environment, cwd: () => string): ConfigurationPath | undefined {
	const named = env.AGENTREE_CONFIG;
	if (named) return { path: isAbsolute(named) ? named : resolve(cwd(), named), isNamed: true };
	const directory = configurationDirectory(env);
	return directory === undefined ? undefined : { path: join(directory, "config.yaml"), isNamed: false };
}

/** `$XDG_CONFIG_HOME/agentree`, else `~/.config/agentree`; undefined without a home. */
export function configurationDirectory(env: Environment): string | undefined {
	const xdg = absoluteOnly(env.XDG_CONFIG_HOME);
	const home = homeDirectory(env);
	const directory = xdg ?? (home === undefined ? undefined : join(home, ".config"));
	return directory === undefined ? undefined : join(directory, "agentree");
}

// struct sockaddr_un has 108 bytes for the path and its final NUL; Node cuts a longer one without a word.
const MAX_SOCKET_PATH_BYTES = 106;

/** The directory of runs, absolute: `$AGENTREE_HOME`, else `$XDG_STATE_HOME/agentree`, else `~/.local/state/agentree`. Throws AgentreeError. */
export function stateDirectory(env: Environment, cwd: string): string {
	requireUtf8(env);
	if (env.AGENTREE_HOME) return resolve(cwd, env.AGENTREE_HOME);
	const xdg = absoluteOnly(env.XDG_STATE_HOME);
	if (xdg !== undefined) return join(xdg, "agentree");
	const userHome = homeDirectory(env);
	if (userHome !== undefined) return join(userHome, ".local/state/agentree");
	throw usageError("no home directory found: set HOME to an absolute path");
}

function requireUtf8(env: Environment): void {
	const used = ["AGENTREE_HOME", "XDG_STATE_HOME", "HOME"].find((name) => env[name]);
	if (used === undefined || !variablesNotUtf8(env).includes(used)) return;
	throw usageError(`${used} is not valid UTF-8: set it to another path`);
}

/** The directory of sockets: `$XDG_RUNTIME_DIR/agentree`, else `/tmp/agentree-UID`. */
export function socketDirectory(env: Environment, uid: number): string {
	const xdg = absoluteOnly(env.XDG_RUNTIME_DIR);
	return xdg === undefined || xdg.includes("\ufffd") ? temporarySocketDirectory(uid) : join(xdg, "agentree");
}

/** The path of a run's socket, below `/tmp` where it would else be too long for the kernel. */
export function socketPath(env: Environment, uid: number, run: string): string {
	const path = join(socketDirectory(env, uid), `${run}.sock`);
	return isSocketPath(path) ? path : temporarySocketPath(uid, run);
}

/** True for a path that is not too long for a socket. */
export function isSocketPath(path: string): boolean {
	return Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES;
}

/** The path of a run's socket below `/tmp`. */
export function temporarySocketPath(uid: number, run: string): string {
	return join(temporarySocketDirectory(uid), `${run}.sock`);
}

/**
 * Makes the directory, and what is missing above it, with mode 0700 whatever the umask. An existing directory is used as it
 * is, except where everyone may write (`/tmp`): there another user may have made it, or a link in its place, before us.
 * One that others may write to is closed to them.
 */
export function prepareDirectory(path: string, uid: number): void {
	const why = whyNotPrepared(path, uid);
	if (why !== undefined) throw notUsable(path, why);
}

/** `prepareDirectory`, with what it would throw in words. */
export function whyNotPrepared(path: string, uid: number): string | undefined {
	try {
		makeDirectory(path);
		const found = statSync(path);
		if (!found.isDirectory()) return "not a directory";
		if ((found.mode & 0o022) !== 0 && found.uid === uid) chmodSync(path, found.mode & 0o7755);
		return isOpenToAll(dirname(path)) ? whyNotOwn(path, uid) : undefined;
	} catch (error) {
		return (error as Error).message;
	}
}

/** Makes one level after the other: with `recursive`, Node 20 never comes back where the parent is there but takes no entry (/proc). */
function makeDirectory(path: string): void {
	if (existsSync(path)) return;
	makeDirectory(dirname(path));
	try {
		mkdirSync(path, { mode: 0o700 });
		chmodSync(path, 0o700); // the umask may have taken more than the mode asks for
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // another process made it first
	}
}

function whyNotOwn(path: string, uid: number): string | undefined {
	const found = lstatSync(path);
	if (found.isSymbolicLink()) return "it is a symbolic link in a world-writable directory";
	if (found.uid !== uid) return `it belongs to user ${found.uid}, not to you (${uid})`;
	if ((found.mode & 0o777) !== 0o700) chmodSync(path, 0o700);
	return undefined;
}

function isOpenToAll(directory: string): boolean {
	return (statSync(directory).mode & 0o002) !== 0;
}

/** `reason` follows a colon. */
export function notUsable(path: string, reason: string): AgentreeError {
	return new AgentreeError(
		"not_writable",
		`cannot use the directory ${path}: ${reason}; set AGENTREE_HOME (runs) or XDG_RUNTIME_DIR (sockets) to another path`,
	);
}

function temporarySocketDirectory(uid: number): string {
	return `/tmp/agentree-${uid}`;
}
