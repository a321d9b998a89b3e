/** The run's record: on disk first, then told to who watches. What cannot be written breaks the run, once. */
import type { AgentId } from "../core/agent.ts";
import type { RunEvent } from "../core/run-event.ts";
import type { RunState } from "../core/run-state.ts";
import type { AgentFile, RunFile, TranscriptEntry } from "../core/transcript.ts";
import type { RunWriter } from "../store/run-writer.ts";
import type { Feed } from "./feed.ts";

export interface RecordListener {
	onEvent?: (event: RunEvent, run: RunState) => void;
	onRecord?: (agent: AgentId, entry: TranscriptEntry) => void;
	onBroken: (error: Error) => void;
}

export class RunRecord {
	private readonly writer: RunWriter;
	private readonly feed: Feed;
	private readonly listener: RecordListener;
	/** Something could not be written: from then on nothing is. */
	isBroken = false;

	constructor(writer: RunWriter, feed: Feed, listener: RecordListener) {
		this.writer = writer;
		this.feed = feed;
		this.listener = listener;
	}

	event(event: RunEvent, run: RunState): void {
		this.write(() => this.writer.append(event));
		this.feed.event(event);
		this.listener.onEvent?.(event, run);
	}

	message(agent: AgentId, entry: TranscriptEntry): void {
		this.write(() => this.writer.record(agent, entry));
		this.feed.recorded(agent);
		this.listener.onRecord?.(agent, entry);
	}

	/** Makes the agent's directory and gives its path. */
	addAgent(file: AgentFile): string {
		let directory = "";
		this.write(() => {
			directory = this.writer.addAgent(file);
		});
		return directory;
	}

	agentFile(file: AgentFile): void {
		this.write(() => this.writer.writeAgent(file));
	}

	runFile(file: RunFile): void {
		this.write(() => this.writer.writeRun(file));
	}

	close(): void {
		this.writer.close();
		this.feed.close();
	}

	private write(write: () => void): void {
		if (this.isBroken) return;
		try {
			write();
		} catch (error) {
			this.isBroken = true;
			queueMicrotask(() => this.listener.onBroken(error as Error));
		}
	}
}
