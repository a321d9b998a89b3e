/**
 * One way to read a run, whether it goes on or is over: how it stands, what happens in it, and what its commands print. A run
 * whose files are at hand is a `RecordedRun`; from inside a sandbox, which hides them, it is a `SandboxedRun`.
 */
import { basename } from "node:path";
import type { AgentId } from "../core/model/agent.ts";
import type { AgentFile, RunFile, TranscriptEntry } from "../core/model/transcript.ts";
import type { RunEvent } from "../core/run/run-event.ts";
import type { RunState } from "../core/run/run-state.ts";
import { isRecordedAlive, isRecordedSuspended, recordedAliveNow } from "../processes/table/open-table.ts";
import { CommandOutput } from "./command-output.ts";
import { followLines } from "./files/follow-lines.ts";
import { loadRunState, supervisorOf } from "./load-run.ts";
import { entriesOf, forEachEvent, lastTextOf, parseEvent, type WrittenEntry } from "./read-events.ts";
import { readAgentFile, readRunFile } from "./read-run.ts";
import { eventsPath, outputPath } from "./run-directory.ts";

export interface RunSnapshot {
	readonly file: RunFile;
	/** Corrected by what the process table shows now: the dead are never shown as running. */
	readonly state: RunState;
	/** The supervisor lives, but was stopped by a signal: nothing in the run moves. */
	readonly isSuspended: boolean;
	/** One line each, for people: what could not be read. */
	readonly damage: readonly string[];
}

export interface Following {
	/** Follow until this agent is over; undefined: until the run is. */
	readonly agent?: AgentId | undefined;
	/** `line`: the event as it is written in the file. */
	readonly onEvent: (event: RunEvent, line: string) => void;
	readonly damaged: (what: string) => void;
	readonly signal?: AbortSignal | undefined;
}

/** `crashed`: the supervisor died without a word. */
export type FollowEnd = "ended" | "crashed" | "aborted";

export interface RunSource {
	readonly run: string;
	/** Throws AgentreeError: `not_found` when the run cannot be read, `out_of_reach` when its supervisor does not tell. */
	snapshot(): RunSnapshot | Promise<RunSnapshot>;
	/** Gives the run's events. Everything that was written has been given before it resolves. */
	follow(following: Following): Promise<FollowEnd>;
	/** `log`: as an event names it: `out/0003.log`. */
	output(agent: AgentId, log: string): CommandOutput;
	/** What the agent said last; empty where that cannot be read from here. */
	lastText(agent: AgentId): string;
}

const ALIVE_CHECK_MS = 1_000;

export class RecordedRun implements RunSource {
	readonly run: string;
	readonly directory: string;

	constructor(directory: string, run = basename(directory)) {
		this.run = run;
		this.directory = directory;
	}

	/** Throws AgentreeError("not_found") when run.json is missing or damaged. */
	snapshot(): RunSnapshot {
		const loaded = loadRunState(this.directory, recordedAliveNow(), { isSuspended: isRecordedSuspended });
		const isSuspended = loaded.state.ended === undefined && isRecordedSuspended(supervisorOf(loaded.file));
		return { ...loaded, isSuspended };
	}

	/** Gives the events so far, in order; returns what could not be read. */
	events(onEvent: (event: RunEvent, written: unknown) => void): string[] {
		return forEachEvent(this.directory, onEvent);
	}

	async follow({ agent, onEvent, damaged, signal }: Following): Promise<FollowEnd> {
		const over = new AbortController();
		let how: FollowEnd = "aborted";
		let isOver = false;
		const stop = (by: FollowEnd) => {
			if (!over.signal.aborted) how = by;
			over.abort();
		};
		const supervisor = supervisorOf(readRunFile(this.directory));
		const check = () => {
			if (!isRecordedAlive(supervisor)) stop(isOver ? "ended" : "crashed");
		};
		const aborted = () => stop("aborted");
		signal?.addEventListener("abort", aborted);
		const timer = setInterval(check, ALIVE_CHECK_MS);
		const onLine = (line: string) => {
			const event = parseEvent(line);
			if (event === undefined)
				return line === "" ? undefined : damaged("events.jsonl: a line that is not an event, skipped");
			onEvent(event, line);
			isOver = isOverAfter(event, agent) ?? isOver;
		};
		const onLines = (lines: string[]) => {
			for (const line of lines) onLine(line);
			// Later, when all that is in the file has been read: a run that was over may have gone on.
			if (isOver) queueMicrotask(() => isOver && stop("ended"));
		};
		try {
			const following = followLines(eventsPath(this.directory), onLines, { signal: over.signal });
			check();
			await following;
			return how;
		} finally {
			clearInterval(timer);
			signal?.removeEventListener("abort", aborted);
		}
	}

	output(agent: AgentId, log: string): CommandOutput {
		return new CommandOutput(outputPath(this.directory, agent, log));
	}

	/** Throws AgentreeError("not_found") when it is missing or damaged. */
	agentFile(agent: AgentId): AgentFile {
		return readAgentFile(this.directory, agent);
	}

	/** The agent's transcript, one message after the other: memory holds one. `damaged` gets what could not be read. */
	*entries(agent: AgentId, damaged: (what: string) => void): Generator<TranscriptEntry> {
		for (const { value } of entriesOf(this.directory, agent, damaged)) yield value;
	}

	/** As `entries`, with the value of each line as the file has it. */
	writtenEntries(agent: AgentId, damaged: (what: string) => void): Generator<WrittenEntry> {
		return entriesOf(this.directory, agent, damaged);
	}

	lastText(agent: AgentId): string {
		return lastTextOf(this.directory, agent);
	}
}

/** Whether the run, or the agent, is over after this event; undefined when the event says nothing about that. */
function isOverAfter(event: RunEvent, agent: AgentId | undefined): boolean | undefined {
	if (event.event === "run_ended") return true;
	if (event.event === "run_resumed" && agent === undefined) return false;
	if (event.event !== "agent_ended" && event.event !== "agent_resumed") return undefined;
	return event.agent === agent ? event.event === "agent_ended" : undefined;
}
