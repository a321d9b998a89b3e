/**
 * Copies of what the record has of an agent, for commands of its own and of the agents above it: from their sandboxes the record is hidden,
 * and what they can see they can change. A copy lies among what the commands of who asks have printed, and goes with that. It tells who asks
 * of its own branch alone.
 */
import { closeSync, createReadStream, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import { recordedWithin } from "../../core/run/branch-view.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { createWithin, makeDirectoriesWithin } from "../../processes/open-within.ts";
import { writeAll } from "../../record/files/private-files.ts";
import { agentDirectory, agentFilePath, eventsPath, runFilePath, transcriptPath } from "../../record/run-directory.ts";
import { LineSplitter } from "../../text/line-splitter.ts";
import type { Watcher } from "../../wire/watcher-messages.ts";
import type { RunCore } from "../run/run-core.ts";
import { copyInto } from "./output-trees.ts";
import type { Sandboxes } from "./sandboxes.ts";

export class RecordCopies {
	private readonly core: RunCore;
	private readonly sandboxes: Sandboxes;
	private made = 0;
	/** One after the other: each takes time. */
	private last: Promise<void> = Promise.resolve();

	constructor(core: RunCore, sandboxes: Sandboxes) {
		this.core = core;
		this.sandboxes = sandboxes;
	}

	/** Of all that a copy would have. */
	bytesOf(agent: AgentId): number {
		const { directory } = this.core;
		const files = [runFilePath(directory), eventsPath(directory), ...this.filesOf(agent)];
		return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
	}

	/** `by`: in whose command the client is, which sees the copy. */
	give(watcher: Pick<Watcher, "send">, agent: AgentId, by: AgentId): Promise<void> {
		this.last = this.last.then(() => this.copyFor(watcher, agent, by));
		return this.last;
	}

	private async copyFor(watcher: Pick<Watcher, "send">, agent: AgentId, by: AgentId): Promise<void> {
		const { directory, registry } = this.core;
		const refuse = (reason: string) => watcher.send({ say: "refused", reason });
		if (registry.get(by)?.file.sandbox === undefined) return refuse("the files of the run can be read directly");
		const name = `.record-${++this.made}`;
		const to = join(this.sandboxes.placeOf(by), name);
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
		return [agentFilePath, transcriptPath].map((file) => file(this.core.directory, agent));
	}

	/** `to`: in place of the run's directory. */
	private copy(from: string, to: string): void {
		const { directory } = this.core;
		const place = join(to, relative(directory, from), "..");
		makeDirectoriesWithin(directory, place);
		copyInto(directory, { from, to: place });
	}

	/** What is of the whole run, as the branch sees it. The event log is read in pieces: meanwhile the others have their turn. */
	private async copyWithin(branch: AgentId, to: string): Promise<void> {
		const { directory } = this.core;
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
