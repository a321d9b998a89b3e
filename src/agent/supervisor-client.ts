/** An agent's connection to its supervisor: its requests (join, ask, record, finish) and the supervisor's notifications. */

import { defined } from "../core/defined.ts";
import { shortageOf } from "../core/machine/errno-advice.ts";
import type { Ending } from "../core/model/agent.ts";
import type { Message, UserBlock } from "../core/model/message.ts";
import type { AskKind } from "../core/model/model.ts";
import type { FromAgent, Join, ToAgent } from "../wire/agent-messages.ts";
import { type Connection, connectTo } from "../wire/connection.ts";
import { fromSupervisor } from "../wire/from-supervisor.ts";
import type { Hello } from "../wire/hello.ts";
import { WIRE_VERSION } from "../wire/wire-version.ts";
import { connectPatiently } from "./connect-patiently.ts";
import type { LogGate } from "./log-gate.ts";

export type Reply = Extract<ToAgent, { say: "answer" | "ask_failed" | "ask_refused" }>;
export type JoinReply = Extract<ToAgent, { say: "joined" | "refused" }> | { say: "unreachable"; reason: string };

export type TalkMessage = Extract<
	ToAgent,
	{ say: "go_on" | "interrupt" | "close" | "compact" | "history" | "changed" }
>;

export const SUPERVISOR_GONE: Ending = { by: "failure", reason: "the supervisor is gone", exitCode: 75 };

const nothing = () => {};

export class SupervisorClient {
	/** The first reason to end that came from outside: the supervisor's `stop`, its death, or a signal to this process. */
	stopped: Ending | undefined;
	/** The text of the model call that was under way at the stop. */
	partial = "";
	/** The supervisor is gone. */
	isLost = false;
	readonly logs: LogGate = { closedBecause: undefined };
	/** Called once, at the first reason to end. */
	onStop: (ending: Ending) => void = nothing;
	/** Called once, when the supervisor is gone, after `onStop`. */
	onLost: () => void = nothing;
	/** The file whose bytes are the newest reply, if the reply has one. */
	output: string | undefined;
	onChildren: (command: number, alive: number) => void = nothing;
	onPause: (isPaused: boolean) => void = nothing;
	/** Called when only a report may follow. */
	onOutOfTime: (reason: string) => void = nothing;
	onPermit: (call: string, refusal: string | undefined) => void = nothing;
	/** What was said to the root of a conversation before it listened to that. */
	readonly earlyTalk: TalkMessage[] = [];
	/** Called with what the supervisor says to the root of a conversation alone. */
	onTalk: (message: TalkMessage) => void = (message) => this.earlyTalk.push(message);
	/** Called while an ask is open, with what its request has beside the agent's own messages. */
	onTold: (content: readonly UserBlock[]) => void = nothing;
	private readonly connection: Connection<ToAgent, FromAgent | Hello>;
	private onJoin: (reply: JoinReply) => void = nothing;
	private onReply: (reply: Reply | undefined) => void = nothing;
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

	/** Resolves to undefined when the agent is stopped or the supervisor is gone. */
	ask(messages: readonly Message[], kind: AskKind): Promise<Reply | undefined> {
		if (this.stopped !== undefined) return Promise.resolve(undefined);
		this.connection.sendLine(encodeAsk(messages, kind));
		return new Promise((resolve) => {
			this.onReply = resolve;
		});
	}

	tell(
		message: Extract<
			FromAgent,
			{ say: "record" | "command_started" | "command_ended" | "repeats" | "listen" | "history" | "may_run" }
		>,
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

	/** The first cause wins. */
	stop(ending: Ending): void {
		if (this.stopped !== undefined) return;
		this.stopped = ending;
		this.onStop(ending);
		this.onReply(undefined);
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
			case "answer":
			case "ask_failed":
				this.output = message.output;
				return this.onReply(message);
			case "ask_refused":
				return this.onReply(message);
			case "told":
				return this.onTold(message.content);
			case "children":
				return this.onChildren(message.command, message.alive);
			case "permit":
				return this.onPermit(message.call, message.refusal);
			case "pause":
				return this.onPause(message.isPaused);
			case "logs":
				this.logs.closedBecause = message.mayWrite ? undefined : message.reason;
				return;
			case "out_of_time":
				return this.onOutOfTime(message.reason);
			case "stop":
				this.partial = message.partial;
				return this.stop(message.ending);
			case "go_on":
			case "interrupt":
			case "close":
			case "compact":
			case "history":
			case "changed":
				return this.onTalk(message);
			case "finished":
				return this.onFinished(message.notice);
		}
	}
}

/** Never rejects: an absent supervisor is an outcome. Waits for one that is busy or suspended. */
export async function connectSupervisor(
	socket: string,
): Promise<SupervisorClient | { say: "unreachable"; reason: string }> {
	try {
		return new SupervisorClient(
			await connectPatiently(() => connectTo<ToAgent, FromAgent | Hello>(socket, fromSupervisor)),
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

/**
 * The line of an ask. It has the whole history, so the JSON of each message is made once and kept beside it: a message
 * is never altered.
 */

const texts = new WeakMap<Message, string>();

/** The line that `encode` makes of the message. */
export function encodeAsk(messages: readonly Message[], kind: AskKind): string {
	return `{"say":"ask","kind":${JSON.stringify(kind)},"messages":[${messages.map(textOf).join(",")}]}\n`;
}

function textOf(message: Message): string {
	const text = texts.get(message) ?? JSON.stringify(message);
	texts.set(message, text);
	return text;
}
