/**
 * All clients of the run's socket. A client that has neither joined nor proven what it is, is a newcomer: newcomers have a bound and little time,
 * so that idle connections cannot use up the open files that agents and persons need. Commands of agents have a share of the connections; one
 * that waits for a person's answer is closed for no other: how many may wait is bounded where they ask.
 */
import type { Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { tooManyConnections } from "../../wire/connection.ts";
import { Client, type ClientDeps } from "./client.ts";
import { ClientSocket, LineMemory } from "./client-socket.ts";

const MAX_NEWCOMERS = 1_024; // an agent's join comes with its connection: so many are accepted before the first of them has to go
const LEAST_NEWCOMERS = 16; // as many children may be started at once
const MAX_INSIDE_AN_AGENT = 32; // as many questions at once; beside those that wait for a person
/** Seconds as `tick` counts them: a suspended supervisor, or one that was busy, counts none. */
const HELLO_SECONDS = 5;
const JOIN_SECONDS = 10; // a large task takes a while

export interface ConnectedClientsDeps extends Omit<ClientDeps, "onLetIn" | "onClosed"> {
	readonly clock: Pick<Clock, "elapsed" | "after">;
	/** As many as there are open files for. */
	readonly maxConnections: number;
}

export class ConnectedClients {
	private readonly deps: ConnectedClientsDeps;
	private readonly memory: LineMemory;
	/** With the seconds that each has been here. The oldest first. */
	private readonly newcomers = new Map<Client, number>();
	/** The oldest first. */
	private readonly insideAgents = new Set<Client>();
	private readonly open = new Set<Client>();
	private count = 0;

	constructor(deps: ConnectedClientsDeps) {
		this.deps = deps;
		this.memory = new LineMemory(deps.clock.elapsed);
	}

	add(socket: Socket): void {
		this.makeRoom();
		if (this.open.size >= this.deps.maxConnections) {
			this.deps.listener.onRefused("no file descriptors are left for it", undefined);
			return void socket.destroy();
		}
		this.count += 1;
		const wire = new ClientSocket(socket, this.memory, this.deps.clock);
		const client = new Client(this.count, wire, {
			...this.deps,
			onLetIn: (letIn) => this.letIn(letIn),
			onClosed: (closed) => this.forget(closed),
		});
		this.open.add(client);
		this.newcomers.set(client, 0);
		wire.readFor(client);
	}

	/** To be called every second. */
	tick(): void {
		this.memory.hurry();
		for (const [client, seconds] of [...this.newcomers]) {
			this.newcomers.set(client, seconds + 1);
			if (client.is === "new" && seconds >= HELLO_SECONDS) client.refuse("it has not said hello");
			else if (seconds >= JOIN_SECONDS) client.refuse("it has neither joined nor proven what it is");
		}
	}

	/** Closes the newcomers that have been here for a second or more. True when there were any. */
	closeIdle(): boolean {
		const idle = [...this.newcomers].flatMap(([client, seconds]) => (seconds > 1 ? [client] : []));
		for (const client of idle) this.drop(client, "it has not joined, and no file descriptors are left");
		return idle.length > 0;
	}

	/** Where an agent's commands have too many connections, or those of all agents, the oldest that waits for no person is closed. */
	private letIn(client: Client): void {
		this.newcomers.delete(client);
		const agent = client.insideOf;
		if (agent === undefined) return;
		this.insideAgents.add(client);
		const own = this.idleOf(agent);
		const isCrowded = this.insideAgents.size > this.deps.maxConnections / 2;
		const [oldest] = own.length > MAX_INSIDE_AN_AGENT ? own : isCrowded ? this.idleOf() : [];
		const crowd = oldest?.insideOf;
		if (oldest === undefined || crowd === undefined) return;
		this.insideAgents.delete(oldest);
		oldest.refuse(tooManyConnections(crowd, this.idleOf(crowd).length));
	}

	/** Of that agent, or of all. */
	private idleOf(agent?: AgentId): Client[] {
		return [...this.insideAgents].filter(
			(client) => !client.isAsking && (agent === undefined || client.insideOf === agent),
		);
	}

	/** The oldest newcomer makes room for the next one. */
	private makeRoom(): void {
		const { maxConnections } = this.deps;
		const most = Math.max(LEAST_NEWCOMERS, Math.min(MAX_NEWCOMERS, maxConnections / 2));
		const [oldest] = this.newcomers.keys();
		if (oldest !== undefined && (this.newcomers.size >= most || this.open.size >= maxConnections))
			this.drop(oldest, "it has not joined, and others are waiting");
	}

	/** Frees its open file at once. */
	private drop(client: Client, reason: string): void {
		this.forget(client);
		client.refuse(reason);
		client.destroy();
	}

	private forget(client: Client): void {
		this.open.delete(client);
		this.newcomers.delete(client);
		this.insideAgents.delete(client);
	}
}
