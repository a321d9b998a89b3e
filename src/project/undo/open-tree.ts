/** What is needed to keep a tree: its git, its store, and what of the user's configuration says which files are ignored. */
import { isAbsolute, join, relative } from "node:path";
import { findProgram } from "../../processes/child-process.ts";
import { statsOf } from "../../record/files/regular-file.ts";
import { personOf, projectOf } from "../project-of.ts";
import type { Repository } from "../repository-around.ts";
import { type Git, type GitCall, type GitOutput, runGit, safeEnvironment, safeOptions, startGit } from "../run-git.ts";
import { excludesOf, prepareStore, storeIn, type TreeStore, writeExcludes } from "./tree-store.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface TreeOptions {
	/** The working directory of the run. */
	readonly cwd: string;
	/** Of the states; it is made. */
	readonly directory: string;
	/** Directories of agentree, which are no part of a tree. */
	readonly own: readonly string[];
	readonly env: Environment;
	/** Ends what is under way. */
	readonly signal: AbortSignal;
}

export interface OpenTree {
	readonly top: string;
	readonly repository: Repository | undefined;
	readonly store: TreeStore;
	/** Git 2.38 and later writes many small files as one pack, when it is told that they are large. */
	readonly hasBulkWrites: boolean;
	/** Runs git for this tree; `index`: absent for calls that need none. */
	readonly run: (call: Omit<GitCall, "environment">, index?: string) => Promise<GitOutput>;
	/** Starts it, for a talk with it. */
	readonly start: (call: Omit<GitCall, "environment" | "stdin">) => ReturnType<typeof startGit>;
}

type TreeOpened = { readonly is: "open"; readonly tree: OpenTree } | NoTree;
export interface NoTree {
	readonly is: "none";
	readonly reason: string;
}

/** Throws AgentreeError("not_writable") when the store cannot be made. */
export async function openTree(options: TreeOptions): Promise<TreeOpened> {
	const { cwd, directory, env, signal } = options;
	const program = findProgram("git", env.PATH);
	if (program === undefined) return none("git is not installed");
	const found = projectOf(cwd, personOf(env));
	if (found === undefined) return none(`${cwd} is gone`);
	if (found.top === "/" || found.homes.length > 0)
		return none(`${found.top} is more than a project (it contains the home directory)`);
	const store = storeIn(directory);
	prepareStore(store);
	const git: Git = { program, environment: safeEnvironment(env, store.directory), cwd: store.directory };
	const version = await runGit(git, { args: ["--version"], signal });
	if (version.is === "failed") return none(`git does not run: ${version.why}`);
	const hasBulkWrites = isAtLeast(version.out.toString("latin1"), [2, 38]);
	const around = await openAt(found, { ...options, git, store, hasBulkWrites });
	const { start, top } = found;
	if (start === top || !(await isIgnored(around, relative(top, start), signal))) return { is: "open", tree: around };
	return { is: "open", tree: await openAt({ top: start }, { ...options, git, store, hasBulkWrites }) };
}

interface Opening extends TreeOptions {
	readonly git: Git;
	readonly store: TreeStore;
	readonly hasBulkWrites: boolean;
}

async function openAt(
	{ top, repository }: { readonly top: string; readonly repository?: Repository },
	{ git, store, hasBulkWrites, env, signal, own, directory }: Opening,
): Promise<OpenTree> {
	writeExcludes(store, excludesOf(top, repository, [...own, directory]));
	const always = safeOptions(await userExcludes(git, { env, signal, repository, store }));
	const complete = <C extends { readonly args: readonly string[] }>(call: C, index?: string) => ({
		...call,
		args: [...always, "-C", top, ...call.args],
		environment: placesOf(store, top, index),
	});
	const run: OpenTree["run"] = (call, index) => runGit(git, complete(call, index));
	const start: OpenTree["start"] = (call) => startGit(git, complete(call));
	return { top, repository, store, hasBulkWrites, run, start };
}

/** Whether the repository ignores the directory: then it is no part of its tree. */
async function isIgnored(tree: OpenTree, path: string, signal: AbortSignal): Promise<boolean> {
	return (await tree.run({ args: ["check-ignore", "-q", "--", path], signal })).is === "done";
}

function placesOf(store: TreeStore, top: string, index: string | undefined): Environment {
	return { GIT_DIR: store.git, GIT_WORK_TREE: top, GIT_INDEX_FILE: index ?? join(store.directory, "no-index") };
}

interface UserOf {
	readonly env: Environment;
	readonly signal: AbortSignal;
	readonly repository: Repository | undefined;
	readonly store: TreeStore;
}

/** The user's own file of ignore rules; of none that git would wait for, or not begin with. */
async function userExcludes(git: Git, user: UserOf): Promise<string> {
	const file = await namedExcludes(git, user);
	return file === undefined || isSpecial(file) ? "/dev/null" : file;
}

const MOST_CONFIG_MS = 5_000;

/**
 * The one that the user's configuration names, else the usual one. Reading a configuration runs nothing, but may wait forever: a
 * FIFO in its place, or that it includes.
 */
async function namedExcludes(git: Git, { env, signal, repository, store }: UserOf): Promise<string | undefined> {
	const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM } = env;
	const users = { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM };
	const environment = { ...users, GIT_DIR: repository?.directory ?? store.git };
	const asked = await runGit(git, {
		args: ["config", "--type=path", "--get", "core.excludesFile"],
		...{ environment, signal: AbortSignal.any([signal, AbortSignal.timeout(MOST_CONFIG_MS)]) },
	});
	const named = asked.is === "done" ? asked.out.toString("utf8").trimEnd() : "";
	if (isAbsolute(named)) return named;
	const configuration = XDG_CONFIG_HOME || (HOME === undefined ? undefined : join(HOME, ".config"));
	return configuration === undefined ? undefined : join(configuration, "git", "ignore");
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
	const [, first = 0, second = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
	return first > major || (first === major && second >= minor);
}

function none(reason: string): NoTree {
	return { is: "none", reason };
}

/** Whether something stands there that git cannot read as a file, or waits for: a directory, a FIFO, a device. Links are followed. */
export function isSpecial(path: string): boolean {
	return statsOf(path)?.isFile() === false; // what nobody can look at git cannot read either, and goes on
}
