/**
 * A conversation of the whole program: its supervisor process, as a face starts it, and a person who talks over the socket. The
 * service answers by the last words that it is sent.
 */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import { DEFAULT_LIMITS, type Limits } from "../../../src/core/limits/limits.ts";
import { DEFAULT_BOUNDS } from "../../../src/core/limits/shortage.ts";
import { DEFAULT_RETRY_POLICY } from "../../../src/core/model/model.ts";
import { newRunId } from "../../../src/core/run/run-id.ts";
import { EMPTY_RUN, type RunState, reduce } from "../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { readRunLock } from "../../../src/record/run-lock.ts";
import type { SuperviseOrder } from "../../../src/wire/supervise-order.ts";
import { connectAsWatcher } from "../../../src/wire/watcher-connection.ts";
import type { FromWatcher, ToWatcher } from "../../../src/wire/watcher-messages.ts";
import {
	type FakeAnswer,
	type FakeApi,
	lastText,
	type RecordedRequest,
	startFakeApi,
} from "../../fixtures/fake-api.ts";
import { WAIT } from "../../wait.ts";
import { KEY } from "../api/api-run.ts";
import { type Program, startProgram, temporaryHome } from "../program.ts";

export const AGENT = fileURLToPath(new URL("../../../dist/agent.js", import.meta.url));
/** By home: two living runs of one id would end each other's processes. */
const RUNS = new Map<string, string>();
export type Replies = Record<string, FakeAnswer | ((request: RecordedRequest) => FakeAnswer | Promise<FakeAnswer>)>;

export async function startTalkService(replies: Replies): Promise<FakeApi> {
	const api = await startFakeApi((request) => {
		const said = lastText(request.body.messages);
		const known = Object.keys(replies).find((words) => said.includes(words));
		const answer = known === undefined ? undefined : replies[known];
		if (answer === undefined) return { content: [{ type: "text", text: `no answer to: ${said}` }] };
		return typeof answer === "function" ? answer(request) : answer;
	});
	onTestFinished(() => api.close());
	return api;
}

export interface TalkOptions {
	task?: string;
	limits?: Partial<Limits>;
	model?: string;
	home?: string;
	api?: FakeApi;
	resume?: { message?: string };
	settings?: Partial<SuperviseOrder["settings"]>;
}

function runIn(home: string): string {
	const run = RUNS.get(home) ?? newRunId(new Date(), Math.random);
	RUNS.set(home, run);
	return run;
}

function socketIn(home: string): string {
	const directory = `${home}/run/agentree`;
	mkdirSync(directory, { recursive: true, mode: 0o700 });
	return `${directory}/${runIn(home)}.sock`;
}

function environmentOf(home: string): Record<string, string> {
	const { PATH = "" } = process.env;
	return { PATH, HOME: home, XDG_RUNTIME_DIR: `${home}/run`, AGENTREE_HOME: `${home}/agentree` };
}

/** The supervisor process of a conversation. */
export function startConversation(options: TalkOptions = {}): Program {
	const { home = temporaryHome(), api, resume, model = "claude-opus-5-5" } = options;
	const settings: SuperviseOrder["settings"] = {
		...{ run: runIn(home), home: `${home}/agentree`, socket: socketIn(home), task: options.task ?? "begin", cwd: home },
		...{ model, limits: { ...DEFAULT_LIMITS, ...options.limits }, bounds: DEFAULT_BOUNDS, prices: [], hosts: [] },
		...{ retryPolicy: DEFAULT_RETRY_POLICY, version: "0.1.0", rootStdio: "ignore", nodeProgram: process.execPath },
		...{ keepsBackground: false, agentProgram: AGENT, isConversation: true, env: environmentOf(home) },
		...options.settings,
	};
	const credentials = api === undefined ? {} : { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: api.url };
	const held = resume && readRunLock(`${home}/agentree/runs/${runIn(home)}`); // left by a supervisor that was killed
	const order: SuperviseOrder = { settings, credentials, ...(resume && { resume: { ...resume, held } }) };
	return startProgram(["supervise"], { home, stdin: JSON.stringify(order) });
}

const ANSWERS = [
	...["sent", "interrupted", "withdrawn", "refused", "paused", "continued"],
	...["changed", "compacting", "aside_answer", "context", "named", "answer_taken"],
];

/** A person on the socket: all that was told so far, and the run as it tells it. */
export class Person {
	readonly heard: ToWatcher[] = [];
	run: RunState = EMPTY_RUN;
	isClosed = false;
	private listenedBefore = 0;
	readonly program: Program;
	private readonly send: (message: FromWatcher) => void;

	private constructor(program: Program, send: (message: FromWatcher) => void) {
		this.program = program;
		this.send = send;
	}

	static async joins(program: Program): Promise<Person> {
		await vi.waitFor(() => {
			if (program.stdoutSoFar() === "") throw new Error("no supervisor");
		}, WAIT);
		if (!program.stdoutSoFar().includes('"started"')) throw new Error(program.stdoutSoFar());
		const connection = await connectAsWatcher(socketIn(program.home));
		onTestFinished(() => connection.close());
		const person = new Person(program, (message) => connection.send(message));
		connection.onMessage((message) => person.hear(message));
		connection.onClose(() => {
			person.isClosed = true;
		});
		connection.send({ say: "watch" });
		connection.send({ say: "focus", agent: "1" });
		await person.until(() => person.run !== EMPTY_RUN);
		return person;
	}

	/** What is answered to it: a message that is no event. */
	async asks(message: FromWatcher): Promise<ToWatcher | undefined> {
		const from = this.heard.length;
		this.send(message);
		const isAnswer = ({ say }: ToWatcher) => ANSWERS.includes(say);
		await this.until(() => this.isClosed || this.heard.slice(from).some(isAnswer));
		return this.heard.slice(from).find(isAnswer);
	}

	says(text: string): Promise<ToWatcher | undefined> {
		return this.asks({ say: "send", agent: "1", text });
	}

	interrupts(): Promise<ToWatcher | undefined> {
		return this.asks({ say: "interrupt", agent: "1" });
	}

	async until(isSo: () => boolean): Promise<void> {
		await vi.waitFor(() => {
			if (!isSo()) throw new Error(`waited in vain; last: ${JSON.stringify(this.events.slice(-4))}`);
		}, WAIT);
	}

	get events(): RunEvent[] {
		return this.heard.flatMap((message) => (message.say === "event" ? [message.event] : []));
	}

	get state(): string | undefined {
		return this.run.agents["1"]?.state.is;
	}

	/** Until the root listens, for the `times`th time that this person has seen: it may have listened when they came. */
	listens(times = 1): Promise<void> {
		const seen = () => this.events.filter(({ event }) => event === "agent_listening").length;
		return this.until(() => seen() + this.listenedBefore >= times);
	}

	private hear(message: ToWatcher): void {
		this.heard.push(message);
		if (message.say === "snapshot") {
			this.run = message.state;
			this.listenedBefore = this.state === "listening" ? 1 : 0;
		}
		if (message.say === "event") this.run = reduce(this.run, message.event);
	}
}
