/** Is what lies in a run's directory of the right kind? Opening a FIFO would wait for ever, and a directory takes no line. */
import { readdirSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../core/agent.ts";
import { AgentreeError } from "../../core/errors.ts";
import { agentDirectory, eventsPath, runFilePath, transcriptPath } from "../run-directory.ts";
import { agentsOnDisk } from "./lost-agents.ts";

/** A missing file or directory is valid. Throws AgentreeError("not_found") with the first path of another kind, and what it should be. */
export function requireValid(directory: string): void {
	const agents = agentsOnDisk(directory, ROOT);
	const locks = readdirSync(directory).filter((name) => name.startsWith(".lock."));
	const files = [runFilePath(directory), eventsPath(directory), ...locks.map((name) => join(directory, name))];
	for (const path of [...files, ...agents.map((id) => transcriptPath(directory, id))])
		requireKind(path, "a regular file", (found) => found.isFile());
	for (const path of [join(directory, "bin"), ...agents.map((id) => join(agentDirectory(directory, id), "out"))])
		requireKind(path, "a directory", (found) => found.isDirectory());
}

function requireKind(path: string, kind: string, isOfKind: (found: Stats) => boolean): void {
	const found = statOf(path);
	if (found === undefined || isOfKind(found)) return;
	throw new AgentreeError("not_found", `this run cannot go on: ${path} is not ${kind}; move it away`);
}

function statOf(path: string): Stats | undefined {
	try {
		return statSync(path);
	} catch {
		return undefined; // missing, or who reads it says more
	}
}
