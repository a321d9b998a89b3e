/**
 * What stands in a project but for the sandboxes of runs (sandbox/git/git-places.ts, record/placeholders.ts). It goes with the last run there, and
 * the last process that a run has left in a sandbox: a mount ends when what it stands on is removed, in all sandboxes.
 */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import type { Mount } from "../../core/machine/sandbox.ts";
import { ROOT } from "../../core/model/agent.ts";
import { mountedElsewhere, openFilesNamed } from "../../processes/proc-facts.ts";
import { isRecordedAlive } from "../../processes/table/open-table.ts";
import { statsOf } from "../../record/files/regular-file.ts";
import { makePlaceholders, removePlaceholder } from "../../record/placeholders.ts";
import { readableAgentFile, readableRunFile } from "../../record/read-run.ts";
import { eventsPath, runDirectory } from "../../record/run-directory.ts";
import { fillRepository, unfillRepository } from "../../sandbox/git/git-places.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";

const SUPERVISOR = "agent supervisor"; // what its process calls itself

/** Once other runs can see that this one is there: one that ended just now may have taken away what it had been given. */
export function remakePlaceholders(mounts: readonly Mount[]): void {
	for (const { path } of mounts) if (isCommonDirectory(path)) fillRepository(dirname(path));
	makePlaceholders(mounts.flatMap(({ path, isMade }) => (isMade ? [path] : [])));
}

/** Once the end of the run is recorded: of two that end at once, one at least sees that it is the last. */
export function removeMountPlaceholders({ sandbox, run, home }: RunSettings): void {
	removeUnlessNeeded(sandbox?.confinement.mounts ?? [], { but: [runDirectory(home, run)] });
}

/** What a run whose supervisor is dead has left. `directory`: the run's; `by`: the run that looks, which has no record yet. */
export function removeMountPlaceholdersOf(directory: string, by?: Pick<RunSettings, "sandbox" | "run" | "home">): void {
	const left = readableAgentFile(directory, ROOT)?.sandbox?.mounts ?? [];
	const own = by?.sandbox?.confinement.mounts.map(({ path }) => path) ?? [];
	const but = by === undefined ? [] : [runDirectory(by.home, by.run)];
	removeUnlessNeeded(
		left.filter(({ path }) => !own.includes(path)),
		{ but: [directory, ...but] },
	);
}

/** `but`: the directories of runs that do not count. */
function removeUnlessNeeded(mounts: readonly Mount[], { but }: { readonly but: readonly string[] }): void {
	const made = mounts.filter(({ path, isMade }) => isMade || isCommonDirectory(path));
	if (made.length === 0) return;
	const { runs, isAll } = livingRuns(but);
	const filled = isAll ? made : made.filter(({ path }) => !isShared(dirname(path)));
	const paths = filled.map(({ path }) => path);
	const needed = runs.flatMap((directory) => neededBy(directory, paths));
	const kept = new Set([...needed, ...mountedElsewhere(paths)]);
	for (const { path, isMade } of filled) {
		if (kept.has(path)) continue;
		if (isMade) removePlaceholder(path);
		else unfillRepository(dirname(path));
	}
}

const isCommonDirectory = (path: string) => basename(path) === "commondir";

/** The directories of runs whose supervisor has their log open, in whichever state directory. `isAll`: there are no runs of others. */
function livingRuns(but: readonly string[]): { runs: string[]; isAll: boolean } {
	const without = but.map((path) => (existsSync(path) ? realpathSync(path) : path));
	const { paths: logs, isAll } = openFilesNamed(basename(eventsPath("")), SUPERVISOR);
	return { runs: logs.map((path) => dirname(path)).filter((path) => !without.includes(path)), isAll };
}

/** Others can work there, too: then a run of theirs may need what stands there, and the next run removes it. */
function isShared(directory: string): boolean {
	const found = statsOf(directory);
	return found === undefined || found.uid !== process.getuid?.() || (found.mode & 0o022) !== 0;
}

/** What the sandboxes of a living run stand on: of one that begins, and has no record yet, all that is `filled` in its project. */
function neededBy(directory: string, filled: readonly string[]): string[] {
	const runFile = readableRunFile(directory);
	if (runFile === undefined || runFile.endedAt !== undefined || !isRecordedAlive(runFile.supervisor)) return [];
	const root = readableAgentFile(directory, ROOT);
	if (root === undefined) return filled.filter((path) => isAtOrBelow(runFile.cwd, path.replace(IN_PROJECT, "")));
	return (root.sandbox?.mounts ?? []).map(({ path }) => path);
}

const IN_PROJECT = /\/(\.git\/.*|[^/]*)$/;
