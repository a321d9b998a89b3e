/** What of a repository git runs later, and has changed: hooks, configuration, unfinished operations with commands; also of its work trees and submodules. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { entriesIn } from "../store/entries-in.ts";
import { linkStatsOf } from "../store/link-stats-of.ts";
import { statsOf } from "../store/stats-of.ts";
import { hasCommands, namesStrategy, type RunsLater } from "./runs-later.ts";

const MOST_PARTS = 5_000;
const MOST_BYTES = 1024 * 1024;

export interface Seen {
	/** Paths are told from there. */
	readonly name: string;
	readonly since: number;
	/** Its configuration is protected, or the person's own to change. */
	readonly isOwn: boolean;
	/** Whether a sandbox would keep what git runs of a repository, and does not: it was not there. */
	readonly isUnkept: (directory: string) => boolean;
}

export function laterInRepository(directory: string, seen: Seen): RunsLater[] {
	const { name, isOwn } = seen;
	const changed = [
		...changedHooks(directory, seen),
		...(isOwn ? ofTwoNames(directory) : CONFIGURATION).filter((path) => isTurned(directory, path, seen)),
		...unfinished(directory, seen),
	];
	return [
		...changed.map((path): RunsLater => ({ when: "git", path: `${name}/${path}` })),
		...laterInParts(directory, seen),
	];
}

function changedHooks(directory: string, { since }: Seen): string[] {
	const names = entriesIn(join(directory, "hooks")).map((hook) => `hooks/${hook.name}`);
	return names.filter((path) => !path.endsWith(".sample") && changedAt(join(directory, path)) >= since);
}

const CONFIGURATION = ["config", "config.worktree", "commondir", "objects/info/alternates"];

/** No mount keeps what can be written to by another name. */
function ofTwoNames(directory: string): string[] {
	return CONFIGURATION.filter((path) => (linkStatsOf(join(directory, path))?.nlink ?? 1) > 1);
}

/** Changed, and not to what changes nothing for git, as it stands there for a sandbox (sandbox/git-places.ts). */
function isTurned(directory: string, path: string, { since }: Seen): boolean {
	const file = join(directory, path);
	if (changedAt(file) < since) return false;
	const text = laterText(file);
	if (path !== "commondir") return text !== "";
	const shared = resolve(directory, text?.trimEnd() ?? "");
	return shared !== directory && shared !== resolve(directory, "../..");
}

const TODO = "rebase-merge/git-rebase-todo";
/** Git takes a strategy for the name of a program (git-merge(1)). */
const STRATEGIES = ["rebase-merge/strategy", "sequencer/opts"];

function unfinished(directory: string, { since }: Seen): string[] {
	const isChanged = (path: string) => changedAt(join(directory, path)) >= since;
	const runs = (path: string) => {
		const text = laterText(join(directory, path));
		return text === undefined || (path === TODO ? hasCommands(text) : namesStrategy(text));
	};
	return [TODO, ...STRATEGIES].filter((path) => isChanged(path) && runs(path));
}

/** Git takes a directory among the submodules' for that of a submodule to come of this name. */
function laterInParts(directory: string, seen: Seen): RunsLater[] {
	const below = (at: string) =>
		entriesIn(join(directory, at)).map((entry) => ({ path: `${at}/${entry.name}`, isReal: entry.isDirectory() }));
	const ofPart = (path: string) =>
		laterInRepository(join(directory, path), { ...seen, name: `${seen.name}/${path}`, isOwn: false });
	const linked = below("worktrees").flatMap(({ path, isReal }) => (isReal ? ofPart(path) : []));
	const open = below("modules");
	const modules: RunsLater[] = [];
	for (let at = 0; at < open.length && at < MOST_PARTS; at++) {
		const { path, isReal } = open[at] as (typeof open)[number];
		const what = whatIsNew(join(directory, path), seen);
		if (what !== undefined) modules.push({ when: "git", path: `${seen.name}/${path}`, what });
		else if (isReal && hasHead(join(directory, path))) modules.push(...ofPart(path));
		else if (isReal) open.push(...below(path));
	}
	return [...linked, ...modules];
}

/** What is told of a repository, or what may be a link to one, that was not there. */
export function whatIsNew(path: string, { since, isUnkept }: Pick<Seen, "since" | "isUnkept">): string | undefined {
	const stats = linkStatsOf(path);
	if (stats === undefined) return undefined;
	if (!stats.isDirectory()) return stats.ctimeMs >= since ? "leads to a repository" : undefined;
	if (!hasHead(path)) return undefined;
	const isOld = PARTS.every((part) => (linkStatsOf(join(path, part))?.birthtimeMs ?? 0) < since);
	return isOld && !(stats.ctimeMs >= since && isUnkept(path)) ? undefined : "a new repository";
}

/** One that was moved is as old as before. */
const PARTS = ["", "objects", "refs"];

/** A branch without a commit may have a link there that leads nowhere. */
function hasHead(directory: string): boolean {
	return linkStatsOf(join(directory, "HEAD")) !== undefined;
}

/** Of a link also that to which it leads. 0: nothing is there. */
export function changedAt(path: string): number {
	const own = linkStatsOf(path);
	if (!own?.isSymbolicLink()) return own?.ctimeMs ?? 0;
	return Math.max(own.ctimeMs, statsOf(path)?.ctimeMs ?? 0);
}

/** Empty for what is no file, undefined for a large one. */
export function laterText(path: string): string | undefined {
	const stats = statsOf(path);
	if (!stats?.isFile()) return "";
	if (stats.size > MOST_BYTES) return undefined;
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}
