/** The newest events of a run, and those among them that a person wants to hear of. Pure. */

import { type AgentId, depthOf, ROOT } from "../../../core/model/agent.ts";
import { type FilesEvent, isFilesEvent } from "../../../core/run/files-event.ts";
import { isQuestionEvent } from "../../../core/run/questions.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";
import { formatWait } from "../../../text/durations.ts";
import { ordinal } from "../../../text/numbers.ts";
import { oneLine } from "../../../text/safe/terminal-safe.ts";
import { describeEnding } from "../../../text/states.ts";
import type { Tone } from "../../../tui/text/line.ts";
import { describeEvent, subjectOf } from "../../../view/event-text.ts";
import { troubleOfFiles } from "../../../view/files-text.ts";

/** Among so many of the newest it is looked for what is notable: a run may do one thing without end. */
const MOST_LOOKED_AT = 4_000;

/** So many are kept: `agent log` tells of the others. */
export const MOST_EVENTS = 20_000;

/** The newest of both, in order. */
export function newestOf(events: readonly RunEvent[], added: readonly RunEvent[]): readonly RunEvent[] {
	if (added.length >= MOST_EVENTS) return added.slice(-MOST_EVENTS);
	return [...events.slice(Math.max(0, events.length + added.length - MOST_EVENTS)), ...added];
}

export interface NotableEvent {
	/** Milliseconds since the epoch. */
	readonly at: number;
	/** Absent: the event is one of the whole run. */
	readonly agent?: AgentId;
	/** A few words, safe for a terminal: `FAILED: no such file`. */
	readonly text: string;
	readonly tone: Tone;
}

/**
 * Up to `count` events, the newest first: failures, retries, refusals, shortages, limits, messages, pauses, stops, and the
 * ends of the run and of its big parts. Of what many agents say at once only the newest is told.
 */
export function notableEvents(events: readonly RunEvent[], count: number): readonly NotableEvent[] {
	const known = found.get(events);
	if (known?.count === count) return known.notable;
	const notable = notableAmong(events, count);
	found.set(events, { count, notable });
	return notable;
}

/** Each frame asks, and few have new events. */
const found = new WeakMap<readonly RunEvent[], { count: number; notable: readonly NotableEvent[] }>();

function notableAmong(events: readonly RunEvent[], count: number): NotableEvent[] {
	const notable: NotableEvent[] = [];
	const told = new Set<string>();
	for (const event of events.slice(-MOST_LOOKED_AT).reverse()) {
		if (notable.length >= count) break;
		const said = notableWords(event);
		if (said === undefined) continue;
		const [text, tone] = said;
		const kind = event.event === "turn_retrying" ? event.event : text;
		if (told.has(kind)) continue;
		told.add(kind);
		const agent = subjectOf(event);
		notable.push({ at: event.at, ...(agent !== undefined && { agent }), text: oneLine(text), tone });
	}
	return notable;
}

/** False for an event of the usual course of a run. */
export function isNotable(event: RunEvent): boolean {
	return notableWords(event) !== undefined;
}

/** Undefined for an event of the usual course of a run. */
function notableWords(event: RunEvent): [text: string, tone: Tone] | undefined {
	if (isFilesEvent(event)) return wordsOfFiles(event);
	if (isQuestionEvent(event)) return [describeEvent(event), event.event === "question_asked" ? "warn" : "plain"];
	switch (event.event) {
		case "agent_ended":
		case "run_ended":
			return wordsOfEnd(event);
		case "turn_retrying":
		case "turn_failed":
			return wordsOfBrokenCall(event);
		case "command_ended":
			return event.end.by === "exit" || event.end.by === "stopped" ? undefined : [describeEvent(event), "warn"];
		case "child_refused":
			return [`refused a child: ${event.reason || event.code}`, "warn"];
		case "message_unheard":
		case "turn_refused":
		case "client_refused":
		case "host_refused":
		case "budget_noticed":
		case "agent_repeats":
		case "calls_slowed":
		case "shortage_began":
		case "agent_stopping":
		case "run_stopping":
			return [describeEvent(event), "warn"];
		case "shortage_ended":
			return [describeEvent(event), "good"];
		case "run_resumed":
		case "run_forked":
		case "run_named":
		case "agent_paused":
		case "agent_continued":
		case "message_sent":
		case "message_withdrawn":
		case "agent_interrupted":
		case "agent_changed":
			return [describeEvent(event), "plain"];
		case "run_started":
		case "agent_joined":
		case "agent_resumed":
		case "turn_queued":
		case "turn_started":
		case "turn_ended":
		case "turn_cancelled":
		case "history_compacted":
		case "command_started":
		case "message_delivered":
		case "agent_listening":
		case "todo_changed":
		case "aside_ended":
			return undefined;
	}
}

function wordsOfFiles(event: FilesEvent): [text: string, tone: Tone] | undefined {
	const tone = troubleOfFiles(event);
	if (tone !== undefined) return [describeEvent(event), tone];
	return event.event === "worktree_kept" ? [describeEvent(event), "plain"] : undefined;
}

function wordsOfBrokenCall(
	event: Extract<RunEvent, { event: "turn_retrying" | "turn_failed" }>,
): [text: string, tone: Tone] | undefined {
	if (event.event === "turn_failed") return event.purpose === undefined ? undefined : [describeEvent(event), "warn"]; // a turn's failure ends its agent
	return [`${shortReason(event.reason)}, ${ordinal(event.attempt)} retry in ${formatWait(event.waitMs)}`, "warn"];
}

/** The root's end is that of the run. Of agents that were stopped, the one is told of that somebody has stopped. */
function wordsOfEnd(
	event: Extract<RunEvent, { event: "agent_ended" | "run_ended" }>,
): [text: string, tone: Tone] | undefined {
	const { ending } = event;
	if (event.event === "run_ended")
		return [`run ended: ${describeEnding(ending)}`, ending.by === "answer" ? "good" : "bad"];
	const { agent } = event;
	if (agent === ROOT) return undefined;
	switch (ending.by) {
		case "answer":
			return depthOf(agent) === 1 ? ["answered", "good"] : undefined;
		case "stopped":
			return undefined;
		case "failure":
			return [`FAILED: ${shortReason(ending.reason)}`, "bad"];
		case "limit":
			return [`LIMIT: ${ending.reason}`, "bad"];
		case "crashed":
			return [`CRASHED: ${ending.reason}`, "bad"];
		case "killed":
			return [`KILLED by ${ending.signal}`, "bad"];
	}
}

/** The reason without the service's own name of the error behind it. */
function shortReason(reason: string): string {
	return reason.replace(/ \([^()]*\)$/, "");
}
