/** The event log and the transcripts, as values of their types. A line that does not fit its schema is skipped and said. */
import * as v from "valibot";
import { AgentreeError } from "../core/errors.ts";
import type { AgentId } from "../core/model/agent.ts";
import { textOf } from "../core/model/message.ts";
import type { AssistantEntry, TranscriptEntry } from "../core/model/transcript.ts";
import type { RunEvent } from "../core/run/run-event.ts";
import { RunEventSchema } from "../core/schemas/run-event.ts";
import { TranscriptEntrySchema } from "../core/schemas/transcript.ts";
import { newestLines } from "./files/file-tail.ts";
import { type JsonLine, jsonLines } from "./files/json-lines.ts";
import { eventsPath, transcriptPath } from "./run-directory.ts";
import { fromFile } from "./spelling.ts";

export interface Read<T> {
	readonly values: T[];
	/** One line each, for people. */
	readonly damage: string[];
}

export function readEvents(directory: string): Read<RunEvent> {
	const values: RunEvent[] = [];
	const damage = forEachEvent(directory, (event) => values.push(event));
	return { values, damage };
}

/** `onEvent` for each event in order; gives the damage. Memory stays flat. `written`: the line's value as the file has it. */
export function forEachEvent(directory: string, onEvent: (event: RunEvent, written: unknown) => void): string[] {
	return each(jsonLines(eventsPath(directory)), EVENTS, onEvent);
}

/** `onEntry` for each message in order; gives the damage. Memory holds one message. */
export function forEachEntry(directory: string, agent: AgentId, onEntry: (entry: TranscriptEntry) => void): string[] {
	return each(jsonLines(transcriptPath(directory, agent)), TRANSCRIPT, onEntry);
}

export interface WrittenEntry {
	readonly value: TranscriptEntry;
	/** The line's value as the file has it. */
	readonly written: unknown;
}

/** One message after the other, as they are asked for; `damaged` gets what could not be read. Memory holds one message. */
export function* entriesOf(
	directory: string,
	agent: AgentId,
	damaged: (what: string) => void,
): Generator<WrittenEntry> {
	for (const line of jsonLines(transcriptPath(directory, agent))) {
		const read = readLine(line, TRANSCRIPT);
		if (read.is === "damage") damaged(read.what);
		else yield read;
	}
}

/** Undefined for what is no event of this version. */
export function asEvent(value: unknown): RunEvent | undefined {
	const event = v.safeParse(RunEventSchema, fromFile(value));
	return event.success ? event.output : undefined;
}

/** Undefined for what is no message and no note. */
export function asEntry(value: unknown): TranscriptEntry | undefined {
	const entry = v.safeParse(TranscriptEntrySchema, fromFile(value));
	return entry.success ? entry.output : undefined;
}

/** A line of events.jsonl, as `asEvent`. */
export function parseEvent(line: string): RunEvent | undefined {
	return asEvent(parse(line));
}

/** A line of transcript.jsonl, as `asEntry`. */
export function parseEntry(line: string): TranscriptEntry | undefined {
	return asEntry(parse(line));
}

interface LinesOf<T> {
	readonly file: string;
	readonly kind: string;
	readonly as: (value: unknown) => T | undefined;
}

const EVENTS: LinesOf<RunEvent> = { file: "events.jsonl", kind: "an event", as: asEvent };
const TRANSCRIPT: LinesOf<TranscriptEntry> = { file: "transcript.jsonl", kind: "a message", as: asEntry };

function each<T>(lines: Iterable<JsonLine>, of: LinesOf<T>, onValue: (value: T, written: unknown) => void): string[] {
	const damage: string[] = [];
	for (const line of lines) {
		const read = readLine(line, of);
		if (read.is === "damage") damage.push(read.what);
		else onValue(read.value, read.written);
	}
	return damage;
}

type ReadLine<T> = { is: "damage"; what: string } | { is: "value"; value: T; written: unknown };

function readLine<T>(line: JsonLine, { file, kind, as }: LinesOf<T>): ReadLine<T> {
	if (line.is === "damage") return line;
	const value = as(line.value);
	if (value !== undefined) return { is: "value", value, written: line.value };
	return { is: "damage", what: `${file} line ${line.line}: not ${kind}, skipped` };
}

function parse(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}

/** An agent's newest answer, without reading the rest of its transcript. */

const MAX_BYTES = 32 * 1024 * 1024; // how much of a transcript's end is read

/** The agent's newest text in its transcript; empty when there is none, or the transcript cannot be read. */
export function lastTextOf(directory: string, agent: AgentId): string {
	return lastOf(directory, agent, (entry) => textOf(entry.content).trim() || undefined) ?? "";
}

/** The agent's newest answer; undefined when there is none, or the transcript cannot be read. */
export function lastAnswerOf(directory: string, agent: AgentId): AssistantEntry | undefined {
	return lastOf(directory, agent, (entry) => entry);
}

function lastOf<T>(directory: string, agent: AgentId, from: (entry: AssistantEntry) => T | undefined): T | undefined {
	try {
		for (const line of newestLines(transcriptPath(directory, agent), MAX_BYTES)) {
			const entry = parseEntry(line);
			const found = entry?.role === "assistant" ? from(entry) : undefined;
			if (found !== undefined) return found;
		}
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error; // a bug, and not a transcript that cannot be read
	}
	return undefined;
}
