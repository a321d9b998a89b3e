/** An agent's connection to its supervisor: its requests (join, ask, record, finish) and the supervisor's notifications. */

import { setTimeout as sleep } from "node:timers/promises";
import { defined } from "../core/defined.ts";
import { shortageOf } from "../core/machine/errno-advice.ts";
import type { Ending } from "../core/model/agent.ts";
import type { Message, UserBlock } from "../core/model/message.ts";
import type { CommandRecord } from "../core/schemas/transcript.ts";
import type { FromAgent, Join, Over, Reply, Summary, ToAgent } from "../wire/agent-messages.ts";
import { type Connection, connectTo, WIRE_VERSION } from "../wire/connection.ts";
import type { Hello } from "../wire/from-client.ts";

type JoinReply = Extract<ToAgent, { say: "joined" | "refused" }> | { say: "unreachable"; reason: string };

/** What an agent acts on at once. A reply also answers who waits for one, behind that. */
export type Notice = Exclude<
	ToAgent,
	{ say: "joined" | "refused" | "over" | "summary" | "logs" | "stop" | "finished" }
>;

const SUPERVISOR_GONE: Ending = { by: "failure", reason: "the supervisor is gone", exitCode: 75 };

const nothing = () => {};

export class SupervisorClient {
	/** The first reason to end that came from outside: the supervisor's `stop`, its death, or a signal to this process. */
	stopped: Ending | undefined;
	/** The supervisor is gone. */
	isLost = false;
	readonly logs: LogGate = { closedBecause: undefined };
	/** Called once, at the first reason to end. */
	onStop: (ending: Ending) => void = nothing;
	/** Called once, when the supervisor is gone, after `onStop`. */
	onLost: () => void = nothing;
	/** What came before anybody listened. */
	private readonly early: Notice[] = [];
	private onNotice: (notice: Notice) => void = (notice) => this.early.push(notice);
	private readonly connection: Connection<ToAgent, FromAgent | Hello>;
	private onJoin: (reply: JoinReply) => void = nothing;
	private readonly arrived: (Reply | Over | Summary)[] = [];
	private awaiting: ((reply: Reply | Over | Summary) => void) | undefined;
	private onFinished: (notice?: string) => void = nothing;

	constructor(connection: Connection<ToAgent, FromAgent | Hello>) {
		this.connection = connection;
		connection.onClose(() => this.closed());
		connection.onMessage((message) => this.receive(message));
	}

	/** Says hello and joins, in one write. */
	join(join: Join): Promise<JoinReply> {
		this.connection.send({ say: "hello", version: WIRE_VERSION, role: "agent", pid: join.pid });
		this.connection.send(join);
		return new Promise((resolve) => {
			this.onJoin = resolve;
		});
	}

	listen(listener: (notice: Notice) => void): void {
		this.onNotice = listener;
		for (const notice of this.early.splice(0)) listener(notice);
	}

	/** `isReady`: the agent could do what it was told before. */
	ask(messages: readonly Message[], isReady: boolean): Promise<Reply | Over> {
		this.sendAsk(messages, isReady ? "" : ',"isStuck":true');
		return this.next();
	}

	/** Undefined when the agent is stopped. */
	async askForSummary(messages: readonly Message[]): Promise<Summary | undefined> {
		this.sendAsk(messages, ',"isSummary":true');
		const reply = await this.nextReply();
		return reply.say === "summary" ? reply : undefined;
	}

	/** What the agent does next. It is over when it was stopped, or the supervisor is gone. */
	async next(): Promise<Reply | Over> {
		const reply = await this.nextReply();
		return reply.say === "summary" ? { say: "reply" } : reply;
	}

	/** Has the message recorded. */
	record({ content, commands }: UserContent): void {
		const rest = commands === undefined ? "" : `,"commands":${JSON.stringify(commands)}`;
		this.connection.sendLine(`{"say":"record","entry":{"role":"user","content":${jsonOf(content)}${rest}}}\n`);
	}

	tell(
		message: Extract<FromAgent, { say: "record" | "command_started" | "command_ended" | "repeats" | "history" }>,
	): void {
		this.connection.send(message);
	}

	/** Resolves when the supervisor has confirmed it, to what it says about that, or is gone. */
	finish(ending: Ending, lastWords?: string): Promise<string | undefined> {
		if (this.isLost) return Promise.resolve(undefined);
		this.connection.send({ say: "finish", ending, ...defined({ lastWords }) });
		return new Promise((resolve) => {
			this.onFinished = resolve;
		});
	}

	/** The first cause wins. `text`: what the call under way had said. */
	stop(ending: Ending, text?: string): void {
		if (this.stopped !== undefined) return;
		this.stopped = ending;
		this.onStop(ending);
		this.replied({ say: "over", ending, ...defined({ text }) });
	}

	/** Nothing is asked any more once the agent was stopped. The messages are of JSON that was made once for each. */
	private sendAsk(messages: readonly Message[], rest: string): void {
		if (this.stopped !== undefined) return;
		const texts = messages.map(({ role, content }) => `{"role":"${role}","content":${jsonOf(content)}}`);
		this.connection.sendLine(`{"say":"ask","messages":[${texts.join(",")}]${rest}}\n`);
	}

	private nextReply(): Promise<Reply | Over | Summary> {
		const reply = this.arrived.shift();
		if (reply !== undefined) return Promise.resolve(reply);
		if (this.stopped !== undefined) return Promise.resolve({ say: "over", ending: this.stopped });
		return new Promise((resolve) => {
			this.awaiting = resolve;
		});
	}

	private replied(reply: Reply | Over | Summary): void {
		const { awaiting } = this;
		this.awaiting = undefined;
		if (awaiting === undefined) this.arrived.push(reply);
		else awaiting(reply);
	}

	private closed(): void {
		this.isLost = true;
		this.onJoin({ say: "unreachable", reason: "the supervisor of this run is gone" });
		this.onFinished();
		this.stop(SUPERVISOR_GONE);
		this.onLost();
	}

	private receive(message: ToAgent): void {
		switch (message.say) {
			case "joined":
			case "refused":
				return this.onJoin(message);
			case "reply":
				if (this.stopped === undefined) this.onNotice(message);
				return this.replied(message);
			case "over":
			case "summary":
				return this.replied(message);
			case "logs":
				this.logs.closedBecause = message.mayWrite ? undefined : message.reason;
				return;
			case "stop":
				return this.stop(message.ending, message.text);
			case "finished":
				return this.onFinished(message.notice);
			default:
				return this.onNotice(message);
		}
	}
}

/** Never rejects: an absent supervisor is an outcome. Waits for one that is busy or suspended. */
export async function connectSupervisor(
	socket: string,
): Promise<SupervisorClient | { say: "unreachable"; reason: string }> {
	try {
		return new SupervisorClient(
			await connectPatiently(() => connectTo<ToAgent, FromAgent | Hello>(socket, (value) => value as ToAgent)),
		);
	} catch (error) {
		return unreachable(error as NodeJS.ErrnoException);
	}
}

function unreachable(error: NodeJS.ErrnoException): { say: "unreachable"; reason: string } {
	const shortage = shortageOf(error);
	const why =
		shortage !== undefined
			? `cannot be asked: ${shortage}`
			: error.code === "ENOENT"
				? `is not to be found (${error.message}): inside a run, start agents with the environment that its commands have; outside a run, unset AGENTREE_SOCKET`
				: `does not answer (${error.message}); outside a run, unset AGENTREE_SOCKET`;
	return { say: "unreachable", reason: `the supervisor of this run ${why}` };
}

/** Whether the logs of commands may be written now. The supervisor decides; all commands of an agent share one gate. */
export interface LogGate {
	/** Why logs may not be written; undefined while they may. */
	closedBecause: string | undefined;
}

/** What one user message to the model contains, and what the transcript has beside it. */
export interface UserContent {
	content: UserBlock[];
	commands?: CommandRecord[];
}

export function userText(...texts: string[]): UserContent {
	return { content: texts.map((text) => ({ type: "text", text })) };
}

const texts = new WeakMap<object, string>();

/** The JSON of a value that is never altered: it is made once, and is what is measured, recorded and sent. */
export function jsonOf(value: object): string {
	const text = texts.get(value) ?? JSON.stringify(value);
	texts.set(value, text);
	return text;
}

const RETRY_MS = 100;
const MAX_ABSENT_MS = 2_500; // a supervisor whose socket was removed makes it again after a second (supervisor/socket-file.ts)

/** Waits for a supervisor that is busy or suspended, or makes its socket again. Rejects as `connect`. */
export async function connectPatiently<C>(connect: () => Promise<C>): Promise<C> {
	for (let absentMs = 0; ; ) {
		try {
			return await connect();
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			if (code === "ENOENT") absentMs += RETRY_MS;
			// On a unix socket EAGAIN means that the backlog of connections to accept is full (connect(2)).
			if (code !== "EAGAIN" && (code !== "ENOENT" || absentMs >= MAX_ABSENT_MS)) throw error;
			await sleep(RETRY_MS);
		}
	}
}
