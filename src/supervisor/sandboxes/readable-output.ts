/**
 * What commands have printed that an agent in a sandbox reads besides its own: that of the agents above it, which may have told it where
 * it is, and, in a copy of a run, what the copy has of its agents at the paths that they had in the first run, whose results name them.
 */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type AgentId, withAncestors } from "../../core/agent-id.ts";
import { readableRunFile } from "../../record/read-run.ts";
import { agentDirectory, runDirectory } from "../../record/run-directory.ts";
import type { SeenElsewhere } from "../../sandbox/bubblewrap-args.ts";

const MOST_FORMER = 16;

interface OutputPlaces {
	/** The directories of the run and of those whose copy it is, without links. */
	readonly record: string;
	readonly former: readonly string[];
	/** What commands have in place of the agent's directory. */
	readonly tree: string;
}

export function readableOutput(agent: AgentId, { record, former, tree }: OutputPlaces): SeenElsewhere[] {
	const [, ...above] = withAncestors(agent);
	const out = (directory: string, id: AgentId) => join(agentDirectory(directory, id), "out");
	const inPlaceOf = (first: string) => [
		{ path: agentDirectory(first, agent), from: tree },
		...[agent, ...above].map((id) => ({ path: out(first, id), from: out(record, id) })),
	];
	return [...above.map((id) => ({ path: out(record, id), from: out(record, id) })), ...former.flatMap(inPlaceOf)];
}

/** Of the runs whose copy that in `directory` is, nearest first. They may be gone. */
export function formerRuns(directory: string, home: string): string[] {
	const found: string[] = [];
	let from = readableRunFile(directory)?.forkedFrom;
	while (from !== undefined && found.length < MOST_FORMER) {
		found.push(runDirectory(realpathSync(home), from));
		from = readableRunFile(runDirectory(home, from))?.forkedFrom;
	}
	return found;
}
