/**
 * Where agents in a sandbox write the output of their commands. In their sandbox the run's record is hidden; at the path of their own
 * directory lies another one, in a tree of the nearest agent above them that is in no sandbox itself: `output/1/`. So a path means the
 * same file inside and outside: what is written in a tree gets its second name in the record at once. The trees go with the end of the
 * run, and are made anew, with what the record has, for an agent that goes on.
 */
import { constants, copyFileSync, linkSync, lstatSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { type AgentId, parentOf, withAncestors } from "../../core/agent-id.ts";
import { commandLog } from "../../core/bash-call.ts";
import { ROOT } from "../../core/model/agent.ts";
import { inDirectoryOf, makeDirectoriesWithin } from "../../processes/open-within.ts";
import { namesIn } from "../../record/files/regular-file.ts";
import { emptyDirectoriesIn, removeTree } from "../../record/files/remove-tree.ts";
import { readableRunFile } from "../../record/read-run.ts";
import { agentDirectory, outputPath, runDirectory } from "../../record/run-directory.ts";
import type { SeenElsewhere } from "../../sandbox/bubblewrap-args.ts";
import { BUGS_FILE } from "../../terminal/bugs.ts";

const TREES = "output";

export class OutputTrees {
	/** The run's. */
	private readonly directory: string;
	/** Agents that are in no sandbox themselves: the root, and who was started by a command that has left it. */
	private readonly outer = new Set<AgentId>();

	constructor(directory: string) {
		this.directory = directory;
	}

	/** Makes the agent's place. `known`: all agents of the run so far, by id. */
	open(id: AgentId, isNested: boolean, known: Readonly<Record<AgentId, unknown>>): void {
		this.outer.delete(id);
		this.makePlace(this.placeOf(id), "out"); // also where the agents above an outer one see it
		if (isNested) return;
		this.outer.add(id);
		this.makePlace(this.placeOf(id), "out");
		for (const each of Object.keys(known)) if (each.startsWith(`${id}.`)) this.nameAgain(each, id);
	}

	/** The path, below the run's directory, of what the agent's commands have in place of its directory. */
	placeOf(id: AgentId): string {
		return this.placeIn(this.outer.has(id) ? id : this.outerAbove(id), id);
	}

	/** Gives the output of a command its second name, so that it can be read inside and outside. */
	commandStarted(id: AgentId, command: number): void {
		const log = commandLog(command);
		const inRecord = outputPath("", id, log);
		if (!this.outer.has(id)) this.link(join(this.placeOf(id), log), inRecord);
		else if (id !== ROOT) this.link(inRecord, join(this.placeIn(this.outerAbove(id), id), log));
	}

	/** Gives the stacks of bugs that agents have left a second name. */
	keepBugs(crashed: readonly AgentId[]): void {
		for (const id of crashed) this.link(join(this.placeOf(id), BUGS_FILE), join(agentDirectory("", id), BUGS_FILE));
	}

	/** As `close`, for the most part, and faster. */
	empty(): Promise<void> {
		return emptyDirectoriesIn(join(this.directory, TREES));
	}

	/** Once nothing of the run lives any more: the record has it all. `crashed`: agents that may have left the stack of a bug. */
	close(crashed: readonly AgentId[]): void {
		this.keepBugs(crashed);
		removeTree(join(this.directory, TREES), ".agentree-removed-"); // what cannot be removed goes with the run
	}

	private outerAbove(id: AgentId): AgentId {
		for (let above = parentOf(id); above !== undefined; above = parentOf(above))
			if (this.outer.has(above)) return above;
		return ROOT;
	}

	private placeIn(outer: AgentId, id: AgentId): string {
		return join(TREES, outer, ...id.slice(outer.length + 1).split("."));
	}

	private makePlace(...place: string[]): void {
		makeDirectoriesWithin(this.directory, join(...place));
	}

	/** What an agent below an outer one has printed before that went on. */
	private nameAgain(id: AgentId, outer: AgentId): void {
		const place = this.placeIn(outer, id);
		this.makePlace(place, "out");
		const names = namesIn(join(agentDirectory(this.directory, id), "out"));
		for (const name of names) this.link(outputPath("", id, `out/${name}`), join(place, "out", name));
	}

	/** Paths below the run's directory. No link is followed to either. */
	private link(from: string, to: string): void {
		const { directory } = this;
		try {
			inDirectoryOf(directory, from, (old) => inDirectoryOf(directory, to, (name) => linkSync(old, name)));
			if (!lstatSync(join(directory, to)).isFile()) rmSync(join(directory, to)); // a command of the agent above has put something else there
		} catch {
			// ENOENT: nothing could be written; EEXIST: an agent that tells twice. Without a second name nobody reads it there.
		}
	}
}

/** `to`: a directory below the run's in which commands may have put anything. A link would let them write elsewhere: none is followed. */
export function copyInto(directory: string, { from, to }: { from: string; to: string }): void {
	if (!statSync(from, { throwIfNoEntry: false })?.size) return;
	inDirectoryOf(directory, join(to, basename(from)), (place) => {
		rmSync(place, { force: true });
		copyFileSync(from, place, constants.COPYFILE_EXCL); // the kernel copies: it may be larger than memory
	});
}

/**
 * What commands have printed that an agent in a sandbox reads besides its own: that of the agents above it, which may have told it where
 * it is, and, in a copy of a run, what the copy has of its agents at the paths that they had in the first run, whose results name them.
 */

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
