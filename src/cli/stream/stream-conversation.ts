/**
 * A conversation without a terminal: messages come on stdin, a line of JSON each, and each answer goes to stdout in the format that
 * was asked for. The supervisor is this process.
 */
import type { OutputFormat } from "../../config/output-format.ts";
import { totalTurnLimitReached } from "../../core/admission.ts";
import { ROOT } from "../../core/agent.ts";
import { AgentreeError } from "../../core/errors.ts";
import { EXIT, exitCodeOf } from "../../core/exit-code.ts";
import type { Supervisor } from "../../supervisor/supervisor.ts";
import { complain, print } from "../../terminal/print.ts";
import { describeEnding } from "../../text/states.ts";
import { exitCodeAfter } from "../io/process-io.ts";
import { createResultWriter, type ResultWriter } from "../result/result-writer.ts";
import { READER_GONE, tellEnd } from "../start/headless.ts";
import { hostSupervisor } from "../start/host-supervisor.ts";
import { laterLook } from "../start/later-look.ts";
import type { PreparedRun } from "../start/prepare-run.ts";
import type { Progress } from "../text/progress.ts";
import { type Answer, Answers } from "./answers.ts";
import { type InputLine, inputLines } from "./input-lines.ts";
import { readStreamLine, type StreamInput } from "./stream-input.ts";
import { TalkLink } from "./talk-link.ts";

export interface StreamConversation {
	/** `first`: the message with which it begins; undefined: it goes on with a run that is over. Rejects with AgentreeError. */
	readonly begin: (first: string | undefined) => Promise<PreparedRun>;
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
	const { settings, ...prepared } = await how.begin(first);
	const writer = createResultWriter(how.format, settings, (text) => print(1, text));
	const talk = new Talk(how, writer);
	for (const why of wrong) talk.refuse(why);
	const hosted = { ...prepared, settings: { ...settings, isConversation: true as const } };
	const look = laterLook(settings);
	const { supervisor, ended } = await hostSupervisor(hosted, talk.listeners);
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
		return { is: "wrong", why: "it has more than 8 MiB: put the text into a file, and name that" };
	return readStreamLine(line.bytes);
}

/** The run begins with it. Throws AgentreeError("usage") when there is none. */
async function firstMessage(inputs: AsyncGenerator<Numbered>, wrong: string[]): Promise<string> {
	for (;;) {
		const { value, done } = await inputs.next();
		if (done === true) throw new AgentreeError("usage", [...wrong, "no message came on stdin"].join("; "));
		if (value.is === "message") return value.text;
		if (value.is !== "nothing") wrong.push(whyWrong(value));
	}
}

function whyWrong(input: Exclude<Numbered, { is: "message" | "nothing" }>): string {
	const why = whyNotYet(input);
	return `line ${input.number} of stdin is not taken: ${why}`;
}

function whyNotYet(input: Exclude<Numbered, { is: "message" | "nothing" }>): string {
	if (input.is === "interrupt") return "there is nothing to interrupt yet";
	return input.is === "answer" ? "nobody asks anything yet" : input.why;
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
			onRefused: (why) => this.refuse(`a message is not taken: ${why}`),
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
