/**
 * Copies of what the record has of an agent, for commands of its own and of the agents above it: from their sandboxes the record is hidden,
 * and what they can see they can change. A copy lies among what the commands of who asks have printed, and goes with that.
 */
import { constants, copyFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { AgentId } from "../core/agent.ts";
import { inDirectoryOf, makeDirectoriesWithin } from "../processes/open-within.ts";
import type { Watcher } from "../protocol/watcher-messages.ts";
import { agentDirectory, agentFilePath, eventsPath, runFilePath, transcriptPath } from "../store/run-directory.ts";
import type { RecordRequest } from "./clients/client-listener.ts";
import type { Confined } from "./confinements.ts";

export interface RecordCopiesDeps {
	/** The run's. */
	readonly directory: string;
	readonly sandboxes: { placeOf(id: AgentId): string };
	readonly registry: { get(id: AgentId): Confined | undefined };
}

export class RecordCopies {
	private readonly deps: RecordCopiesDeps;
	private made = 0;

	constructor(deps: RecordCopiesDeps) {
		this.deps = deps;
	}

	/** Of all that a copy would have. */
	bytesOf({ agent }: RecordRequest): number {
		return this.filesOf(agent).reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
	}

	give(watcher: Pick<Watcher, "send">, { agent, by }: RecordRequest): void {
		const { directory, sandboxes, registry } = this.deps;
		const refuse = (reason: string) => watcher.send({ say: "refused", reason });
		if (registry.get(by)?.file.sandbox === undefined) return refuse("the files of the run are there to be read");
		const name = `.record-${++this.made}`;
		const to = join(sandboxes.placeOf(by), name);
		try {
			for (const file of this.filesOf(agent)) this.copy(file, to);
		} catch (error) {
			return refuse(`what the record has cannot be copied: ${(error as Error).message}`);
		}
		watcher.send({ say: "record_copied", directory: join(agentDirectory(realpathSync(directory), by), name) });
	}

	private filesOf(agent: AgentId): string[] {
		const { directory } = this.deps;
		const ofRun = [runFilePath, eventsPath].map((path) => path(directory));
		return [...ofRun, ...[agentFilePath, transcriptPath].map((path) => path(directory, agent))];
	}

	/** `to`: in place of the run's directory. */
	private copy(from: string, to: string): void {
		const { directory } = this.deps;
		const place = join(to, relative(directory, from), "..");
		makeDirectoriesWithin(directory, place);
		copyInto(directory, { from, to: place });
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
