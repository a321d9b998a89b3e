/** The event log and the transcripts, as values of their types. A line that does not fit its schema is skipped and said. */

import { closeSync, readSync } from "node:fs";
import * as v from "valibot";
import { AgentreeError } from "../core/errors.ts";
import { type AgentId, parentOf, withAncestors } from "../core/model/agent.ts";
import { textOf } from "../core/model/message.ts";
import { type RunEvent, RunEventSchema } from "../core/schemas/run-event.ts";
import { type AssistantEntry, type TranscriptEntry, TranscriptEntrySchema } from "../core/schemas/transcript.ts";
import { type JsonLine, jsonLines, MAX_LINE_BYTES, newestLines } from "./files/json-lines.ts";
import { openRegular } from "./files/regular-file.ts";
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

/**
 * Where in the event log the events of each agent stand, so that those of one can be read without the others: a log may have
 * hundreds of thousands. It is read once, in pieces, and then what is added.
 */

const LINE_FEED = 0x0a;
const MOST_LOOKED_AT = 2_000; // bytes of a line in which the agent's name stands, since a text may be long
const OF_AGENT = /"(?:agent|parent)":"([\d.]{1,200})"/;
const FOR_ALL_BELOW = /^\{"event":"(?:agent_paused|agent_continued|agent_stopping)"/;
const FOR_PARENT = /^\{"event":"agent_(?:joined|resumed|ended)"/;
const FOR_ALL = /^\{"event":"run_resumed"/;

const OF_RUN = "";
const OF_ALL = "all";

interface Span {
	readonly from: number;
	readonly to: number;
}

export class EventIndex {
	private readonly path: string;
	private readonly spans = new Map<string, Span[]>();
	private at = 0;

	constructor(directory: string) {
		this.path = eventsPath(directory);
	}

	/** Reads on for about so many bytes; false when there is more. Throws AgentreeError("not_found") when the log cannot be read. */
	readOn(bytes: number): boolean {
		const file = openRegular(this.path);
		if (file === undefined) return true;
		try {
			return this.readFrom(file, bytes);
		} finally {
			closeSync(file);
		}
	}

	/** So many bytes of the log are read. */
	get readBytes(): number {
		return this.at;
	}

	/**
	 * The events of the agent, of the agents above it those that are for all below, of its children that they began and ended, and
	 * those of the run for the root; in order. `after`: only what stands behind so many bytes of the log.
	 */
	eventsOf(agent: AgentId, after = 0): RunEvent[] {
		const [, ...above] = withAncestors(agent);
		const names = [agent, ...above.map(belowName), above.length === 0 ? OF_RUN : OF_ALL];
		const spans = names.flatMap((name) => behind(this.spans.get(name) ?? [], after)).sort((a, b) => a.from - b.from);
		const file = spans.length === 0 ? undefined : openRegular(this.path);
		if (file === undefined) return [];
		try {
			return spans.flatMap((span) => parseEvent(readSpan(file, span).toString("utf8")) ?? []);
		} finally {
			closeSync(file);
		}
	}

	private readFrom(file: number, bytes: number): boolean {
		for (let most = bytes; ; most *= 2) {
			const chunk = readSpan(file, { from: this.at, to: this.at + most });
			const end = chunk.lastIndexOf(LINE_FEED) + 1;
			this.take(chunk.subarray(0, end));
			this.at += end;
			if (chunk.length < most) return true;
			if (end > 0) return false;
			if (most > MAX_LINE_BYTES) return true; // a damaged log: what comes behind such a line is left out
		}
	}

	private take(lines: Buffer): void {
		for (let from = 0; from < lines.length; ) {
			const end = lines.indexOf(LINE_FEED, from);
			const line = lines.toString("utf8", from, Math.min(end, from + MOST_LOOKED_AT));
			const span = { from: this.at + from, to: this.at + end };
			const agent = OF_AGENT.exec(line)?.[1] ?? OF_RUN;
			this.put(agent, span);
			if (FOR_ALL_BELOW.test(line)) this.put(belowName(agent), span);
			const parent = FOR_PARENT.test(line) ? parentOf(agent) : undefined;
			if (parent !== undefined) this.put(parent, span);
			if (FOR_ALL.test(line)) this.put(OF_ALL, span);
			from = end + 1;
		}
	}

	private put(name: string, span: Span): void {
		const spans = this.spans.get(name);
		if (spans === undefined) this.spans.set(name, [span]);
		else spans.push(span);
	}
}

/** Those from `after` on, of spans in their order: who follows asks often, for few of very many. */
function behind(spans: readonly Span[], after: number): readonly Span[] {
	if (after === 0) return spans;
	return spans.slice(spans.findLastIndex(({ from }) => from < after) + 1);
}

function belowName(agent: AgentId): string {
	return `${agent} and all below`;
}

function readSpan(file: number, { from, to }: Span): Buffer {
	const bytes = Buffer.allocUnsafe(to - from);
	return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
}
