/**
 * One client, from its hello to its end. The states are those of its proof: an agent says hello and joins; all others prove
 * which process they are, and that process tells whether they are a person or inside the tree. What does not fit to the state
 * closes the connection, and nothing else happens.
 */
import { AgentreeError } from "../../core/errors.ts";
import { MAX_LEVELS } from "../../core/json-value.ts";
import { shortageOf } from "../../core/machine/errno-advice.ts";
import type { AgentId } from "../../core/model/agent.ts";
import type { Sender } from "../../core/model/message-marks.ts";
import type { FromAgent, Join, ToAgent } from "../../wire/agent-messages.ts";
import { WIRE_VERSION } from "../../wire/connection.ts";
import { type FromClient, type Hello, parseFromClient, versionOf } from "../../wire/from-client.ts";
import { NO_KEY, proofOf } from "../../wire/person-connection.ts";
import type { FromWatcher, Handshake, Proof, ToWatcher, Watcher } from "../../wire/watcher-messages.ts";
import type { ClientOrigin } from "../processes/whose-is.ts";
import type { AgentConnection } from "../run/agent-registry.ts";
import { MessageOrder } from "./message-order.ts";
import type { Challenge, PersonKey } from "./person-key.ts";
import { requestRefusal } from "./rights.ts";

/** What a client asks for that is let in. `by`: the agent in whose command it is; null for a person. */
export type WatcherRequest = Exclude<FromWatcher, Proof> & { readonly by: Sender };
export type RequestOf<S extends FromWatcher["say"]> = Extract<WatcherRequest, { say: S }>;

/** What a supervisor hears of its clients, once they are let in, and what it is asked about them. */
export interface ClientListener {
	onJoin(connection: AgentConnection, join: Join): void;
	onMessage(connection: AgentConnection, message: Exclude<FromAgent, Join>): void;
	onClose(connection: AgentConnection): void;
	onWatcherMessage(watcher: Watcher, message: WatcherRequest): void;
	onWatcherClose(watcher: Watcher): void;
	/** It waits for a person's answer, or for what one has allowed. */
	isAsking(watcher: Watcher): boolean;
	/** The connection is being closed because of what came over it. `agent`: present once it has joined. */
	onRefused(reason: string, agent: AgentConnection | undefined): void;
	originOf(hello: Hello): ClientOrigin;
}

const MAX_GREETING_BYTES = 8 * 1024;
const MAX_REQUEST_BYTES = 64 * 1024;
const MAX_PERSON_LINE_BYTES = 8 * 1024 * 1024; // a message may have a million characters, of up to 6 bytes in JSON
const MAX_AGENT_LINE_BYTES = 80 * 1024 * 1024; // a task may have 32 MiB, and an ask has it again, escaped, with all that followed

export interface ClientDeps {
	readonly listener: ClientListener;
	readonly key: Pick<PersonKey, "challenge" | "faultOf" | "doubt">;
	/** The version of agentree. */
	readonly version: string;
	/** Called when the client has joined, or has proven what it is. */
	readonly onLetIn: (client: Client) => void;
	readonly onClosed: (client: Client) => void;
}

interface Wire {
	send(message: object): void;
	close(): void;
	destroy(): void;
	readonly unsentBytes: number;
}

type Standing =
	| { readonly is: "new" }
	/** It said hello as an agent. */
	| { readonly is: "joining" }
	| { readonly is: "challenged"; readonly hello: Hello; readonly challenge: Challenge }
	| { readonly is: "agent"; readonly connection: AgentConnection; readonly order: MessageOrder }
	| { readonly is: "watcher"; readonly watcher: Watcher; readonly by: Sender; isWatching: boolean }
	| { readonly is: "gone" };

export class Client {
	readonly number: number;
	private readonly wire: Wire;
	private readonly deps: ClientDeps;
	private standing: Standing = { is: "new" };
	private isRefused = false;

	constructor(number: number, wire: Wire, deps: ClientDeps) {
		this.number = number;
		this.wire = wire;
		this.deps = deps;
	}

	/** How far it has come: the less, the sooner it has to make room for others. */
	get is(): Standing["is"] {
		return this.standing.is;
	}

	/** The agent in whose command its process is; undefined for a person, an agent, and a client that has proven nothing yet. */
	get insideOf(): AgentId | undefined {
		const { standing } = this;
		return standing.is === "watcher" ? (standing.by ?? undefined) : undefined;
	}

	/** It waits for a person, and may not be closed for others. */
	get isAsking(): boolean {
		const { standing } = this;
		return standing.is === "watcher" && this.deps.listener.isAsking(standing.watcher);
	}

	maxLineBytes(): number {
		const { standing } = this;
		switch (standing.is) {
			case "new":
			case "gone":
				return MAX_GREETING_BYTES;
			case "challenged":
				return MAX_REQUEST_BYTES;
			case "watcher":
				return standing.by === null ? MAX_PERSON_LINE_BYTES : MAX_REQUEST_BYTES;
			case "joining":
			case "agent":
				return MAX_AGENT_LINE_BYTES;
		}
	}

	receive(line: Buffer): void {
		try {
			this.handle(line);
		} catch (error) {
			if (error instanceof AgentreeError) return this.refuse(error.message);
			if (shortageOf(Object(error)) === undefined) throw error; // a bug, which ends the run
			this.wire.close(); // the system has too little left for this connection; the others go on
		}
	}

	/** Closes the connection. `reason` goes into the event log, and to a client that is not let in yet. */
	refuse(reason: string): void {
		const { standing } = this;
		if (standing.is === "gone" || this.isRefused) return;
		this.isRefused = true;
		if (standing.is === "joining" || standing.is === "new") this.wire.send({ say: "refused", code: "usage", reason });
		else if (standing.is !== "agent") this.wire.send({ say: "refused", reason });
		this.deps.listener.onRefused(reason, standing.is === "agent" ? standing.connection : undefined);
		this.wire.close();
	}

	/** Closes the connection at once: its open file is free again. */
	destroy(): void {
		this.wire.destroy();
	}

	closed(): void {
		const { standing } = this;
		this.standing = { is: "gone" };
		this.deps.onClosed(this);
		if (standing.is === "agent") this.deps.listener.onClose(standing.connection);
		if (standing.is === "watcher") this.deps.listener.onWatcherClose(standing.watcher);
	}

	private handle(line: Buffer): void {
		const tooMuch = tooMuchIn(line);
		if (tooMuch !== undefined) return this.refuse(tooMuch);
		const value = jsonOf(line);
		const version = this.standing.is === "new" ? versionOf(value) : undefined;
		if (version !== undefined && version !== WIRE_VERSION) return this.refuse(this.otherVersion(version));
		const parsed = parseFromClient(value);
		if (parsed.is === "bad") return this.refuse(parsed.reason);
		this.accept(parsed.said);
	}

	private otherVersion(version: number): string {
		return `the run's supervisor is agentree ${this.deps.version} with protocol version ${WIRE_VERSION}, this program has version ${version}: use agentree ${this.deps.version}`;
	}

	private accept(said: FromClient): void {
		const { standing } = this;
		if (standing.is === "new" && said.by === "client") return this.greeted(said.message);
		if (standing.is === "joining" && said.by === "agent" && said.message.say === "join")
			return this.joined(said.message);
		if (standing.is === "challenged" && said.by === "watcher" && said.message.say === "proof")
			return this.proved(standing, said.message);
		if (standing.is === "agent" && said.by === "agent" && said.message.say !== "join") {
			if (standing.order.hasFinished) return;
			const wrong = standing.order.refusal(said.message);
			if (wrong !== undefined) return this.refuse(wrong);
			return this.deps.listener.onMessage(standing.connection, said.message);
		}
		if (standing.is === "watcher" && said.by === "watcher" && said.message.say !== "proof")
			return this.asked(standing, said.message);
		const hint = standing.is === "new" ? `; the run's supervisor is agentree ${this.deps.version}` : ""; // an older program has none
		this.refuse(`"${said.message.say}" ${OUT_OF_ORDER[standing.is]}${hint}`);
	}

	private greeted(hello: Hello): void {
		if (hello.role === "agent") {
			this.standing = { is: "joining" };
			return;
		}
		const challenge = this.deps.key.challenge();
		this.standing = { is: "challenged", hello, challenge };
		this.tell({ say: "challenge", ...challenge });
	}

	private joined(join: Join): void {
		const order = new MessageOrder();
		const send = (message: ToAgent) => {
			order.sent(message);
			this.wire.send(message);
		};
		const refuse = (reason: string) => this.refuse(reason);
		const connection = { number: this.number, send, refuse, close: () => this.wire.close() };
		this.standing = { is: "agent", connection, order };
		this.deps.onLetIn(this);
		this.deps.listener.onJoin(connection, join);
	}

	private proved({ hello, challenge }: Extract<Standing, { is: "challenged" }>, proof: Proof): void {
		const { listener, key } = this.deps;
		const fault = key.faultOf(proof, challenge);
		const hasNoKey = fault !== undefined && proof.digest === proofOf(NO_KEY, challenge.name);
		if (fault !== undefined && !hasNoKey) return this.refuse(fault); // before a look at the processes, which takes a while
		const origin = listener.originOf(hello);
		if (hasNoKey && origin.is === "outside") return this.refuse(fault);
		const doubt = origin.is === "stranger" ? origin.reason : key.doubt(origin.pid, challenge);
		if (origin.is === "stranger" || doubt !== undefined) return this.refuse(doubt ?? "");
		const by = origin.is === "inside" ? origin.agent : null;
		this.standing = { is: "watcher", watcher: this.wire, by, isWatching: false };
		this.deps.onLetIn(this);
		this.tell({ say: "welcome", agent: by });
	}

	private asked(standing: Extract<Standing, { is: "watcher" }>, message: Exclude<FromWatcher, Proof>): void {
		if (message.say === "watch" && standing.isWatching) return this.refuse('"watch" for a second time');
		if (message.say === "watch") standing.isWatching = true;
		const { by, watcher } = standing;
		const refusal = requestRefusal(message, by);
		if (refusal !== undefined) return this.tell({ say: "refused", reason: refusal });
		this.deps.listener.onWatcherMessage(watcher, { ...message, by });
	}

	private tell(message: Handshake | ToWatcher): void {
		this.wire.send(message);
	}
}

/** What a message does that does not fit to the client's standing. */
const OUT_OF_ORDER: Record<Standing["is"], string> = {
	new: "before its hello",
	joining: "before its join",
	challenged: "before its proof",
	agent: "from an agent that has joined",
	watcher: "from one that watches",
	gone: "after its end",
};

function jsonOf(line: Buffer): unknown {
	try {
		return JSON.parse(line.toString("utf8"));
	} catch {
		return undefined;
	}
}

/**
 * A check of a line before JSON.parse makes values of it: a few bytes can stand for a value that takes fifty, so what is
 * to be parsed is bounded by its values, not by its bytes alone. Inside of strings nothing counts.
 */

const MAX_VALUES = 500_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What is wrong with the line; undefined when it may be parsed, whether it is JSON or not. */
function tooMuchIn(line: Buffer): string | undefined {
	let levels = 0;
	let values = 0;
	for (let at = 0; at < line.length; at++) {
		const byte = line[at];
		if (byte === QUOTE) at = endOfString(line, at + 1);
		else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
			levels += 1;
			values += 1;
			if (levels > MAX_LEVELS) return `a message that is nested more than ${MAX_LEVELS} levels deep`;
		} else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) levels -= 1;
		else if (byte === COMMA || byte === COLON) values += 1;
		if (values > MAX_VALUES) return `a message of more than ${MAX_VALUES} values`;
	}
	return undefined;
}

/** Where the string that began before `from` has its closing quote; the end of the line when it has none. */
function endOfString(line: Buffer, from: number): number {
	for (let end = line.indexOf(QUOTE, from); end >= 0; end = line.indexOf(QUOTE, end + 1)) {
		let slashes = 0;
		while (line[end - 1 - slashes] === BACKSLASH) slashes += 1;
		if (slashes % 2 === 0) return end;
	}
	return line.length;
}
