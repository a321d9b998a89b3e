/**
 * The run's record: on disk first, then told to who watches. What cannot be written breaks the run, once; from then on
 * only the endings are written, and the stops that led to them; on a full disk with the room that was kept for them, the
 * run's own before the agents'.
 */
import type { AgentId } from "../../core/agent.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { ModelDelta } from "../../core/model.ts";
import type { RunEvent } from "../../core/run-event.ts";
import type { RunState } from "../../core/run-state.ts";
import type { AgentFile, RunFile, TranscriptEntry } from "../../core/transcript.ts";
import type { RunWriter } from "../../store/run-writer.ts";
import type { Feed } from "./feed.ts";

const KEPT_FOR_RUN_BYTES = 24 * 1024; // run.json has the whole task

export interface RecordListener {
	onEvent?: (event: RunEvent, run: RunState) => void;
	onRecord?: (agent: AgentId, entry: TranscriptEntry) => void;
	onDelta?: (agent: AgentId, turn: number, delta: ModelDelta) => void;
	onBroken: (error: Error) => void;
}

export class Journal {
	private readonly writer: RunWriter;
	private readonly feed: Feed;
	private readonly listener: RecordListener;
	/** Something could not be written: from then on only endings are. */
	isBroken = false;

	constructor(writer: RunWriter, feed: Feed, listener: RecordListener) {
		this.writer = writer;
		this.feed = feed;
		this.listener = listener;
	}

	event(event: RunEvent, run: RunState): void {
		this.write(() => this.writer.append(event), keptFor(event));
		this.feed.event(event);
		this.listener.onEvent?.(event, run);
	}

	message(agent: AgentId, entry: TranscriptEntry): void {
		this.write(() => this.writer.record(agent, entry));
		this.feed.recorded(agent);
		this.listener.onRecord?.(agent, entry);
	}

	/** A piece of an answer that streams; the whole is recorded when it is there. */
	delta(agent: AgentId, turn: number, delta: ModelDelta): void {
		this.feed.delta(agent, turn, delta);
		this.listener.onDelta?.(agent, turn, delta);
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
		this.write(() => this.writer.writeAgent(file), KEPT_FOR_RUN_BYTES);
	}

	runFile(file: RunFile): void {
		this.write(() => this.writer.writeRun(file), 0);
	}

	close(): void {
		this.writer.close();
		this.feed.close();
	}

	/** `keptBytes`: how much of the reserve it must leave; undefined for what is no part of an end. */
	private write(write: () => void, keptBytes?: number): void {
		if (this.isBroken && keptBytes === undefined) return;
		try {
			write();
		} catch (error) {
			if (!(error instanceof AgentreeError)) throw error; // a bug, and not the disk
			if (keptBytes !== undefined) this.writeWithReserve(write, keptBytes);
			if (this.isBroken) return;
			this.isBroken = true;
			queueMicrotask(() => this.listener.onBroken(error));
		}
	}

	/** No more room than it needs, and at once: what fills the disk would take the rest. */
	private writeWithReserve(write: () => void, keptBytes: number): void {
		while (this.writer.free(keptBytes)) {
			try {
				return write();
			} catch {} // not enough yet
		}
	}
}

function keptFor({ event }: RunEvent): number | undefined {
	if (event === "run_ended") return 0;
	const isWhy = event === "agent_stopping" || event === "run_stopping";
	return event === "agent_ended" || isWhy ? KEPT_FOR_RUN_BYTES : undefined;
}
