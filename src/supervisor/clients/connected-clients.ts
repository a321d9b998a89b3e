/**
 * All clients of the run's socket. Whoever has not joined, and has not proven what it is, is a newcomer: there may be few of
 * them and not for long, so that idle connections cannot use up the open files that agents and persons need. Commands of agents have
 * a share of them; who waits for a person's answer is closed for nobody: how many may wait is bounded where they ask.
 */
import type { Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { encode, lineWriter } from "../../wire/connection.ts";
import { tooManyConnections } from "../../wire/too-many-connections.ts";
import { Client, type ClientDeps } from "./client.ts";
import { IncomingLines } from "./incoming-lines.ts";
import { type LineHolder, LineMemory } from "./line-memory.ts";
import { TurnQueue, type TurnTaker } from "./turn-queue.ts";

const MAX_NEWCOMERS = 128;
const MOST_NEWCOMERS = 1_024; // with those that have come just now: so many are heard before one goes, however fast they come
const JUST_NOW_MS = 250; // an agent's join comes with its connection, and is read within this time
const LEAST_NEWCOMERS = 16; // as many children may be started at once
const MAX_INSIDE_AN_AGENT = 32; // as many questions at once; beside those that wait for a person
/** Seconds as `tick` counts them: a suspended supervisor, or one that was busy, counts none. */
const HELLO_SECONDS = 5;
const JOIN_SECONDS = 10; // a large task takes a while

export interface ConnectedClientsDeps extends Omit<ClientDeps, "onLetIn"> {
	readonly clock: Pick<Clock, "elapsed" | "after">;
	/** As many as there are open files for. */
	readonly maxConnections: number;
}

export class ConnectedClients {
	private readonly deps: ConnectedClientsDeps;
	private readonly turns: TurnQueue;
	private readonly memory: LineMemory;
	/** With the seconds that each has been here, and the time of its coming. The longest there come first. */
	private readonly newcomers = new Map<Client, { seconds: number; since: number }>();
	private readonly insideAgents = new Set<Client>();
	private readonly open = new Set<Client>();
	private count = 0;

	constructor(deps: ConnectedClientsDeps) {
		this.deps = deps;
		this.turns = new TurnQueue(deps.clock.elapsed);
		this.memory = new LineMemory(deps.clock.elapsed);
	}

	add(socket: Socket): void {
		const { maxConnections, clock } = this.deps;
		this.makeRoom();
		if (this.open.size >= maxConnections) {
			this.deps.listener.onRefused("no file descriptors are left for it", undefined);
			return void socket.destroy();
		}
		this.count += 1;
		const client = this.connect(socket, this.count);
		this.open.add(client);
		this.newcomers.set(client, { seconds: 0, since: clock.elapsed() });
	}

	/** To be called every second. */
	tick(): void {
		this.memory.hurry();
		for (const [client, { seconds, since }] of [...this.newcomers]) {
			this.newcomers.set(client, { seconds: seconds + 1, since });
			if (client.is === "new" && seconds >= HELLO_SECONDS) client.refuse("it has not said hello");
			else if (seconds >= JOIN_SECONDS) client.refuse("it has neither joined nor proven what it is");
		}
	}

	/** Closes the newcomers that have been here for a second or more. True when there were any. */
	closeIdle(): boolean {
		const idle = [...this.newcomers].flatMap(([client, { seconds }]) => (seconds > 1 ? [client] : []));
		for (const client of idle) this.drop(client, "it has not joined, and no file descriptors are left");
		return idle.length > 0;
	}

	private connect(socket: Socket, number: number): Client {
		const wire: ClientSocket = new ClientSocket(
			socket,
			{ turns: this.turns, memory: this.memory, clock: this.deps.clock },
			{
				maxLineBytes: () => client.maxLineBytes(),
				onLine: (line) => client.receive(line),
				onBad: (reason) => client.refuse(reason),
				onClose: () => this.closed(client),
			},
		);
		const client: Client = new Client(number, wire, { ...this.deps, onLetIn: (letIn) => this.letIn(letIn) });
		return client;
	}

	private letIn(client: Client): void {
		this.newcomers.delete(client);
		const agent = client.insideOf;
		if (agent === undefined) return;
		this.insideAgents.add(client);
		const own = this.idleOf(agent);
		if (own.length > MAX_INSIDE_AN_AGENT) this.crowd(agent, own);
		else if (this.insideAgents.size > this.deps.maxConnections / 2) this.crowd(...this.mostIdle(agent));
	}

	private idleOf(agent: AgentId): Client[] {
		return [...this.insideAgents].filter((client) => client.insideOf === agent && !client.isAsking);
	}

	/** Of the agent with most of them; of `least` where all others wait for a person. */
	private mostIdle(least: AgentId): [AgentId, Client[]] {
		const agents = new Set([...this.insideAgents].flatMap(({ insideOf }) => insideOf ?? []));
		const idle = [...agents].map((agent): [AgentId, Client[]] => [agent, this.idleOf(agent)]);
		return idle.reduce((one, other) => (other[1].length > one[1].length ? other : one), [least, this.idleOf(least)]);
	}

	/** Closes the one that has been there for longest. */
	private crowd(agent: AgentId, [oldest, ...others]: Client[]): void {
		if (oldest === undefined) return;
		this.insideAgents.delete(oldest);
		oldest.refuse(tooManyConnections(agent, others.length));
	}

	/**
	 * Who has said nothing goes first, then who has been on the way for longest. Those that have come just now stay while they are not
	 * too many, and else the oldest of them goes: of a flood that says hello, none would be dropped before an agent that is not read yet.
	 */
	private makeRoom(): void {
		const { maxConnections, clock } = this.deps;
		const most = (newcomers: number) => Math.max(LEAST_NEWCOMERS, Math.min(newcomers, maxConnections / 2));
		const { size } = this.newcomers;
		const isFull = size >= most(MOST_NEWCOMERS) || this.open.size >= maxConnections;
		if (!isFull && size < most(MAX_NEWCOMERS)) return;
		const settled = this.cameBefore(clock.elapsed() - JUST_NOW_MS);
		const first = settled.find(({ is }) => is === "new") ?? settled[0];
		const [oldest] = isFull ? this.newcomers.keys() : [];
		const dropped = first ?? oldest;
		if (dropped !== undefined) this.drop(dropped, "it has not joined, and others are waiting");
	}

	private cameBefore(time: number): Client[] {
		const settled: Client[] = [];
		for (const [client, { since }] of this.newcomers) {
			if (since > time) break;
			settled.push(client);
		}
		return settled;
	}

	/** Frees its open file at once. */
	private drop(client: Client, reason: string): void {
		this.newcomers.delete(client);
		this.open.delete(client);
		client.refuse(reason);
		client.destroy();
	}

	private closed(client: Client): void {
		this.open.delete(client);
		this.newcomers.delete(client);
		this.insideAgents.delete(client);
		client.closed();
	}
}

/**
 * The supervisor's end of one connection. It reads a line at a time, for as long as its client has credit, into a bounded
 * memory; and it writes to a client only while that reads.
 */

const SLICE_MS = 4;
const MAX_UNREAD_BYTES = 80 * 1024 * 1024; // an answer may have 64 MiB, and a suspended agent does not read
const LAST_WORDS_MS = 2_000;

interface ClientSocketDeps {
	readonly turns: TurnQueue;
	readonly memory: LineMemory;
	readonly clock: Pick<Clock, "elapsed" | "after">;
}

interface ClientSocketListener {
	/** The longest line that may come now. */
	maxLineBytes(): number;
	onLine(line: Buffer): void;
	/** What is received, or not taken, cannot be put up with. */
	onBad(reason: string): void;
	/** Called once. */
	onClose(): void;
}

export class ClientSocket implements TurnTaker, LineHolder {
	private readonly socket: Socket;
	private readonly deps: ClientSocketDeps;
	private readonly listener: ClientSocketListener;
	private readonly lines = new IncomingLines();
	private readonly credit: WorkCredit;
	private readonly write: (line: string) => void;
	private callOffWait = () => {};
	private isClosed = false;

	constructor(socket: Socket, deps: ClientSocketDeps, listener: ClientSocketListener) {
		this.socket = socket;
		this.deps = deps;
		this.listener = listener;
		this.credit = new WorkCredit(deps.clock.elapsed());
		this.write = lineWriter(socket);
		socket.on("error", () => {}); // "close" follows
		socket.on("close", () => this.closed());
		socket.on("end", () => socket.end());
		socket.on("data", (chunk: Buffer) => {
			socket.pause();
			this.lines.push(chunk);
			deps.turns.add(this);
		});
	}

	send(message: object): void {
		if (this.isClosed) return;
		if (this.unsentBytes > MAX_UNREAD_BYTES) this.listener.onBad("it does not read what it is sent");
		else this.write(encode(message));
	}

	get unsentBytes(): number {
		return this.socket.writableLength;
	}

	/** Sends what is buffered, then closes; after a while also when the client does not take it. Nothing more is read. */
	close(): void {
		this.stopReading();
		this.socket.end(() => this.socket.destroy());
		const callOff = this.deps.clock.after(LAST_WORDS_MS, () => this.socket.destroy());
		this.socket.once("close", callOff);
	}

	destroy(): void {
		this.stopReading();
		this.socket.destroy();
	}

	tooSlow(): void {
		this.listener.onBad("a line that comes too slowly, while others wait for memory");
	}

	takeTurn(): boolean {
		const { elapsed, after } = this.deps.clock;
		const began = elapsed();
		const isMore = this.readUntil(began + SLICE_MS);
		const waitMs = this.credit.spend(began, elapsed());
		if (this.isClosed || isMore === "no_room") return false;
		if (waitMs > 0) this.callOffWait = after(waitMs, () => this.readOn(isMore));
		else if (!isMore) this.socket.resume();
		return waitMs === 0 && isMore;
	}

	private readOn(isMore: boolean): void {
		if (isMore) this.deps.turns.add(this);
		else this.socket.resume();
	}

	/** True when there is more of what has come. */
	private readUntil(until: number): boolean | "no_room" {
		const { memory, turns, clock } = this.deps;
		const hasRoom = (bytes: number) => memory.hold(this, bytes, () => turns.add(this));
		while (!this.isClosed) {
			const taken = this.lines.take(this.listener.maxLineBytes(), hasRoom);
			if (taken.is === "nothing") return false;
			if (taken.is === "no_room") return "no_room";
			if (taken.is === "too_long") this.listener.onBad("a line that is too long");
			else {
				this.listener.onLine(taken.line);
				memory.release(this);
			}
			if (clock.elapsed() >= until) return true;
		}
		return false;
	}

	private stopReading(): void {
		this.isClosed = true;
		this.callOffWait();
		this.deps.turns.remove(this);
		this.deps.memory.release(this);
		this.socket.removeAllListeners("data");
		this.socket.resume(); // what still comes is thrown away, so that the end of it is seen
	}

	private closed(): void {
		if (!this.isClosed) this.stopReading();
		this.listener.onClose();
	}
}

/**
 * How much of the supervisor's time one client may take: a fifth at most, for longer than a moment. Whoever has used up its
 * credit is not read until it has some again, so a flood is held back in the sender, and nobody else waits for it.
 */
const SHARE = 0.2;
const MOST_MS = 1_000;

export class WorkCredit {
	private leftMs = MOST_MS;
	private at: number;

	constructor(now: number) {
		this.at = now;
	}

	/** Work was done for the client from `began` to `now`. Gives the milliseconds for which it has to wait. */
	spend(began: number, now: number): number {
		this.leftMs = Math.min(MOST_MS, this.leftMs + SHARE * (began - this.at)) - (now - began);
		this.at = now;
		return this.leftMs >= 0 ? 0 : -this.leftMs / SHARE;
	}
}
