/**
 * The proxy of a run: through it alone agents reach hosts that have a network of their own, with nothing in it. It listens beside
 * the run's socket. A connection begins with the token of the agent in a line, which is answered with a line; then it is HTTP.
 * Each agent has its own list, and nobody's token is told to another one.
 */
import type { Server as HttpServer } from "node:http";
import { createServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { defined } from "../../core/defined.ts";
import type { HostAndPort } from "../../core/machine/host-pattern.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { proxySocket } from "../../core/run/pipe-path.ts";
import type { RunEvent } from "../../core/run/run-event.ts";
import { EventAllowance } from "../record/event-allowance.ts";
import { keepListening, type SocketFile, type SocketFileDeps } from "../socket-file.ts";
import { Lookups } from "./lookups.ts";
import { type Place, Places } from "./places.ts";
import type { Caller, RequestsDeps } from "./requests.ts";

/** Of one agent, of all together, and of those that have shown no token yet. */
const MAX_OF_AGENT = 128;
const MAX_OF_ALL = 512;
const MAX_NEWCOMERS = 512;
/** Of silence when a client has ended its side: whether it is gone only a write would tell. */
const HALF_OPEN_MS = 60_000;

export interface HostProxyDeps extends Omit<SocketFileDeps, "path"> {
	/** The run's. */
	readonly socket: string;
	readonly now: () => number;
	/** Undefined for no agent of this run, one that has ended, and one whose hosts are not bound by a list. */
	readonly callerOf: (token: string) => Caller | undefined;
	readonly emit: (event: RunEvent) => void;
	/** How many files the process may have open; a connection takes two. Absent: more than it needs. */
	readonly maxFiles?: number | undefined;
}

/** How the machine looks names up, and which addresses it has. */
type Routes = Pick<RequestsDeps, "lookUp" | "ownAddresses">;

interface Standing {
	readonly token: string;
	readonly place: Place;
}

export class HostProxy {
	private readonly deps: HostProxyDeps;
	private readonly requestsDeps: RequestsDeps;
	private readonly standings = new WeakMap<Socket, Standing>();
	private readonly places: Places;
	/** The oldest first. */
	private readonly newcomers = new Set<Socket>();
	private readonly maxNewcomers: number;
	private file: SocketFile | undefined;
	private requests: Promise<HttpServer> | undefined;

	constructor(deps: HostProxyDeps, routes: Routes = machineRoutes()) {
		this.deps = deps;
		const share = Math.max(1, Math.floor((deps.maxFiles ?? Number.POSITIVE_INFINITY) / 8));
		this.maxNewcomers = Math.min(MAX_NEWCOMERS, share);
		this.places = new Places({ ofAgent: MAX_OF_AGENT, ofAll: Math.min(MAX_OF_ALL, share) });
		const refusals = new HostRefusals();
		this.requestsDeps = {
			...routes,
			callerOn: (socket) => this.callerOn(socket),
			onOpened: (socket, outgoing) => this.standings.get(socket)?.place.hold(outgoing),
			onRefused: (agent, to, reason) => {
				const event = refusals.refused(agent, to, { reason, at: deps.now() });
				if (event !== undefined) deps.emit(event);
			},
		};
	}

	/** Listens. Where the file cannot be made nothing is reached. */
	async open(): Promise<void> {
		const server = createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
		server.on("error", () => {}); // one connection could not be accepted
		this.file = await keepListening(server, { ...this.deps, path: proxySocket(this.deps.socket) }).catch(
			() => undefined,
		);
	}

	close(): void {
		this.file?.close();
		for (const socket of this.newcomers) socket.destroy();
		this.places.endAll();
	}

	/** Who has shown no token takes nobody's place: the oldest of them makes room for the newest. */
	private accept(socket: Socket): void {
		const [oldest] = this.newcomers;
		if (this.newcomers.size >= this.maxNewcomers && oldest !== undefined) {
			this.newcomers.delete(oldest);
			oldest.destroy();
		}
		this.newcomers.add(socket);
		socket.on("error", () => {}); // its close says it all
		this.letIn(socket).catch(() => socket.destroy());
	}

	private async letIn(socket: Socket): Promise<void> {
		const token = await readToken(socket);
		this.newcomers.delete(socket);
		const caller = token === undefined ? undefined : this.deps.callerOf(token);
		const place = caller === undefined ? undefined : this.places.take(caller.agent);
		if (token === undefined || place === undefined) return void socket.destroy();
		place.hold(socket);
		this.standings.set(socket, { token, place });
		socket.once("end", () => socket.setTimeout(HALF_OPEN_MS));
		const requests = await this.server();
		if (socket.destroyed) return;
		requests.emit("connection", socket);
		socket.write(WELCOME);
	}

	/** Node's HTTP is loaded with the first connection. */
	private server(): Promise<HttpServer> {
		this.requests ??= import("./requests.ts")
			.then(({ createRequests }) => createRequests(this.requestsDeps))
			.catch((error) => {
				this.requests = undefined; // no file could be opened: the next connection tries again
				throw error;
			});
		return this.requests;
	}

	private callerOn(socket: Socket): Caller | undefined {
		const standing = this.standings.get(socket);
		return standing && this.deps.callerOf(standing.token);
	}
}

function machineRoutes(): Routes {
	const lookups = new Lookups();
	return {
		lookUp: (name, asker) => lookups.of(name, asker),
		ownAddresses: () =>
			Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address)),
	};
}

/** The first line of a connection to the proxy: an agent's token. */

const MAX_BYTES = 128;
const WITHIN_MS = 5_000; // in all: it is sent with the connection

/** The answer to a token that is right; to any other the connection is closed. */
const WELCOME = "welcome\n";

/** Undefined for a line that is too long, late, or has anything behind it. Nothing of the connection is read beyond it. */
function readToken(socket: Socket): Promise<string | undefined> {
	return new Promise((resolve) => {
		let line = "";
		const end = (token: string | undefined) => {
			socket.removeListener("data", onData).removeListener("close", onClose);
			clearTimeout(late);
			socket.pause();
			resolve(token);
		};
		const onClose = () => end(undefined);
		const onData = (chunk: Buffer) => {
			line += chunk.toString("latin1");
			const at = line.indexOf("\n");
			if (at === -1 ? line.length > MAX_BYTES : at !== line.length - 1) end(undefined);
			else if (at !== -1) end(line.slice(0, -1));
		};
		socket.on("data", onData);
		socket.once("close", onClose);
		const late = setTimeout(onClose, WITHIN_MS).unref();
	});
}

/** Hosts that were refused, as events. An agent that tries without an end fills no log: after a while it has one a second. */

export class HostRefusals {
	private readonly allowances = new Map<AgentId, EventAllowance>();

	/** The event to record; undefined when there were too many just now: a later one says how many. */
	refused(
		agent: AgentId,
		{ host, port }: HostAndPort,
		{ reason, at }: { reason: string; at: number },
	): RunEvent | undefined {
		const allowance = this.allowances.get(agent) ?? new EventAllowance();
		this.allowances.set(agent, allowance);
		const taken = allowance.take(at);
		if (taken === undefined) return undefined;
		return { event: "host_refused", at, agent, host, port, reason, ...defined({ others: taken.others }) };
	}
}
