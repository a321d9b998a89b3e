/**
 * Copies of what the record has of an agent, for commands of its own and of the agents above it: from their sandboxes the record is hidden,
 * and what they can see they can change. A copy lies among what the commands of who asks have printed, and goes with that. It tells who asks
 * of its own branch alone.
 */
import {
	closeSync,
	constants,
	copyFileSync,
	createReadStream,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
} from "node:fs";
import { basename, join, relative } from "node:path";
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import { recordedWithin } from "../../core/run/branch-view.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { createWithin, inDirectoryOf, makeDirectoriesWithin } from "../../processes/open-within.ts";
import { writeAll } from "../../record/files/private-files.ts";
import { agentDirectory, agentFilePath, eventsPath, runFilePath, transcriptPath } from "../../record/run-directory.ts";
import { LineSplitter } from "../../text/width/lines.ts";
import type { Watcher } from "../../wire/watcher-messages.ts";
import type { Confined } from "../surroundings/confinements.ts";

interface RecordCopiesDeps {
	/** The run's. */
	readonly directory: string;
	readonly sandboxes: { placeOf(id: AgentId): string };
	readonly registry: { get(id: AgentId): Confined | undefined };
}

export class RecordCopies {
	private readonly deps: RecordCopiesDeps;
	private made = 0;
	/** One after the other: each takes time. */
	private last: Promise<void> = Promise.resolve();

	constructor(deps: RecordCopiesDeps) {
		this.deps = deps;
	}

	/** Of all that a copy would have. */
	bytesOf(agent: AgentId): number {
		const { directory } = this.deps;
		const files = [runFilePath(directory), eventsPath(directory), ...this.filesOf(agent)];
		return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
	}

	/** `by`: in whose command the client is, which sees the copy. */
	give(watcher: Pick<Watcher, "send">, agent: AgentId, by: AgentId): Promise<void> {
		this.last = this.last.then(() => this.copyFor(watcher, agent, by));
		return this.last;
	}

	private async copyFor(watcher: Pick<Watcher, "send">, agent: AgentId, by: AgentId): Promise<void> {
		const { directory, sandboxes, registry } = this.deps;
		const refuse = (reason: string) => watcher.send({ say: "refused", reason });
		if (registry.get(by)?.file.sandbox === undefined) return refuse("the files of the run can be read directly");
		const name = `.record-${++this.made}`;
		const to = join(sandboxes.placeOf(by), name);
		try {
			for (const file of this.filesOf(agent)) this.copy(file, to);
			if (by === ROOT) for (const file of [runFilePath, eventsPath]) this.copy(file(directory), to);
			else await this.copyWithin(by, to);
		} catch (error) {
			return refuse(`the record cannot be copied: ${(error as Error).message}`);
		}
		watcher.send({ say: "record_copied", directory: join(agentDirectory(realpathSync(directory), by), name) });
	}

	private filesOf(agent: AgentId): string[] {
		return [agentFilePath, transcriptPath].map((file) => file(this.deps.directory, agent));
	}

	/** `to`: in place of the run's directory. */
	private copy(from: string, to: string): void {
		const { directory } = this.deps;
		const place = join(to, relative(directory, from), "..");
		makeDirectoriesWithin(directory, place);
		copyInto(directory, { from, to: place });
	}

	/** What is of the whole run, as the branch sees it. The event log is read in pieces: meanwhile the others have their turn. */
	private async copyWithin(branch: AgentId, to: string): Promise<void> {
		const { directory } = this.deps;
		const { name: _, ...file } = JSON.parse(readFileSync(runFilePath(directory), "utf8"));
		const known = createWithin(directory, join(to, basename(runFilePath(directory))));
		const events = createWithin(directory, join(to, basename(eventsPath(directory))));
		try {
			writeAll(known, Buffer.from(JSON.stringify({ ...file, task: "" })));
			const lines = new LineSplitter();
			for await (const chunk of createReadStream(eventsPath(directory))) {
				const seen = [...lines.push(chunk)].flatMap((line) => seenLine(line, branch) ?? []);
				writeAll(events, Buffer.from(seen.join("")));
			}
		} finally {
			closeSync(known);
			closeSync(events);
		}
	}
}

/** Names are spelled in a file as in an event where the branch depends on them. Undefined also for a line that is damaged. */
function seenLine(line: string, branch: AgentId): string | undefined {
	try {
		const event: RunEvent = JSON.parse(line);
		const seen = recordedWithin(event, branch);
		return seen === undefined ? undefined : `${seen === event ? line : JSON.stringify(seen)}\n`;
	} catch {
		return undefined;
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
