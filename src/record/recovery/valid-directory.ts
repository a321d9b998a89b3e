/**
 * Is what lies in a run's directory of the right kind? Opening a FIFO would wait for ever, a directory takes no line, and a
 * link leads to files that are not the run's.
 */
import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { ROOT } from "../../core/model/agent.ts";
import { agentDirectory, agentFilePath, eventsPath, runFilePath, transcriptPath } from "../run-directory.ts";
import { agentsOnDisk, isAgentName } from "./lost-agents.ts";

/** A missing file or directory is valid. Throws AgentreeError("not_found") with the first path of another kind, and what it should be. */
export function requireValid(directory: string): void {
	const agents = agentsOnDisk(directory, ROOT);
	const locks = readdirSync(directory).filter((name) => name.startsWith(".lock."));
	const files = [runFilePath(directory), eventsPath(directory), ...locks.map((name) => join(directory, name))];
	const ofAgents = agents.flatMap((id) => [transcriptPath(directory, id), agentFilePath(directory, id)]);
	for (const path of [...files, ...ofAgents]) requireKind(path, "a regular file", (found) => found.isFile());
	const directories = [directory, ...agents.map((id) => agentDirectory(directory, id))].flatMap(agentsIn);
	const outputs = agents.map((id) => join(agentDirectory(directory, id), "out"));
	for (const path of [join(directory, "bin"), ...directories, ...outputs])
		requireKind(path, "a directory", (found) => found.isDirectory());
}

/** What has the name of an agent's directory: links are among them, which `agentsOnDisk` leaves out. */
function agentsIn(directory: string): string[] {
	return readdirSync(directory)
		.filter(isAgentName)
		.map((name) => join(directory, name));
}

function requireKind(path: string, kind: string, isOfKind: (found: Stats) => boolean): void {
	const found = statOf(path);
	if (found === undefined || isOfKind(found)) return;
	throw new AgentreeError("not_found", `this run cannot go on: ${path} is not ${kind}; move it away`);
}

function statOf(path: string): Stats | undefined {
	try {
		return lstatSync(path);
	} catch {
		return undefined; // missing, or who reads it says more
	}
}
