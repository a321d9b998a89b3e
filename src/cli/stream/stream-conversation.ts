/**
 * A conversation without a terminal: messages come on stdin, a line of JSON each, and each answer goes to stdout in the format that
 * was asked for. The supervisor is this process.
 */

import { AgentreeError, EXIT, exitCodeOf } from "../../core/errors.ts";
import type { LimitReached } from "../../core/limits/limits.ts";
import { type Ending, ROOT } from "../../core/model/agent.ts";
import { totalTurnLimitReached } from "../../core/run/admission.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { Progress } from "../../faces/print/progress.ts";
import type { OutputFormat } from "../../project/config/option-table.ts";
import type { RunRequest } from "../../project/config/run-request.ts";
import type { Supervisor } from "../../supervisor/supervisor.ts";
import { complain, print } from "../../terminal/print.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import { givenAnswer, type WrittenAnswer } from "../../wire/open-requests.ts";
import type { SuperviseOrder } from "../../wire/supervise-order.ts";
import type { FromWatcher, ToWatcher, Watcher } from "../../wire/watcher-messages.ts";
import { progressFor, READER_GONE, tellEnd } from "../host/headless.ts";
import { hostSupervisor } from "../host/host-supervisor.ts";
import { laterLook } from "../host/later-look.ts";
import { exitCodeAfter } from "../io/process-io.ts";
import { createResultWriter, type ResultWriter } from "../result/result-writer.ts";
import { type NumberedInput, readInputs } from "./stream-input.ts";

export interface StreamConversation {
	/** `first`: the message with which it begins; undefined: it goes on with a run that is over. Rejects with AgentreeError. */
	readonly begin: (first: string | undefined) => Promise<SuperviseOrder>;
	/** There is a run that it goes on with. */
	readonly isResumed: boolean;
	/** The message of the command line. */
	readonly first: string | undefined;
	readonly format: OutputFormat;
	readonly request: Pick<RunRequest, "isQuiet" | "isVerbose">;
	readonly input: AsyncIterable<Uint8Array>;
}

/** Resolves to the exit code: that of the run if it did not end by the end of the input, else of the last answer. */
export async function converseOnStream(how: StreamConversation): Promise<number> {
	const inputs = readInputs(how.input);
	const wrong: string[] = []; // before there is a run that could be told of
	const first = how.first ?? (how.isResumed ? undefined : await firstMessage(inputs, wrong));
	const order = await how.begin(first);
	const { settings } = order;
	const writer = createResultWriter(how.format, settings, (text) => print(1, text));
	const talk = new Talk(progressFor(how.request), writer);
	for (const why of wrong) talk.refuse(why);
	const look = laterLook(settings);
	const { supervisor, ended } = await hostSupervisor(order, talk.listeners);
	writer.onClosed(() => supervisor.stop(READER_GONE));
	void talk.takeAll(inputs, supervisor);
	const end = await ended;
	const isClosed = end.ending.by === "answer";
	const later = look();
	const printed = await writer.end(end, supervisor.run(), { isTold: isClosed, later });
	tellEnd(end, supervisor.run(), { isTold: false, later });
	return exitCodeAfter(printed, isClosed ? talk.exitCode : end.exitCode, settings.run);
}

/** The run begins with it. Throws AgentreeError("usage") when there is none. */
async function firstMessage(inputs: AsyncGenerator<NumberedInput>, wrong: string[]): Promise<string> {
	for (;;) {
		const { value, done } = await inputs.next();
		if (done === true) throw new AgentreeError("usage", [...wrong, "no message on stdin"].join("; "));
		if (value.is === "message") return value.text;
		if (value.is !== "nothing") wrong.push(whyWrong(value));
	}
}

function whyWrong({ number, ...input }: Exclude<NumberedInput, { is: "message" | "nothing" }>): string {
	const rejected = `line ${number} of stdin was rejected`;
	if (input.is === "interrupt") return `${rejected}: there is nothing to interrupt yet`;
	return `${rejected}: ${input.is === "answer" ? "there are no questions yet" : input.why}`;
}

const MOST_WAITING = 10; // the supervisor takes a few more
const MOST_KEPT = 100;

/**
 * The conversation, and its line to the supervisor in this process, as a watcher: messages are kept here while many wait there, and at
 * the end of the input the conversation is closed when its root listens.
 */
class Talk {
	private readonly writer: ResultWriter;
	private readonly answers = new Answers((answer, run) => this.answered(answer, run));
	private readonly progress: Progress;
	private readonly kept: string[] = [];
	private readonly open: ((reply: ToWatcher | undefined) => void)[] = [];
	private supervisor: Pick<Supervisor, "run" | "clientListener"> | undefined;
	private lastCode = 0;
	private hasWrongLines = false;
	private isSending = false;
	private isEnded = false;
	private onRoom = () => {};

	constructor(progress: Progress, writer: ResultWriter) {
		this.progress = progress;
		this.writer = writer;
	}

	/** Of the last answer; wrong usage if that was one, and a line was not taken. */
	get exitCode(): number {
		return this.lastCode || (this.hasWrongLines ? EXIT.usage : 0);
	}

	readonly listeners: Parameters<typeof hostSupervisor>[1] = {
		onEvent: (event, run) => {
			this.progress.onEvent(event, run);
			this.writer.onEvent(event, run);
			this.answers.onEvent(event, run);
			queueMicrotask(() => this.look());
		},
		onRecord: (agent, entry) => {
			this.progress.onRecord(agent, entry);
			this.writer.onRecord(agent, entry);
		},
		onDelta: (agent, turn, delta) => this.writer.onDelta(agent, turn, delta),
	};

	/** Never rejects. */
	async takeAll(inputs: AsyncGenerator<NumberedInput>, supervisor: Pick<Supervisor, "run" | "clientListener">) {
		this.supervisor = supervisor;
		this.say({ say: "watch" }); // a conversation that nobody watches is closed
		try {
			for await (const input of inputs) await this.take(input);
		} catch (error) {
			this.refuse(`stdin cannot be read: ${(error as Error).message}`);
		}
		this.isEnded = true;
		this.look();
	}

	/** Says on stderr what is not taken, and in `stream-json` on stdout, too. */
	refuse(why: string): void {
		this.hasWrongLines = true;
		complain(`agent: ${why}`);
		this.writer.put({ type: "system", subtype: "input_refused", error: why });
	}

	private async take(input: NumberedInput): Promise<void> {
		switch (input.is) {
			case "nothing":
				return;
			case "message":
				return this.keep(input.text);
			case "interrupt": {
				const reply = await this.ask({ say: "interrupt", agent: ROOT });
				return this.respond(input.id, reply?.say === "interrupted" ? undefined : whyOf(reply));
			}
			case "answer":
				return this.respond(input.id, this.answer(input.question, input.written));
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

	private answered(answer: Answer, run: RunState): void {
		this.lastCode = exitCodeOf(answer.ending);
		this.writer.answered(answer, run);
		if (answer.ending.by !== "answer") complain(`agent ${ROOT}: ${describeEnding(answer.ending)}`);
	}

	/** Resolves when more can be kept. */
	private async keep(text: string): Promise<void> {
		this.kept.push(text);
		void this.sendAll();
		if (this.kept.length < MOST_KEPT) return;
		await new Promise<void>((resolve) => {
			this.onRoom = resolve;
		});
	}

	/** After each event: messages may have been taken, or the root listen. */
	private look(): void {
		if (this.kept.length > 0) void this.sendAll();
		else if (this.isEnded && !this.isSending && this.root()?.state.is === "listening") void this.close();
	}

	private root() {
		return this.supervisor?.run().agents[ROOT];
	}

	/** While the root works, a message goes out with its next call; else one at a time, so that each has an answer. */
	private hasRoom(): boolean {
		const { state, messages = [] } = this.root() ?? {};
		switch (state?.is) {
			case undefined: // it has not joined
			case "ended": // it goes on with a run that was over
			case "queued":
				return false;
			case "listening":
				return messages.length === 0;
			case "thinking":
			case "running":
			case "waiting":
				return messages.length < MOST_WAITING && this.whyNever() === undefined; // which is said after the answer
		}
	}

	/** Why no message can be answered any more. */
	private whyNever(): LimitReached | undefined {
		return (this.supervisor && totalTurnLimitReached(this.supervisor.run(), ROOT)) ?? this.answers.limit;
	}

	private async sendAll(): Promise<void> {
		const { supervisor } = this;
		if (this.isSending || supervisor === undefined) return;
		this.isSending = true;
		while (this.kept.length > 0 && this.hasRoom()) {
			const text = this.kept.shift() ?? "";
			const never = this.whyNever();
			if (never !== undefined) {
				const { limit, reason } = never;
				this.answered({ ending: { by: "limit", limit, reason }, durationMs: 0, turns: 0 }, supervisor.run());
				continue;
			}
			const reply = await this.ask({ say: "send", agent: ROOT, text });
			if (reply?.say !== "sent") this.refuse(`a message was rejected: ${whyOf(reply)}`);
		}
		this.isSending = false;
		if (this.kept.length < MOST_KEPT) this.onRoom();
		if (this.isEnded && this.kept.length === 0) this.look();
	}

	/** Refused when the root has begun with what was said last: then it is asked again when it listens. */
	private async close(): Promise<void> {
		this.isSending = true;
		await this.ask({ say: "close" });
		this.isSending = false;
	}

	/** Why the answer is not taken, undefined when it is. It is answered at once, so no other request waits before it. */
	private answer(question: number, written: WrittenAnswer): string | undefined {
		const what = this.supervisor?.run().questions?.find(({ number }) => number === question)?.what;
		const answer = givenAnswer(written, what);
		if (typeof answer === "string") return answer;
		const replies: ToWatcher[] = [];
		this.say({ say: "answer", question, answer }, { ...this.watcher, send: (message) => replies.push(message) });
		const [reply] = replies;
		return reply?.say === "answer_taken" ? undefined : whyOf(reply);
	}

	private ask(request: FromPerson): Promise<ToWatcher | undefined> {
		return new Promise((resolve) => {
			this.open.push(resolve);
			this.say(request);
		});
	}

	private say(request: FromPerson, watcher = this.watcher): void {
		this.supervisor?.clientListener().onWatcherMessage(watcher, { ...request, by: null });
	}

	private readonly watcher: Watcher = {
		unsentBytes: 0,
		send: (message) => {
			if (REPLIES.has(message.say)) this.open.shift()?.(message);
		},
		close: () => {
			for (const answer of this.open.splice(0)) answer(undefined);
			this.onRoom();
		},
	};
}

type FromPerson = Extract<FromWatcher, { say: "watch" | "send" | "interrupt" | "answer" | "close" }>;

const REPLIES: ReadonlySet<ToWatcher["say"]> = new Set(["sent", "refused", "interrupted"]);

function whyOf(reply: ToWatcher | undefined): string {
	return reply?.say === "refused" ? reply.reason : "the run has ended";
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
