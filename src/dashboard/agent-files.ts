/** The files of the selected agent: its transcript as it grows, and the output of its commands, as far as somebody reads it. */
import type { AgentId } from "../core/agent.ts";
import { commandLog } from "../core/command.ts";
import { AgentreeError } from "../core/errors.ts";
import type { TranscriptEntry } from "../core/transcript.ts";
import { linesBefore, tailStart } from "../store/file-tail.ts";
import { followLines } from "../store/follow.ts";
import { type LogAsk, readLogPages } from "../store/log-page.ts";
import { parseEntry } from "../store/read-events.ts";
import { transcriptPath } from "../store/run-directory.ts";
import type { NeededReads } from "./needed-reads.ts";
import type { AgentHistory } from "./scene/agent-history.ts";
import { type CommandOutput, grownPages } from "./scene/command-output.ts";

const HISTORY_BYTES = 8 * 1024 * 1024; // of the transcript at once; what is before them is read when somebody goes there

export interface AgentFilesListener {
	/** New lines of the transcript. */
	onEntries(entries: TranscriptEntry[]): void;
	/** Lines from before those, and how many bytes are still before them. */
	onEarlier(entries: TranscriptEntry[], unreadBytes: number): void;
	onOutput(command: number, read: CommandOutput): void;
	onError(error: unknown): void;
}

export class AgentFiles {
	private readonly directory: string;
	private readonly agent: AgentId;
	private readonly listener: AgentFilesListener;
	private readonly stopping = new AbortController();

	constructor(runDirectory: string, agent: AgentId, listener: AgentFilesListener) {
		this.directory = runDirectory;
		this.agent = agent;
		this.listener = listener;
		const path = transcriptPath(runDirectory, agent);
		const from = tailStart(path, HISTORY_BYTES);
		if (from > 0) listener.onEarlier([], from);
		const onLines = (lines: string[]) => {
			if (!this.stopping.signal.aborted) listener.onEntries(entriesOf(lines));
		};
		followLines(path, onLines, { signal: this.stopping.signal, from }).catch(listener.onError);
	}

	/** Reads what was added to the outputs in memory, and to those of `commands`, which have no result so far. */
	readGrowth({ outputs }: AgentHistory, commands: readonly number[]): void {
		for (const command of new Set([...commands, ...outputs.keys()])) {
			const known = outputs.get(command);
			const pages = (last: number) => (known === undefined ? [last] : grownPages(known, last));
			this.readOutput(command, { pages, knownBytes: known?.bytes });
		}
	}

	/** True when pages were read, which may show that more are needed. */
	readNeeded({ pages, earlierThan }: NeededReads): boolean {
		if (earlierThan > 0) this.readEarlier(earlierThan);
		return pages.filter(({ command, page }) => this.readOutput(command, { pages: () => [page] })).length > 0;
	}

	stop(): void {
		this.stopping.abort();
	}

	private readEarlier(end: number): void {
		const read = orUndefined(() => linesBefore(transcriptPath(this.directory, this.agent), end, HISTORY_BYTES));
		if (read !== undefined) this.listener.onEarlier(entriesOf(read.lines), read.from);
	}

	private readOutput(command: number, ask: LogAsk): boolean {
		const of = { agent: this.agent, log: commandLog(command) };
		const read = orUndefined(() => readLogPages(this.directory, of, ask));
		if (read === undefined || read.pages.length === 0) return false;
		this.listener.onOutput(command, read);
		return true;
	}
}

/** What cannot be read `agent show` tells. */
function entriesOf(lines: readonly string[]): TranscriptEntry[] {
	return lines.flatMap((line) => parseEntry(line) ?? []);
}

function orUndefined<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch (error) {
		if (error instanceof AgentreeError) return undefined;
		throw error;
	}
}
