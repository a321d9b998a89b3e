/**
 * One way to read a run, whether it goes on or is over: how it stands, what happens in it, and what its commands print. A run
 * whose files are at hand is a `RecordedRun`; from inside a sandbox, which hides them, it is a `SandboxedRun`.
 */

import { existsSync } from "node:fs";
import { basename } from "node:path";
import { AgentreeError } from "../core/errors.ts";
import { type AgentId, isAgentId, isOver, ROOT } from "../core/model/agent.ts";
import { parseCookie } from "../core/run/cookie.ts";
import { EMPTY_RUN, type RunState, reduce } from "../core/run/run-state.ts";
import type { RunEvent } from "../core/schemas/run-event.ts";
import type { AgentFile, RunFile } from "../core/schemas/run-files.ts";
import type { TranscriptEntry } from "../core/schemas/transcript.ts";
import { isRecordedAlive, isRecordedSuspended, recordedAliveNow } from "../processes/table/open-table.ts";
import { answerOf, askSupervisor } from "../wire/run-client.ts";
import type { ToWatcher } from "../wire/watcher-messages.ts";
import { CommandOutput } from "./command-output.ts";
import { followLines } from "./files/follow-lines.ts";
import { loadRunState, supervisorOf } from "./load-run.ts";
import { entriesOf, forEachEvent, lastTextOf, parseEvent, type WrittenEntry } from "./read-events.ts";
import { readAgentFile, readRunFile } from "./read-run.ts";
import { eventsPath, outputPath, runDirectory, runFilePath } from "./run-directory.ts";
import { supervisorAt, unreachable, wordsFor } from "./supervisor-process.ts";

export interface RunSnapshot {
	readonly file: RunFile;
	/** Corrected by what the process table shows now: the dead are never shown as running. */
	readonly state: RunState;
	/** The supervisor lives, but was stopped by a signal: nothing in the run moves. */
	readonly isSuspended: boolean;
	/** One line each, for people: what could not be read. */
	readonly damage: readonly string[];
}

interface Following {
	/** Follow until this agent is over; undefined: until the run is. */
	readonly agent?: AgentId | undefined;
	/** `line`: the event as it is written in the file. */
	readonly onEvent: (event: RunEvent, line: string) => void;
	readonly damaged: (what: string) => void;
	readonly signal?: AbortSignal | undefined;
}

/** `crashed`: the supervisor died without a word. */
type FollowEnd = "ended" | "crashed" | "aborted";

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

/** The run around a command in a sandbox, which hides the run's files: its supervisor tells how it stands. */

type Environment = Readonly<Record<string, string | undefined>>;

export class SandboxedRun implements RunSource {
	readonly run: string;
	readonly socket: string;
	/** Where people find its files. */
	readonly directory: string;
	/** The agent that is meant. */
	readonly agent: AgentId;
	/** It was named. */
	readonly isNamed: boolean;
	/** Called when the supervisor takes long. */
	onSlow: (who: string) => void = () => {};

	private constructor(socket: string, place: Pick<SandboxedRun, "run" | "directory">, agent: AgentId | undefined) {
		this.run = place.run;
		this.directory = place.directory;
		this.socket = socket;
		this.agent = agent ?? ROOT;
		this.isNamed = agent !== undefined;
	}

	/** Undefined outside of a run, where its files are there, and for a ref of another run. */
	static around(env: Environment, home: string, ref: string | undefined): SandboxedRun | undefined {
		const run = parseCookie(env)?.run;
		const socket = env.AGENTREE_SOCKET;
		if (run === undefined || socket === undefined || !isHidden(env, home, run)) return undefined;
		const [named, agent = named] = ref?.split("/") ?? [];
		if (ref?.includes("/") && named !== undefined && !run.endsWith(named) && !run.startsWith(named)) return undefined;
		const isNamed = agent !== undefined && isAgentId(agent);
		if (ref !== undefined && !isNamed && !run.endsWith(ref)) return undefined;
		return new SandboxedRun(socket, { run, directory: runDirectory(home, run) }, isNamed ? agent : undefined);
	}

	/** Its file is made of what the supervisor tells. Throws AgentreeError. */
	async snapshot(): Promise<RunSnapshot> {
		const state = (await this.watch((found) => found)) ?? EMPTY_RUN;
		const { run, task, cwd, model, limits, pid, startTime, startedAt } = state;
		const supervisor = { pid, startTime };
		const file = {
			...{ format: 0, run, task, cwd, model, limits, supervisor, startedAt },
			...{ socket: this.socket, version: "" },
		};
		return { file, state, isSuspended: false, damage: [] };
	}

	/** Gives the events from now on. An agent that the run does not have is over. */
	async follow({ agent, onEvent, signal }: Following): Promise<FollowEnd> {
		const isDone = ({ ended, agents }: RunState) => {
			const found = agent === undefined ? undefined : agents[agent];
			return agent === undefined ? ended !== undefined : found === undefined || isOver(found);
		};
		const hear = (message: ToWatcher) => {
			if (message.say === "event") onEvent(message.event, JSON.stringify(message.event));
		};
		return (await this.watch((state) => isDone(state) || undefined, { hear, signal })) ? "ended" : "aborted";
	}

	output(_agent: AgentId, _log: string): CommandOutput {
		throw filesHidden(this.run);
	}

	lastText(): string {
		return "";
	}

	/** Watches the run until `find` finds something in its state. Undefined when `signal` is aborted. */
	private async watch<T>(
		find: (state: RunState) => T | undefined,
		also: { hear?: (message: ToWatcher) => void; signal?: AbortSignal | undefined } = {},
	): Promise<T | undefined> {
		let state = EMPTY_RUN;
		const hear = (message: ToWatcher) => {
			also.hear?.(message);
			if (message.say !== "snapshot" && message.say !== "event") return undefined;
			state = message.say === "snapshot" ? message.state : reduce(state, message.event);
			return find(state);
		};
		const who = wordsFor(this.run);
		const watching = { say: [{ say: "watch" }], hear, signal: also.signal } as const;
		const outcome = await askSupervisor<T>(supervisorAt(this.socket), watching, { onSlow: () => this.onSlow(who) });
		if (outcome.is === "no_answer" && outcome.because === "aborted") return undefined;
		return answerOf(outcome, ({ why }) => unreachable(`${who} ${why}`));
	}
}

/** Whether the files of the run around this process are hidden from it, by a sandbox. */
export function isHidden(env: Environment, home: string, run: string): boolean {
	return Boolean(env.AGENTREE_SOCKET) && !existsSync(runFilePath(runDirectory(home, run)));
}

export function filesHidden(run: string): AgentreeError {
	const others = "use agent ps, show, log, why, wait, send, stop and pause instead";
	return new AgentreeError("refused", `the files of run ${run} cannot be read in a sandbox; ${others}`);
}
