/**
 * The journal of a run. Everything is written to disk first, and then told to watchers and the listener. A write that fails
 * breaks the run, once. From then on only endings are written, and the stops that led to them. On a full disk they get the
 * space that was reserved for them, of which a part is kept for the run's own ending.
 */

import { AgentreeError } from "../../core/errors.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { ModelDelta } from "../../core/model/model.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { AgentFile, RunFile } from "../../core/schemas/run-files.ts";
import type { TranscriptEntry } from "../../core/schemas/transcript.ts";
import type { RunWriter } from "../../record/run-writer.ts";
import { redactedValue } from "../../text/safe/redact.ts";
import type { Feed } from "./feed.ts";

const KEPT_FOR_RUN_BYTES = 24 * 1024; // of the reserved space; run.json has the whole task

/** Told about everything that is recorded. `onBroken`: called once, when something could not be written. */
interface RecordListener {
	onEvent?: (event: RunEvent, run: RunState) => void;
	onRecord?: (agent: AgentId, entry: TranscriptEntry) => void;
	onDelta?: (agent: AgentId, turn: number, delta: ModelDelta) => void;
	onBroken: (error: Error) => void;
}

export class Journal {
	private readonly writer: RunWriter;
	private readonly feed: Feed;
	private readonly listener: RecordListener;
	private readonly defer: (step: () => void) => void;
	private readonly toAdd: { file: AgentFile; isNew: boolean }[] = [];
	/** Something could not be written, so only endings are written from then on. */
	isBroken = false;

	constructor(
		writer: RunWriter,
		feed: Feed,
		listener: RecordListener,
		defer: (step: () => void) => void = setImmediate,
	) {
		this.writer = writer;
		this.feed = feed;
		this.listener = listener;
		this.defer = defer;
	}

	event(event: RunEvent, run: RunState): void {
		this.write(() => this.writer.append(event), keptFor(event));
		const told = redactedValue(event); // the writer redacts what it writes
		this.feed.event(told);
		this.listener.onEvent?.(told, run);
	}

	message(agent: AgentId, entry: TranscriptEntry): void {
		this.addAgents();
		this.write(() => this.writer.record(agent, entry));
		this.feed.recorded(agent);
		this.listener.onRecord?.(agent, redactedValue(entry));
	}

	/** Tells a piece of an answer while it streams. Only the complete answer is recorded. */
	delta(agent: AgentId, turn: number, delta: ModelDelta): void {
		this.feed.delta(agent, turn, delta);
		this.listener.onDelta?.(agent, turn, delta);
	}

	/**
	 * Returns the path of the agent's directory. It is made before anything else is read from a socket or written for an
	 * agent, but after what is being sent now: four new files take milliseconds, for which a joining agent need not wait.
	 */
	addAgent(file: AgentFile, isNew: boolean): string {
		this.toAdd.push({ file, isNew });
		if (this.toAdd.length === 1) this.defer(() => this.addAgents());
		return this.writer.directoryOf(file.agent);
	}

	agentFile(file: AgentFile): void {
		this.addAgents();
		this.write(() => this.writer.writeAgent(file), KEPT_FOR_RUN_BYTES);
	}

	runFile(file: RunFile): void {
		this.write(() => this.writer.writeRun(file), 0);
	}

	close(): void {
		this.addAgents();
		this.writer.close();
		this.feed.close();
	}

	private addAgents(): void {
		for (const { file, isNew } of this.toAdd.splice(0)) this.write(() => this.writer.addAgent(file, isNew));
	}

	/** `keptBytes`: how much of the reserved space an ending must leave; undefined for all that is no part of an ending. */
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

	/** Frees as much of the reserved space as the write needs, and writes at once: what fills the disk would take the rest. */
	private writeWithReserve(write: () => void, keptBytes: number): void {
		while (this.writer.free(keptBytes)) {
			try {
				return write();
			} catch {} // not enough yet
		}
	}
}

/** The reserved bytes that writing this event must leave; undefined for an event that is no part of an ending. */
function keptFor({ event }: RunEvent): number | undefined {
	if (event === "run_ended") return 0;
	const isWhy = event === "agent_stopping" || event === "run_stopping";
	return event === "agent_ended" || isWhy ? KEPT_FOR_RUN_BYTES : undefined;
}

/** How often something that others cause is told: some at once, then one a second, so that who floods does not flood the log. */
const BURST = 20;
const EVERY_MS = 1_000;

export class EventAllowance {
	private readonly burst: number;
	private left: number;
	private at = 0;
	private untold = 0;

	constructor(burst = BURST) {
		this.burst = burst;
		this.left = burst;
	}

	/** Undefined: not to be told now. `others`: so many were not told before this one. `isDue`: this one is told in any case. */
	take(now: number, isDue = false): { readonly others: number | undefined } | undefined {
		const gained = Math.max(0, Math.floor((now - this.at) / EVERY_MS)); // the clock may be set back
		if (gained > 0 || now < this.at) this.at = now;
		this.left = Math.min(this.burst, this.left + gained);
		if (this.left === 0 && !isDue) {
			this.untold += 1;
			return undefined;
		}
		this.left = Math.max(0, this.left - 1);
		const others = this.untold === 0 ? undefined : this.untold;
		this.untold = 0;
		return { others };
	}
}
