/**
 * What the dashboard knows of the selected agent: its transcript, the pieces of the answer that streams, and the commands
 * whose results are not in the transcript yet. Each piece is shown once: a recorded one replaces the live one.
 */

import type { Agent, AgentId } from "../../core/agent.ts";
import type { CommandEnd } from "../../core/command.ts";
import { defined } from "../../core/defined.ts";
import { isSamePiece, type ModelDelta } from "../../core/model.ts";
import type { RunEvent } from "../../core/run-event.ts";
import type { TranscriptEntry } from "../../core/transcript.ts";

export interface LiveCommand {
	readonly command: number;
	readonly text: string;
	readonly since: number;
	/** Path of the output file, below the agent's directory. */
	readonly log: string;
	/** The last of its output; `isCut` when there was more before. */
	readonly tail: string;
	readonly isCut: boolean;
	readonly end?: CommandEnd;
}

export interface LiveAnswer {
	readonly turn: number;
	/** One piece for each block of the answer. */
	readonly pieces: readonly ModelDelta[];
}

export interface AgentHistory {
	readonly agent: AgentId;
	readonly entries: readonly TranscriptEntry[];
	readonly live?: LiveAnswer;
	readonly commands: readonly LiveCommand[];
}

export function emptyHistory(agent: AgentId): AgentHistory {
	return { agent, entries: [], commands: [] };
}

/** Appends recorded entries, and drops the live pieces that they replace. */
export function withEntries(history: AgentHistory, added: readonly TranscriptEntry[]): AgentHistory {
	if (added.length === 0) return history;
	const entries = [...history.entries, ...added];
	let { live, commands } = history;
	for (const entry of added) {
		const isOfTurn = entry.role === "assistant" || (entry.role === "note" && entry.note === "call");
		if (isOfTurn && live !== undefined && entry.turn >= live.turn) live = undefined;
		if (entry.role === "user" && entry.commands !== undefined) {
			const settled = new Set(entry.commands.map(({ command }) => command));
			commands = commands.filter(({ command }) => !settled.has(command));
		}
	}
	const { live: _, ...rest } = history;
	return { ...rest, entries, commands, ...defined({ live }) };
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

/** Drops the streamed pieces of a call that is made again. */
export function withoutLive(history: AgentHistory): AgentHistory {
	const { live, ...rest } = history;
	return live === undefined ? history : rest;
}

/** Adds the running commands of the agent that the history does not know yet. */
export function withRunning(history: AgentHistory, agent: Agent): AgentHistory {
	const added = agent.running.filter(({ command }) => !isKnown(history, command));
	if (added.length === 0) return history;
	const commands = added.map(({ command, text, since, log }) => ({
		command,
		text,
		since,
		log,
		tail: "",
		isCut: false,
	}));
	return { ...history, commands: [...history.commands, ...commands] };
}

export function withCommandEnd(
	history: AgentHistory,
	event: Extract<RunEvent, { event: "command_ended" }>,
): AgentHistory {
	return changeCommand(history, event.command, (live) => ({ ...live, end: event.end }));
}

export function withTail(history: AgentHistory, command: number, tail: string, isCut: boolean): AgentHistory {
	return changeCommand(history, command, (live) => ({ ...live, tail, isCut }));
}

/** The last words that streamed: what a thinking agent does now. */
export function lastWords(history: AgentHistory): string {
	return history.live?.pieces.at(-1)?.text.slice(-400) ?? "";
}

function lastTurn({ entries }: AgentHistory): number {
	const last = entries.findLast((entry) => entry.role === "assistant");
	return last?.role === "assistant" ? last.turn : 0;
}

function isKnown({ commands, entries }: AgentHistory, command: number): boolean {
	if (commands.some((other) => other.command === command)) return true;
	return entries.some((entry) => entry.role === "user" && entry.commands?.some((other) => other.command === command));
}

function changeCommand(history: AgentHistory, command: number, by: (live: LiveCommand) => LiveCommand): AgentHistory {
	if (!history.commands.some((live) => live.command === command)) return history;
	return { ...history, commands: history.commands.map((live) => (live.command === command ? by(live) : live)) };
}
