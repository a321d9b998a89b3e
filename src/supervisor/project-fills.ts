/**
 * What stands in a project but for the sandboxes of runs (sandbox/git-places.ts, sandbox/placeholders.ts). It goes with the last run there: a
 * mount ends when what it stands on is removed, in all sandboxes.
 */
import { readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import { ROOT } from "../core/agent.ts";
import type { Mount } from "../core/sandbox.ts";
import { isRecordedAlive } from "../processes/open-table.ts";
import { fillRepository, unfillRepository } from "../sandbox/git-places.ts";
import { makePlaceholders, removePlaceholder } from "../sandbox/placeholders.ts";
import { readableAgentFile, readableRunFile } from "../store/read-run.ts";
import { runDirectory } from "../store/run-directory.ts";
import type { RunSettings } from "./run-settings.ts";

/** Once other runs can see that this one is there: one that ended just now may have taken away what it had been given. */
export function fillAgain(mounts: readonly Mount[]): void {
	for (const { path } of mounts) if (isCommonDirectory(path)) fillRepository(dirname(path));
	makePlaceholders(mounts.flatMap(({ path, isMade }) => (isMade ? [path] : [])));
}

export function removeFills({ sandbox, run, home, socket }: RunSettings): void {
	const filled = (sandbox?.confinement.mounts ?? []).filter(({ path, isMade }) => isMade || isCommonDirectory(path));
	if (filled.length === 0) return;
	const kept = new Set(otherRuns(run, socket).flatMap((other) => keptBy(runDirectory(home, other))));
	for (const { path, isMade } of filled) {
		if (kept.has(path)) continue;
		if (isMade) removePlaceholder(path);
		else unfillRepository(dirname(path));
	}
}

const isCommonDirectory = (path: string) => basename(path) === "commondir";

/** Those with a socket beside that of the run. */
function otherRuns(run: string, socket: string): string[] {
	try {
		const names = readdirSync(dirname(socket)).filter((name) => name.endsWith(".sock"));
		return names.map((name) => basename(name, ".sock")).filter((name) => name !== run);
	} catch {
		return [];
	}
}

function keptBy(directory: string): string[] {
	const runFile = readableRunFile(directory);
	if (runFile === undefined || !isRecordedAlive(runFile.supervisor)) return [];
	return (readableAgentFile(directory, ROOT)?.sandbox?.mounts ?? []).map(({ path }) => path);
}
