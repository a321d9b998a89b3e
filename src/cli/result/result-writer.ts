/**
 * What stdout gets. text: nothing from here, the root agent prints its answer itself. json: one object at the end.
 * stream-json: one object a line, as users of other agents' stream-json know it (system/init, stream_event, assistant,
 * user, last result), with agent_id, parent_agent_id, depth and pid on each.
 */

import { defined } from "../../core/defined.ts";
import { type AgentId, parentOf, ROOT } from "../../core/model/agent.ts";
import { jsonOfAnswer } from "../../core/model/json-answer.ts";
import { textOf } from "../../core/model/message.ts";
import type { ModelDelta } from "../../core/model/model.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { MessageEntry, TranscriptEntry } from "../../core/schemas/transcript.ts";
import type { OutputFormat } from "../../project/config/option-table.ts";
import type { RunsLater } from "../../project/undo/runs-later.ts";
import type { RunEnd } from "../../supervisor/run-end.ts";
import { type Printed, printable } from "../../terminal/print.ts";
import { safeJson } from "../../text/safe/invisible.ts";
import {
	type Answered,
	answerLine,
	place,
	resultLine,
	type StreamScene,
	type StreamSettings,
	usageLine,
} from "./result-line.ts";

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

/** Lines of JSON for stdout, one write after the other, so that a slow reader never holds up the run. */
interface LineQueueListener {
	/** Called when all is written, and more may be put. */
	onIdle(): readonly object[];
	/** Called when nobody reads any more. */
	onClosed(): void;
}

class LineQueue {
	private readonly write: (text: string) => Promise<Printed>;
	private readonly listener: LineQueueListener;
	private lines: string[] = [];
	private printed: Printed = { is: "written" };
	private isWriting = false;
	private writing: Promise<void> = Promise.resolve();
	/** The number of characters that are not written yet. */
	unsent = 0;

	constructor(write: (text: string) => Promise<Printed>, listener: LineQueueListener) {
		this.write = write;
		this.listener = listener;
	}

	put(line: object): void {
		if (this.printed.is !== "written") return; // the run goes on: its files have all of it
		this.putText(`${safeJson(line)}\n`);
	}

	/** One that ends already. */
	putText(text: string): void {
		if (this.printed.is !== "written") return;
		this.unsent += text.length;
		this.lines.push(text);
		this.wake();
	}

	/** Calls `onIdle` when nothing is being written. */
	wake(): void {
		if (this.isWriting || this.printed.is !== "written") return;
		this.isWriting = true;
		this.writing = this.writeAll();
	}

	/** Resolves when all is written, or to what kept it from being written. */
	async end(): Promise<Printed> {
		while (this.isWriting) await this.writing;
		return this.printed;
	}

	private async writeAll(): Promise<void> {
		await undefined; // what is put in the same step goes in one write
		while (this.printed.is === "written") {
			if (this.lines.length === 0) for (const line of this.listener.onIdle()) this.put(line);
			const text = this.lines.join("");
			if (text === "") break;
			this.lines = [];
			this.printed = await this.write(text);
			this.unsent -= text.length;
		}
		this.isWriting = false;
		if (this.printed.is === "written") return;
		this.lines = [];
		if (this.printed.is === "reader_gone") this.listener.onClosed();
	}
}

/** The line for an event; undefined for the many events that the messages tell, too. */
function eventLineOf(event: RunEvent, { settings, run }: StreamScene): object | undefined {
	const system = (agent: AgentId, subtype: string, facts: object) => {
		return { type: "system", subtype, ...facts, ...place(agent, settings, run) };
	};
	switch (event.event) {
		case "agent_joined":
		case "agent_resumed":
			return joinedLine(event.agent, settings, run);
		case "agent_ended":
			return system(event.agent, "agent_ended", { ending: event.ending });
		case "turn_retrying": {
			const { turn, attempt, waitMs, reason } = event;
			return system(event.agent, "turn_retrying", { turn, attempt, wait_ms: waitMs, reason });
		}
		case "history_compacted": {
			const { how, tokensBefore, tokensAfter } = event;
			const metadata = { trigger: "auto", pre_tokens: tokensBefore, post_tokens: tokensAfter, how };
			return system(event.agent, "compact_boundary", { compact_metadata: metadata });
		}
		case "budget_noticed":
			return system(event.agent, "budget_noticed", { reason: event.reason });
		case "message_unheard":
			return system(event.agent, "message_unheard", { from: event.from, text: event.text });
		case "agent_changed": {
			const { model, effort, limits, reason, windowTokens } = event;
			const facts = defined({ model, effort, limits, reason, window_tokens: windowTokens });
			return system(event.agent, "agent_changed", facts);
		}
		case "calls_slowed": {
			const { reason, waitMs, maxCalls } = event;
			return system(ROOT, "calls_slowed", { reason, wait_ms: waitMs, max_calls: maxCalls });
		}
		case "question_asked":
		case "question_refused":
		case "question_answered":
		case "question_withdrawn":
			return system(event.agent, event.event, questionFacts(event));
	}
	return undefined;
}

type QuestionFacts = Extract<RunEvent, { event: `question_${string}` }>;

/** In the shape of `agent questions --json`. */
function questionFacts(asked: QuestionFacts): object {
	const { event, at, agent, ...facts } = asked;
	if (!("what" in facts)) return facts;
	const { what, ...others } = facts;
	return { ...others, ...what };
}

/** A piece of an answer that streams, in the shape of the Messages API's stream. */
function pieceLine({ agent, turn, event }: AgentPiece, { settings, run }: StreamScene): object {
	const parent_tool_use_id = parentCallOf(agent, run);
	return { type: "stream_event", event, turn, parent_tool_use_id, ...place(agent, settings, run) };
}

function joinedLine(agent: AgentId, settings: StreamSettings, run: RunState): object {
	const { model, limits, task } = run.agents[agent] ?? run;
	const subtype = agent === ROOT ? "init" : "agent_started";
	return {
		type: "system",
		subtype,
		cwd: run.worktrees?.[agent]?.cwd ?? settings.cwd,
		tools: ["bash"],
		model,
		task,
		limits,
		version: settings.version,
		...place(agent, settings, run),
	};
}

function messageLine(agent: AgentId, entry: MessageEntry, { settings, run }: StreamScene): object {
	const common = { parent_tool_use_id: parentCallOf(agent, run), ...place(agent, settings, run) };
	if (entry.role === "user") return { type: "user", message: { role: "user", content: entry.content }, ...common };
	const { content, model, stopReason, usage, messageId, turn } = entry;
	const message = {
		id: messageId ?? `${agent}-${turn}`,
		type: "message",
		role: "assistant",
		model,
		content,
		stop_reason: stopReason,
		stop_sequence: null,
		usage: usageLine(usage),
	};
	return { type: "assistant", message, ...common };
}

/** The tool call whose command has started the agent, while that command runs. */
function parentCallOf(agent: AgentId, run: RunState): string | null {
	const parent = run.agents[parentOf(agent) ?? ""];
	const command = run.agents[agent]?.command;
	return parent?.running.find((running) => running.command === command)?.toolUseId ?? null;
}

/**
 * Pieces of answers on their way to stream-json, as the Messages API streams them. Pieces that wait are joined, and when
 * too much waits because the reader is slow, the rest of that answer's pieces is left out: what comes is a beginning.
 */

/** The event of one line. The pieces of a block of the kind `input_json_delta`, joined, are `{"command":"…"}`. */
interface PieceEvent {
	readonly type: "content_block_delta";
	readonly index: number;
	readonly delta:
		| { readonly type: "text_delta"; readonly text: string }
		| { readonly type: "thinking_delta"; readonly thinking: string }
		| { readonly type: "input_json_delta"; readonly partial_json: string };
}

interface AgentPiece {
	readonly agent: AgentId;
	readonly turn: number;
	readonly event: PieceEvent;
}

interface Block {
	readonly kind: ModelDelta["kind"];
	readonly index: number;
	/** The text that has not been taken yet. */
	text: string;
	/** True until something of the block has been taken. */
	isNew: boolean;
}

interface Answer {
	readonly turn: number;
	readonly blocks: Block[];
	isCut: boolean;
}

class AnswerPieces {
	private readonly answers = new Map<AgentId, Answer>();
	/** The number of characters that wait. */
	waiting = 0;

	add(agent: AgentId, turn: number, { kind, text, block }: ModelDelta): void {
		const known = this.answers.get(agent);
		const answer = known?.turn === turn ? known : { turn, blocks: [], isCut: false };
		this.answers.set(agent, answer);
		if (answer.isCut) return;
		const last = answer.blocks.at(-1);
		const index = block ?? (last === undefined ? 0 : last.kind === kind ? last.index : last.index + 1);
		this.waiting += text.length;
		if (last !== undefined && last.kind === kind && last.index === index) last.text += text;
		else answer.blocks.push({ kind, index, text, isNew: true });
	}

	/**
	 * What waits, of all agents. A command goes on until another block begins, or its answer ends; and until then half a
	 * character at the end of a piece waits for its other half.
	 */
	take(): AgentPiece[] {
		return [...this.answers.keys()].flatMap((agent) => this.takeOf(agent, false));
	}

	/** Takes the rest of an answer that is complete, or broke. */
	end(agent: AgentId): AgentPiece[] {
		const rest = this.takeOf(agent, true);
		this.answers.delete(agent);
		return rest;
	}

	/** Forgets what waits, and what will come of the answers that stream now. */
	cut(): void {
		this.waiting = 0;
		for (const answer of this.answers.values()) {
			answer.isCut = true;
			answer.blocks.length = 0;
		}
	}

	private takeOf(agent: AgentId, isEnd: boolean): AgentPiece[] {
		const answer = this.answers.get(agent);
		if (answer === undefined) return [];
		const { turn, blocks } = answer;
		const last = blocks.at(-1);
		const held = last === undefined || isEnd ? "" : halfAtEndOf(last.text);
		if (last !== undefined) last.text = last.text.slice(0, last.text.length - held.length);
		const pieces = blocks.flatMap((block, at) => {
			const delta = deltaOf({ ...block, text: block.text.toWellFormed() }, isEnd || at < blocks.length - 1);
			return delta === undefined
				? []
				: [{ agent, turn, event: { type: "content_block_delta", index: block.index, delta } as const }];
		});
		for (const block of blocks) this.waiting -= block.text.length;
		answer.blocks.splice(
			0,
			blocks.length,
			...(last === undefined ? [] : [{ ...last, text: held, isNew: last.isNew && last.text === "" }]),
		);
		return pieces;
	}
}

function halfAtEndOf(text: string): string {
	return /[\uD800-\uDBFF]$/.exec(text)?.[0] ?? "";
}

function deltaOf({ kind, text, isNew }: Block, isClosed: boolean): PieceEvent["delta"] | undefined {
	if (kind === "command") {
		const json = `${isNew ? '{"command":"' : ""}${JSON.stringify(text).slice(1, -1)}${isClosed ? '"}' : ""}`;
		return json === "" ? undefined : { type: "input_json_delta", partial_json: json };
	}
	if (text === "") return undefined;
	return kind === "text" ? { type: "text_delta", text } : { type: "thinking_delta", thinking: text };
}
