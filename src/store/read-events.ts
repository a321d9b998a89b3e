/** The event log and the transcripts, as values of their types. A line of another shape is skipped and said. */
import type { AgentId } from "../core/agent.ts";
import type { RunEvent } from "../core/run-event.ts";
import type { TranscriptEntry } from "../core/transcript.ts";
import { type JsonLine, jsonLines } from "./jsonl.ts";
import { eventsPath, transcriptPath } from "./run-directory.ts";

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

/** Undefined for what is no event of this version. */
export function asEvent(value: unknown): RunEvent | undefined {
	if (typeof value !== "object" || value === null) return undefined;
	const { event, at } = value as { event?: unknown; at?: unknown };
	if (typeof event !== "string" || typeof at !== "number" || !Object.hasOwn(SHAPES, event)) return undefined;
	const shape = SHAPES[event as RunEvent["event"]];
	const fits = Object.entries(shape).every(([key, type]) => isOf(type, (value as Record<string, unknown>)[key]));
	return fits ? (value as RunEvent) : undefined;
}

/** Undefined for what is no message. */
export function asEntry(value: unknown): TranscriptEntry | undefined {
	if (typeof value !== "object" || value === null) return undefined;
	const { role, content, at, usage } = value as { role?: unknown; content?: unknown; at?: unknown; usage?: unknown };
	if (!Array.isArray(content) || typeof at !== "number") return undefined;
	const isMessage = role === "user" || (role === "assistant" && isOf("object", usage));
	return isMessage && content.every((block) => isOf("object", block)) ? (value as TranscriptEntry) : undefined;
}

type Kind = "string" | "number" | "object";
/** The keys that a reader relies on. A version that comes later may write more, and other events. */
const SHAPES: Record<RunEvent["event"], Record<string, Kind>> = {
	run_started: { run: "string", task: "string", cwd: "string", limits: "object", pid: "number", startTime: "string" },
	agent_joined: { agent: "string", pid: "number", startTime: "string", task: "string", limits: "object" },
	child_refused: { code: "string", reason: "string" },
	turn_queued: { agent: "string" },
	turn_started: { agent: "string", turn: "number" },
	turn_ended: { agent: "string", turn: "number", stopReason: "string", usage: "object" },
	turn_failed: { agent: "string", turn: "number", reason: "string", usage: "object" },
	turn_refused: { agent: "string", reason: "string" },
	command_started: { agent: "string", command: "number", text: "string", pid: "number", log: "string" },
	command_ended: { agent: "string", command: "number", end: "object", outputBytes: "number", leftRunning: "object" },
	agent_repeats: { agent: "string", command: "number", times: "number" },
	shortage_began: { what: "string", reason: "string" },
	shortage_ended: { what: "string" },
	agent_stopping: { agent: "string", reason: "string" },
	agent_ended: { agent: "string", ending: "object" },
	run_stopping: { reason: "string" },
	run_ended: { ending: "object", exitCode: "number", survivors: "object" },
};

function isOf(kind: Kind, value: unknown): boolean {
	return typeof value === kind && value !== null;
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
		if (line.is === "damage") {
			damage.push(line.what);
			continue;
		}
		const value = as(line.value);
		if (value === undefined) damage.push(`${name} line ${line.line}: not a line of this file's kind, skipped`);
		else onValue(value);
	}
	return damage;
}
