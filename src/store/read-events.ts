/** The event log and the transcripts, as values of their types. A line of another shape is skipped and said. */
import type { AgentId } from "../core/agent.ts";
import type { RunEvent } from "../core/run-event.ts";
import type { NoteEntry, TranscriptEntry } from "../core/transcript.ts";
import { ASSISTANT_ENTRY, EVENTS, NOTES, USER_ENTRY } from "./file-shapes.ts";
import { type JsonLine, jsonLines } from "./jsonl.ts";
import { eventsPath, transcriptPath } from "./run-directory.ts";
import { aTime, isObject, misfits, type Shape } from "./shape.ts";

export interface Read<T> {
	readonly values: T[];
	/** One line each, for people. */
	readonly damage: string[];
}

export function readEvents(directory: string): Read<RunEvent> {
	return collect(jsonLines(eventsPath(directory)), "events.jsonl", asEvent);
}

export function readTranscript(directory: string, agent: AgentId): Read<TranscriptEntry> {
	return collect(jsonLines(transcriptPath(directory, agent)), "transcript.jsonl", asEntry);
}

/** `onEvent` for each event in order; gives the damage. Memory stays flat. */
export function forEachEvent(directory: string, onEvent: (event: RunEvent) => void): string[] {
	return each(jsonLines(eventsPath(directory)), "events.jsonl", asEvent, onEvent);
}

/** `onEntry` for each message in order; gives the damage. Memory holds one message. */
export function forEachEntry(directory: string, agent: AgentId, onEntry: (entry: TranscriptEntry) => void): string[] {
	return each(jsonLines(transcriptPath(directory, agent)), "transcript.jsonl", asEntry, onEntry);
}

/** As `forEachEntry`; waits for what `onEntry` gives, so that memory stays flat when the entries go to a slow reader. */
export async function forEachEntryInTurn(
	directory: string,
	agent: AgentId,
	onEntry: (entry: TranscriptEntry) => Promise<void> | undefined,
): Promise<string[]> {
	const damage: string[] = [];
	for (const line of jsonLines(transcriptPath(directory, agent))) {
		const read = readLine(line, "transcript.jsonl", asEntry);
		if (read.is === "damage") damage.push(read.what);
		else await onEntry(read.value);
	}
	return damage;
}

/** Undefined for what is no event of this version. */
export function asEvent(value: unknown): RunEvent | undefined {
	if (!isObject(value) || typeof value.event !== "string" || !Object.hasOwn(EVENTS, value.event)) return undefined;
	const shape = EVENTS[value.event as RunEvent["event"]];
	return aTime(value.at) && misfits(value, shape).length === 0 ? (value as unknown as RunEvent) : undefined;
}

/** Undefined for what is no message and no note. */
export function asEntry(value: unknown): TranscriptEntry | undefined {
	const shape = isObject(value) ? shapeOfEntry(value) : undefined;
	if (!isObject(value) || shape === undefined) return undefined;
	return misfits(value, shape).length === 0 ? (value as unknown as TranscriptEntry) : undefined;
}

function shapeOfEntry({ role, note }: Record<string, unknown>): Shape | undefined {
	if (role === "user") return USER_ENTRY;
	if (role === "assistant") return ASSISTANT_ENTRY;
	return role === "note" && typeof note === "string" && Object.hasOwn(NOTES, note)
		? NOTES[note as NoteEntry["note"]]
		: undefined;
}

function collect<T>(lines: Iterable<JsonLine>, name: string, as: (value: unknown) => T | undefined): Read<T> {
	const values: T[] = [];
	const damage = each(lines, name, as, (value) => values.push(value));
	return { values, damage };
}

function each<T>(
	lines: Iterable<JsonLine>,
	name: string,
	as: (value: unknown) => T | undefined,
	onValue: (value: T) => void,
): string[] {
	const damage: string[] = [];
	for (const line of lines) {
		const read = readLine(line, name, as);
		if (read.is === "damage") damage.push(read.what);
		else onValue(read.value);
	}
	return damage;
}

function readLine<T>(
	line: JsonLine,
	name: string,
	as: (value: unknown) => T | undefined,
): { is: "damage"; what: string } | { is: "value"; value: T } {
	if (line.is === "damage") return line;
	const value = as(line.value);
	if (value !== undefined) return { is: "value", value };
	return { is: "damage", what: `${name} line ${line.line}: not a line of this file's kind, skipped` };
}
