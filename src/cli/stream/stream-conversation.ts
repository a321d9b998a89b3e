/**
 * A conversation without a terminal: messages come on stdin, a line of JSON each, and each answer goes to stdout in the format that
 * was asked for. The supervisor is this process.
 */

import { AgentreeError, EXIT, exitCodeOf } from "../../core/errors.ts";
import { type Ending, ROOT } from "../../core/model/agent.ts";
import { totalTurnLimitReached } from "../../core/run/admission.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { Progress } from "../../faces/print/progress.ts";
import type { OutputFormat } from "../../project/config/option-table.ts";
import type { Supervisor } from "../../supervisor/supervisor.ts";
import { complain, print } from "../../terminal/print.ts";
import { describeEnding } from "../../text/states.ts";
import type { SuperviseOrder } from "../../wire/supervise-order.ts";
import { READER_GONE, tellEnd } from "../host/headless.ts";
import { hostSupervisor } from "../host/host-supervisor.ts";
import { laterLook } from "../host/later-look.ts";
import { exitCodeAfter } from "../io/process-io.ts";
import { createResultWriter, type ResultWriter } from "../result/result-writer.ts";
import { readStreamLine, type StreamInput } from "./stream-input.ts";
import { TalkLink } from "./talk-link.ts";

export interface StreamConversation {
	/** `first`: the message with which it begins; undefined: it goes on with a run that is over. Rejects with AgentreeError. */
	readonly begin: (first: string | undefined) => Promise<SuperviseOrder>;
	/** There is a run that it goes on with. */
	readonly isResumed: boolean;
	/** The message of the command line. */
	readonly first: string | undefined;
	readonly format: OutputFormat;
	readonly progress: Progress;
	readonly input: AsyncIterable<Uint8Array>;
}

/** Resolves to the exit code: that of the run if it did not end by the end of the input, else of the last answer. */
export async function converseOnStream(how: StreamConversation): Promise<number> {
	const inputs = inputsFrom(how.input);
	const wrong: string[] = []; // before there is a run that could be told of
	const first = how.first ?? (how.isResumed ? undefined : await firstMessage(inputs, wrong));
	const order = await how.begin(first);
	const { settings } = order;
	const writer = createResultWriter(how.format, settings, (text) => print(1, text));
	const talk = new Talk(how, writer);
	for (const why of wrong) talk.refuse(why);
	const look = laterLook(settings);
	const { supervisor, ended } = await hostSupervisor(order, talk.listeners);
	writer.onClosed(() => supervisor.stop(READER_GONE));
	talk.open(supervisor);
	void talk.takeAll(inputs);
	const end = await ended;
	const isClosed = end.ending.by === "answer";
	const later = look();
	const printed = await writer.end(end, supervisor.run(), { isTold: isClosed, later });
	tellEnd(end, supervisor.run(), { isTold: false, later });
	return exitCodeAfter(printed, isClosed ? talk.exitCode : end.exitCode, settings.run);
}

type Numbered = StreamInput & { readonly number: number };

async function* inputsFrom(input: AsyncIterable<Uint8Array>): AsyncGenerator<Numbered> {
	for await (const line of inputLines(input)) yield { ...readLine(line), number: line.number };
}

function readLine(line: InputLine): StreamInput {
	if (line.is === "too_long")
		return { is: "wrong", why: "it has more than 8 MiB: put the text in a file and name the file" };
	return readStreamLine(line.bytes);
}

/** The run begins with it. Throws AgentreeError("usage") when there is none. */
async function firstMessage(inputs: AsyncGenerator<Numbered>, wrong: string[]): Promise<string> {
	for (;;) {
		const { value, done } = await inputs.next();
		if (done === true) throw new AgentreeError("usage", [...wrong, "no message on stdin"].join("; "));
		if (value.is === "message") return value.text;
		if (value.is !== "nothing") wrong.push(whyWrong(value));
	}
}

function whyWrong(input: Exclude<Numbered, { is: "message" | "nothing" }>): string {
	const why = whyNotYet(input);
	return `line ${input.number} of stdin was rejected: ${why}`;
}

function whyNotYet(input: Exclude<Numbered, { is: "message" | "nothing" }>): string {
	if (input.is === "interrupt") return "there is nothing to interrupt yet";
	return input.is === "answer" ? "there are no questions yet" : input.why;
}

class Talk {
	private readonly how: StreamConversation;
	private readonly writer: ResultWriter;
	private readonly answers = new Answers((answer, run) => this.answered(answer, run));
	private link: TalkLink | undefined;
	private lastCode = 0;
	private hasWrongLines = false;

	constructor(how: StreamConversation, writer: ResultWriter) {
		this.how = how;
		this.writer = writer;
	}

	/** Of the last answer; wrong usage if that was one, and a line was not taken. */
	get exitCode(): number {
		return this.lastCode || (this.hasWrongLines ? EXIT.usage : 0);
	}

	readonly listeners: Parameters<typeof hostSupervisor>[1] = {
		onEvent: (event, run) => {
			this.how.progress.onEvent(event, run);
			this.writer.onEvent(event, run);
			this.answers.onEvent(event, run);
			queueMicrotask(() => this.link?.look());
		},
		onRecord: (agent, entry) => {
			this.how.progress.onRecord(agent, entry);
			this.writer.onRecord(agent, entry);
		},
		onDelta: (agent, turn, delta) => this.writer.onDelta(agent, turn, delta),
	};

	open(supervisor: Pick<Supervisor, "run" | "clientListener">): void {
		this.link = new TalkLink({
			listener: supervisor.clientListener(),
			run: () => supervisor.run(),
			onRefused: (why) => this.refuse(`a message was rejected: ${why}`),
			whyNever: () => totalTurnLimitReached(supervisor.run(), ROOT) ?? this.answers.limit,
			onNever: ({ limit, reason }) =>
				this.answered({ ending: { by: "limit", limit, reason }, durationMs: 0, turns: 0 }, supervisor.run()),
		});
	}

	/** Never rejects. */
	async takeAll(inputs: AsyncGenerator<Numbered>): Promise<void> {
		try {
			for await (const input of inputs) await this.take(input);
		} catch (error) {
			this.refuse(`stdin cannot be read: ${(error as Error).message}`);
		}
		this.link?.end();
	}

	/** Tells of what is not taken, on stderr, and in `stream-json` on stdout, too. */
	refuse(why: string): void {
		this.hasWrongLines = true;
		complain(`agent: ${why}`);
		this.writer.put({ type: "system", subtype: "input_refused", error: why });
	}

	private async take(input: Numbered): Promise<void> {
		switch (input.is) {
			case "nothing":
				return;
			case "message":
				return this.link?.say(input.text);
			case "interrupt":
				return this.respond(input.id, await this.link?.interrupt());
			case "answer":
				return this.respond(input.id, this.link?.answer(input.question, input.written));
			case "unknown_request":
				this.respond(input.id, input.why);
				return this.refuse(whyWrong(input));
			case "wrong":
				return this.refuse(whyWrong(input));
		}
	}

	private respond(request_id: string, error: string | undefined): void {
		const response = error === undefined ? { subtype: "success", request_id } : { subtype: "error", request_id, error };
		this.writer.put({ type: "control_response", response });
	}

	private answered(answer: Answer, run: Parameters<ResultWriter["answered"]>[1]): void {
		this.lastCode = exitCodeOf(answer.ending);
		this.writer.answered(answer, run);
		if (answer.ending.by !== "answer") complain(`agent ${ROOT}: ${describeEnding(answer.ending)}`);
	}
}

/** The lines of a stream, as bytes. One that is too long is passed over, and never kept. */
export type InputLine =
	| { readonly is: "line"; readonly number: number; readonly bytes: Uint8Array }
	| { readonly is: "too_long"; readonly number: number };

const LINE_FEED = 10;
/** A message of the longest, each character of it escaped. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

/** The last line need not end. Rejects with the stream's error. */
export async function* inputLines(input: AsyncIterable<Uint8Array>, most = MAX_LINE_BYTES): AsyncGenerator<InputLine> {
	let number = 1;
	let parts: Uint8Array[] = [];
	let bytes = 0;
	const line = (): InputLine => {
		const found: InputLine =
			bytes > most ? { is: "too_long", number } : { is: "line", number, bytes: joined(parts, bytes) };
		[parts, bytes, number] = [[], 0, number + 1];
		return found;
	};
	const add = (part: Uint8Array) => {
		bytes += part.length;
		if (bytes > most) parts = [];
		else parts.push(part);
	};
	for await (const chunk of input) {
		let from = 0;
		for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
			add(chunk.subarray(from, end));
			yield line();
			from = end + 1;
		}
		if (from < chunk.length) add(chunk.subarray(from));
	}
	if (bytes > 0) yield line();
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
	if (parts.length === 1) return parts[0] as Uint8Array;
	const whole = new Uint8Array(bytes);
	let at = 0;
	for (const part of parts) {
		whole.set(part, at);
		at += part.length;
	}
	return whole;
}

/** The answers of a conversation, as its events tell of them: each ends when the root listens again. */
export interface Answer {
	readonly ending: Ending;
	/** Since the first turn for it. */
	readonly durationMs: number;
	readonly turns: number;
}

const INTERRUPTED: Ending = { by: "failure", reason: "interrupted", exitCode: EXIT.failure };

export class Answers {
	private begunAt: number | undefined;
	private turnsBefore = 0;
	private isInterrupted = false;
	private refusal: Extract<Ending, { by: "limit" }> | undefined;
	private readonly onAnswer: (answer: Answer, run: RunState) => void;

	constructor(onAnswer: (answer: Answer, run: RunState) => void) {
		this.onAnswer = onAnswer;
	}

	/** The limit of the run that forbids every further answer; max-turns begins anew with each message. */
	get limit(): Extract<Ending, { by: "limit" }> | undefined {
		return this.refusal?.limit === "max-turns" ? undefined : this.refusal;
	}

	/** `run`: after the event. */
	onEvent(event: RunEvent, run: RunState): void {
		if (!("agent" in event) || event.agent !== ROOT) return;
		switch (event.event) {
			case "agent_resumed":
				this.turnsBefore = run.agents[ROOT]?.turns ?? 0;
				return;
			case "turn_started":
			case "message_delivered":
				this.begunAt ??= event.at;
				return;
			case "agent_interrupted":
				this.isInterrupted = true;
				return;
			case "turn_refused":
				this.refusal = { by: "limit", limit: event.limit, reason: event.reason };
				return;
			case "agent_listening":
				return this.ended(event, run);
		}
	}

	private ended({ at, reason }: { at: number; reason?: string }, run: RunState): void {
		const { begunAt, isInterrupted, refusal } = this;
		if (begunAt === undefined && reason === undefined && !isInterrupted) return; // it goes on with a run that had answered
		const turns = run.agents[ROOT]?.turns ?? 0;
		const failure: Ending | undefined =
			reason === undefined ? undefined : (refusal ?? { by: "failure", reason, exitCode: EXIT.failure });
		const ending: Ending = isInterrupted ? INTERRUPTED : (failure ?? { by: "answer" });
		const answer = { ending, durationMs: Math.max(0, at - (begunAt ?? at)), turns: turns - this.turnsBefore };
		this.begunAt = undefined;
		this.isInterrupted = false;
		this.turnsBefore = turns;
		if (this.limit === undefined) this.refusal = undefined;
		this.onAnswer(answer, run);
	}
}
