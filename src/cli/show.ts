/** `agent show`: the transcript of one agent. */
import { join } from "node:path";
import { stateDirectory } from "../config/state-directory.ts";
import { type AgentId, ROOT } from "../core/agent.ts";
import { stripControl } from "../core/format.ts";
import type { RunEvent } from "../core/run-event.ts";
import type { RunState } from "../core/run-state.ts";
import { followLines } from "../store/follow.ts";
import { loadRunState } from "../store/load-run.ts";
import { asEntry, forEachEntry, forEachEvent, readTranscript } from "../store/read-events.ts";
import { readAgentFile } from "../store/read-run.ts";
import { agentDirectory, transcriptPath } from "../store/run-directory.ts";
import { childrenLines, type HeaderView, headerLines, standing } from "./agent-header.ts";
import { followRun } from "./follow-run.ts";
import { findRunFor, type Io, isProcessAlive, warn } from "./io.ts";
import { paintFor } from "./paint.ts";
import { entryLines, type TranscriptView } from "./transcript-text.ts";

export interface ShowOptions {
	/** Without an agent: the root. */
	readonly ref?: string | undefined;
	/** One object; with `follow` one message a line, as they come. */
	readonly json: boolean;
	/** Goes on until the agent has ended. */
	readonly follow: boolean;
	/** Undefined: as the terminal and NO_COLOR say. */
	readonly color?: boolean | undefined;
}

interface Shown {
	readonly directory: string;
	readonly agent: AgentId;
	readonly state: RunState;
	readonly header: HeaderView;
	readonly view: TranscriptView;
	readonly durations: CommandDurations;
}

export async function show({ ref, json, follow, color }: ShowOptions, io: Io): Promise<number> {
	const { directory, agent = ROOT } = findRunFor(io, stateDirectory(io.env, io.cwd), ref);
	if (json && !follow) return showJson(directory, agent, io);
	const { state, damage } = loadRunState(directory, isProcessAlive);
	warn(io, damage);
	const paint = paintFor(color, io.isTTY, io.env.NO_COLOR);
	const durations = commandDurations(agent);
	const view = { paint, durationOf: durations.of, pathOf: (log: string) => pathOf(directory, agent, log) };
	const header = { paint, now: io.now(), columns: io.columns };
	const shown = { directory, agent, state, header, view, durations };
	if (!json) print(io, headerLines(readAgentFile(directory, agent), state.agents[agent], header));
	return follow ? followShown(shown, json, io) : showAll(shown, io);
}

function showJson(directory: string, agent: AgentId, io: Io): number {
	const { values: messages, damage } = readTranscript(directory, agent);
	warn(io, damage);
	io.stdout(`${JSON.stringify({ agent: readAgentFile(directory, agent), messages }, null, "\t")}\n`);
	return 0;
}

function showAll({ directory, agent, state, header, view, durations }: Shown, io: Io): number {
	forEachEvent(directory, durations.note);
	warn(
		io,
		forEachEntry(directory, agent, (entry) => print(io, entryLines(entry, view))),
	);
	print(io, childrenLines(state, agent, header));
	return 0;
}

/** The messages come from the transcript; that there will be no more, from the event log. */
async function followShown({ directory, agent, view, durations }: Shown, json: boolean, io: Io): Promise<number> {
	const over = new AbortController();
	const stop = () => over.abort();
	const { signal } = over;
	const onLines = (lines: string[]) => {
		for (const line of lines) showLine(line, json ? undefined : view, io);
	};
	const damaged = (what: string) => warn(io, [what]);
	io.signal?.addEventListener("abort", stop);
	await Promise.all([
		followLines(transcriptPath(directory, agent), onLines, { signal }).finally(stop),
		followRun(directory, { agent, onEvent: durations.note, damaged, signal }).finally(stop),
	]);
	if (json) return 0;
	const ended = loadRunState(directory, isProcessAlive).state.agents[agent];
	if (ended !== undefined) print(io, ["", ...standing(ended, io.now())]);
	return 0;
}

function showLine(line: string, view: TranscriptView | undefined, io: Io): void {
	let value: unknown;
	try {
		value = JSON.parse(line);
	} catch {
		value = undefined;
	}
	const entry = asEntry(value);
	if (entry === undefined) warn(io, ["transcript.jsonl: a line that is not a message, skipped"]);
	else if (view === undefined) io.stdout(`${line}\n`);
	else print(io, entryLines(entry, view));
}

interface CommandDurations {
	note(event: RunEvent): void;
	of(command: number): number | undefined;
}

function commandDurations(agent: AgentId): CommandDurations {
	const startedAt = new Map<number, number>();
	const tookMs = new Map<number, number>();
	return {
		note: (event) => {
			if (event.event === "command_started" && event.agent === agent) startedAt.set(event.command, event.at);
			if (event.event !== "command_ended" || event.agent !== agent) return;
			const from = startedAt.get(event.command);
			if (from !== undefined) tookMs.set(event.command, event.at - from);
		},
		of: (command) => tookMs.get(command),
	};
}

/** The log's name comes from a file; what it prints is only shown, never opened. */
function pathOf(directory: string, agent: AgentId, log: string): string {
	return stripControl(join(agentDirectory(directory, agent), log));
}

function print(io: Io, lines: readonly string[]): void {
	if (lines.length > 0) io.stdout(`${lines.join("\n")}\n`);
}
