/**
 * Runs git, so that nothing of a tree's or of a user's is run by it. It has a repository and an index of ours; no other
 * configuration is read, and what could run a program is set by options besides, which win over all files. The git of the PATH
 * is meant, but no relative entry of that: it could lie in the tree.
 */

import { setMaxListeners } from "node:events";
import { closeSync, openSync } from "node:fs";
import type { Options } from "execa";
import { absolutePath } from "../core/machine/paths.ts";
import { killGroupOf } from "../processes/child-process.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface Git {
	readonly program: string;
	readonly environment: Environment;
	/** Its working directory, which is not the tree. */
	readonly cwd: string;
	/** The program is bwrap, with --die-with-parent. */
	readonly isSandboxed?: boolean;
	/** A file that the program is given as descriptor 4. */
	readonly readsFile?: string;
}

export type GitOutput = GitDone | GitFailure;
interface GitDone {
	readonly is: "done";
	readonly out: Buffer;
	/** What it could not do and went on without, in its words; one character a byte. */
	readonly warnings: string;
}
export interface GitFailure {
	readonly is: "failed";
	readonly code: number | undefined;
	readonly why: string;
}

const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;
const MAX_WHY_CHARS = 300;
const TOO_LONG = "it takes too long";

/** The options of each call. `excludes`: the file of the user's own ignore rules. */
export function safeOptions(excludes: string): string[] {
	const settings: Readonly<Record<string, string>> = {
		"core.fsmonitor": "false",
		"core.hooksPath": "/dev/null",
		"core.attributesFile": "/dev/null",
		"core.excludesFile": excludes,
		"core.autocrlf": "false",
		"core.safecrlf": "false",
		"core.fileMode": "true",
		"core.symlinks": "true",
		"core.ignoreCase": "false",
		"core.protectNTFS": "false",
		"core.protectHFS": "false",
		"core.untrackedCache": "false",
		"core.splitIndex": "false",
		"core.sparseCheckout": "false",
		"core.sharedRepository": "0600",
		"core.compression": "1",
		"core.fsync": "none",
		"core.fsyncObjectFiles": "false",
		"gc.auto": "0",
		"maintenance.auto": "false",
		"protocol.allow": "never",
	};
	return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** `home`: a directory without any configuration. */
export function safeEnvironment({ PATH, TMPDIR }: Environment, home: string): Record<string, string> {
	return {
		PATH: absolutePath(PATH),
		...(TMPDIR === undefined ? {} : { TMPDIR }),
		LC_ALL: "C",
		HOME: home,
		XDG_CONFIG_HOME: home,
		GIT_CONFIG_NOSYSTEM: "1",
		GIT_CONFIG_GLOBAL: "/dev/null",
		GIT_ATTR_NOSYSTEM: "1",
		GIT_NO_LAZY_FETCH: "1",
		GIT_NO_REPLACE_OBJECTS: "1",
		GIT_OPTIONAL_LOCKS: "0",
		GIT_TERMINAL_PROMPT: "0",
		GIT_ALLOW_PROTOCOL: "none",
	};
}

export interface GitCall {
	readonly args: readonly string[];
	readonly stdin?: Buffer;
	/** Beside the environment of `git`. */
	readonly environment?: Environment;
	/** Ends it. */
	readonly signal: AbortSignal;
}

/** A git that is talked to while it runs. In an object: a promise of what can be awaited itself would wait for its end. */
export async function startGit(git: Git, call: Omit<GitCall, "stdin">) {
	return start(git, call, { buffer: false });
}

/** Never rejects. */
export async function runGit(git: Git, { stdin, ...call }: GitCall): Promise<GitOutput> {
	const { signal } = call;
	if (signal.aborted) return failed(undefined, TOO_LONG);
	const { child } = await start(git, call, {
		...{ encoding: "buffer", maxBuffer: MAX_OUTPUT_BYTES, stripFinalNewline: false, input: stdin ?? "" },
	});
	// A bwrap that is killed before its sandbox is made leaves a process, which waits for it forever and holds the pipes.
	if (git.isSandboxed) child.once("exit", (_, killedBy) => killedBy !== null && killGroupOf(child.pid));
	const { exitCode, isMaxBuffer, originalMessage = "", stdout, stderr } = await child;
	if (signal.aborted) return failed(undefined, TOO_LONG);
	if (isMaxBuffer) return failed(exitCode, "it prints too much");
	if (exitCode === 0) return { is: "done", out: bytesOf(stdout), warnings: bytesOf(stderr).toString("latin1") };
	const complaint = bytesOf(stderr).toString("utf8");
	return failed(exitCode, complaint === "" ? originalMessage : withoutWarnings(complaint));
}

async function start<const O extends Options>(
	{ program, cwd, readsFile, isSandboxed = false, ...git }: Git,
	{ args, environment, signal }: Omit<GitCall, "stdin">,
	options: O,
) {
	const { execa } = await import("execa");
	setMaxListeners(0, signal); // each process that runs has one; Node would warn of many
	const file = readsFile === undefined ? undefined : openSync(readsFile, "r");
	try {
		const child = execa(program, args, {
			...{ cwd, env: { ...git.environment, ...environment }, extendEnv: false, reject: false },
			...{ cancelSignal: signal, killSignal: "SIGKILL", forceKillAfterDelay: false, detached: isSandboxed },
			stdio: ["pipe", "pipe", "pipe", ...(file === undefined ? [] : (["ignore", file] as const))],
			...options,
		});
		return { child };
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

function bytesOf(output: Uint8Array | undefined): Buffer {
	return output === undefined ? Buffer.alloc(0) : Buffer.from(output.buffer, output.byteOffset, output.byteLength);
}

/** Why it gave up: the warnings before that are of other things. */
function withoutWarnings(complaint: string): string {
	const lines = complaint.split("\n");
	const why = lines.filter((line) => line.trim() !== "" && !/^(warning|hint): /.test(line));
	return why.length === 0 ? complaint : why.join("; ");
}

function failed(code: number | undefined, why: string): GitFailure {
	return { is: "failed", code, why: why.trim().slice(0, MAX_WHY_CHARS) };
}

/**
 * Variables that tie git to one repository, one index and one quarantine, as git itself sets them for a hook, an alias or
 * `git rebase --exec`. With them, git in another directory still works on that repository.
 */
const TIES: ReadonlySet<string> = new Set([
	...["GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_NAMESPACE"],
	...["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH", "GIT_SHALLOW_FILE"],
	...["GIT_GRAFT_FILE", "GIT_REPLACE_REF_BASE", "GIT_INTERNAL_SUPER_PREFIX"],
]);
/** What comes with them, and without them is a person's own, or an alias's. */
const BESIDE: ReadonlySet<string> = new Set([
	...[
		"GIT_PREFIX",
		"GIT_CONFIG_PARAMETERS",
		"GIT_REFLOG_ACTION",
		"GIT_CONFIG",
		"GIT_AUTHOR_DATE",
		"GIT_COMMITTER_DATE",
	],
]);

/** The names of the ties that are set. */
export function gitTiesIn(env: Readonly<Record<string, string | undefined>>): string[] {
	return Object.keys(env)
		.filter((name) => TIES.has(name))
		.sort();
}

export function withoutGitTies<T>(env: Readonly<Record<string, T>>): Record<string, T> {
	return Object.fromEntries(Object.entries(env).filter(([name]) => !TIES.has(name) && !BESIDE.has(name)));
}
