/**
 * What stdout gets. text: nothing from here, the root agent prints its answer itself. json: one object at the end.
 * stream-json: one object a line, as users of other agents' stream-json know it (system/init, stream_event, assistant,
 * user, last result), with agent_id, parent_agent_id, depth and pid on each.
 */

import type { OutputFormat } from "../../config/output-format.ts";
import { type AgentId, ROOT } from "../../core/agent.ts";
import { jsonOfAnswer } from "../../core/json-answer.ts";
import { textOf } from "../../core/message.ts";
import type { ModelDelta } from "../../core/model.ts";
import type { RunEvent } from "../../core/run-event.ts";
import type { RunState } from "../../core/run-state.ts";
import type { TranscriptEntry } from "../../core/transcript.ts";
import type { RunEnd } from "../../supervisor/run-end.ts";
import { type Printed, printable } from "../../terminal/print.ts";
import type { RunsLater } from "../../worktree/runs-later.ts";
import { AnswerPieces } from "./answer-pieces.ts";
import { LineQueue } from "./line-queue.ts";
import { type Answered, answerLine, resultLine, type StreamSettings } from "./result-line.ts";
import { eventLineOf, messageLine, pieceLine } from "./stream-lines.ts";

/** With more than this waiting for a slow reader, pieces of answers are left out; whole messages never are. */
const MAX_UNSENT = 1024 * 1024;

export interface ResultWriter {
	onEvent(event: RunEvent, run: RunState): void;
	onRecord(agent: AgentId, entry: TranscriptEntry): void;
	onDelta(agent: AgentId, turn: number, delta: ModelDelta): void;
	/** Called when nobody reads stdout any more. */
	onClosed(listener: () => void): void;
	/** One answer of a conversation, which goes on. */
	answered(answer: Answered, run: RunState): void;
	/** A line of `stream-json` that no event tells. */
	put(line: object): void;
	/** Resolves when all is written, or to what kept it from being written. `isTold`: the last answer has been. */
	end(
		end: RunEnd,
		run: RunState,
		told?: { readonly isTold: boolean; readonly later?: readonly RunsLater[] },
	): Promise<Printed>;
}

const ENDS_AN_ANSWER: ReadonlySet<RunEvent["event"]> = new Set([
	"turn_retrying",
	"turn_ended",
	"turn_failed",
	"turn_cancelled",
	"agent_ended",
]);

/** Once a write has failed nothing more is written; the run goes on, since its files have all of it. */
export function createResultWriter(
	format: OutputFormat,
	settings: StreamSettings,
	write: (text: string) => Promise<Printed>,
): ResultWriter {
	const isStream = format === "stream-json";
	const pieces = new AnswerPieces();
	let scene: { settings: StreamSettings; run: RunState } | undefined;
	let lastWords = "";
	let onClosed = () => {};
	const linesOf = (taken: ReturnType<AnswerPieces["take"]>) =>
		scene === undefined ? [] : taken.map((piece) => pieceLine(piece, scene as NonNullable<typeof scene>));
	const queue = new LineQueue(write, { onIdle: () => linesOf(pieces.take()), onClosed: () => onClosed() });
	const endAnswer = (agent: AgentId) => {
		for (const line of linesOf(pieces.end(agent))) queue.put(line);
	};
	return {
		onEvent: (event, run) => {
			scene = { settings, run };
			if (!isStream) return;
			if (ENDS_AN_ANSWER.has(event.event) && "agent" in event) endAnswer(event.agent);
			const line = eventLineOf(event, scene);
			if (line !== undefined) queue.put(line);
		},
		onRecord: (agent, entry) => {
			if (agent === ROOT && entry.role === "assistant") lastWords = textOf(entry.content) || lastWords;
			if (agent === ROOT && entry.role === "note" && entry.note === "call") lastWords = entry.partial || lastWords;
			if (!isStream || scene === undefined || entry.role === "note") return;
			if (entry.role === "assistant") endAnswer(agent);
			queue.put(messageLine(agent, entry, scene));
		},
		onDelta: (agent, turn, delta) => {
			if (!isStream) return;
			pieces.add(agent, turn, delta);
			if (queue.unsent + pieces.waiting > MAX_UNSENT) pieces.cut();
			queue.wake();
		},
		onClosed: (listener) => {
			onClosed = listener;
		},
		answered: (answer, run) => {
			const words = lastWords;
			lastWords = "";
			if (format !== "text") return queue.put(answerLine(answer, { settings, run, lastWords: words }));
			const text = printable(settings.jsonSchema === undefined ? words : jsonOfAnswer(words));
			if (answer.ending.by === "answer") queue.putText(text.endsWith("\n") ? text : `${text}\n`);
		},
		put: (line) => {
			if (isStream) queue.put(line);
		},
		end: async (end, run, { isTold, later } = { isTold: false }) => {
			const words = end.rootFinish?.lastWords || lastWords;
			if (format !== "text" && !isTold) queue.put(resultLine(end, { settings, run, lastWords: words, later }));
			return queue.end();
		},
	};
}
