/**
 * What the dashboard knows of the selected agent: its transcript, what happened to it, the pieces of the answer that streams,
 * and the output of its commands. Each piece is shown once: a recorded one replaces the live one.
 */

import type { Agent, AgentId } from "../../../core/model/agent.ts";
import { isSamePiece, type ModelDelta } from "../../../core/model/model.ts";
import type { TranscriptEntry } from "../../../core/model/transcript.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import { type CommandOutput, trimOutputs, withRead } from "./command-output.ts";

export interface LiveAnswer {
	readonly turn: number;
	/** One piece for each block of the answer. */
	readonly pieces: readonly ModelDelta[];
}

export interface AgentHistory {
	readonly agent: AgentId;
	readonly entries: readonly TranscriptEntry[];
	/** The number of the first of the entries; below zero when earlier ones have been read since. */
	readonly firstEntry: number;
	/** Bytes of the transcript before the first of the entries. */
	readonly unreadBytes: number;
	readonly live?: LiveAnswer;
	/** Answers whose call broke while they streamed. */
	readonly broken: readonly BrokenAnswer[];
	/** By the number of the command. */
	readonly outputs: ReadonlyMap<number, CommandOutput>;
	/** The events that its history tells, in order. */
	readonly happened: readonly RunEvent[];
}

export interface BrokenAnswer extends LiveAnswer {
	/** When the event or the entry was written that says so. */
	readonly at: number;
}

const MOST_BROKEN = 100;

export function emptyHistory(agent: AgentId): AgentHistory {
	return {
		...{ agent, entries: [], firstEntry: 0, unreadBytes: 0 },
		...{ broken: [], outputs: new Map(), happened: [] },
	};
}

/** Appends recorded entries. An answer that streams is recorded in one of them, or one says that its call broke. */
export function withEntries(history: AgentHistory, added: readonly TranscriptEntry[]): AgentHistory {
	if (added.length === 0) return history;
	const next = { ...history, entries: [...history.entries, ...added] };
	const { live, ...rest } = next;
	const told = live && added.find((entry) => isOfTurn(entry, live.turn));
	if (told === undefined) return next;
	return told.role === "note" ? withoutLive(next, told.at) : rest;
}

/** Whether the entry tells what has become of the turn, or of a later one. */
function isOfTurn(entry: TranscriptEntry, turn: number): boolean {
	return (entry.role === "assistant" || (entry.role === "note" && entry.note === "call")) && entry.turn >= turn;
}

/** Entries from before the first one; `unreadBytes`: what is still before them. */
export function withEarlier(
	history: AgentHistory,
	earlier: readonly TranscriptEntry[],
	unreadBytes: number,
): AgentHistory {
	const entries = [...earlier, ...history.entries];
	return { ...history, entries, firstEntry: history.firstEntry - earlier.length, unreadBytes };
}

/** A piece of a turn that is already recorded changes nothing. */
export function withDelta(history: AgentHistory, turn: number, delta: ModelDelta): AgentHistory {
	if (lastTurn(history) >= turn) return history;
	const pieces = history.live?.turn === turn ? history.live.pieces : [];
	const last = pieces.at(-1);
	const joined =
		last !== undefined && isSamePiece(last, delta)
			? [...pieces.slice(0, -1), { ...delta, text: last.text + delta.text }]
			: [...pieces, delta];
	return { ...history, live: { turn, pieces: joined } };
}

/** Puts the streamed pieces of a call that broke at that time aside: somebody may be reading them. */
export function withoutLive(history: AgentHistory, at: number): AgentHistory {
	const { live, ...rest } = history;
	return live === undefined ? history : { ...rest, broken: [...rest.broken, { ...live, at }].slice(-MOST_BROKEN) };
}

/** Adds the commands that run, as far as no event has told of them: a snapshot of the run comes without its events. */
export function withRunning(history: AgentHistory, { id: agent, running }: Agent): AgentHistory {
	if (running.length === 0) return history;
	const known = new Set(history.happened.flatMap((one) => (one.event === "command_started" ? [one.command] : [])));
	const missing = running.filter(({ command }) => !known.has(command));
	if (missing.length === 0) return history;
	const started = missing.map(({ since, children: _, ...start }): RunEvent => {
		return { event: "command_started", at: since, agent, ...start, startTime: "" };
	});
	return withHappened(history, started);
}

/** Adds what was read of a command's output; what is far from it is forgotten when there is too much. */
export function withOutput(history: AgentHistory, command: number, read: CommandOutput): AgentHistory {
	const outputs = new Map(history.outputs).set(command, withRead(history.outputs.get(command), read));
	const page = read.pages[0]?.page ?? read.last;
	return { ...history, outputs: trimOutputs(outputs, { command, page }) };
}

/** Adds events, each once, in the order of their times. */
export function withHappened(history: AgentHistory, events: readonly RunEvent[]): AgentHistory {
	if (events.length === 0) return history;
	const known = new Set(history.happened.map(nameOf));
	const added = events.filter((event) => !known.has(nameOf(event)));
	if (added.length === 0) return history;
	return { ...history, happened: [...history.happened, ...added].sort((a, b) => a.at - b.at) };
}

/** The last words that streamed: what a thinking agent does now. */
export function lastWords(history: AgentHistory): string {
	return history.live?.pieces.at(-1)?.text.slice(-400) ?? "";
}

/** The same event has the same name, whether it came over the socket, from the log, or was made of a snapshot. */
function nameOf(event: RunEvent): string {
	if (event.event === "command_started") return `${event.event} ${event.command} ${event.at}`;
	return JSON.stringify(Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function lastTurn({ entries }: AgentHistory): number {
	const last = entries.findLast((entry) => entry.role === "assistant");
	return last?.role === "assistant" ? last.turn : 0;
}
