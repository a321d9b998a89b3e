/**
 * The proxy of a run: through it alone agents reach hosts that have a network of their own, with nothing in it. It listens beside
 * the run's socket. A connection begins with the token of the agent in a line, which is answered with a line; then it is HTTP.
 * Each agent has its own list and token, which no other agent gets.
 */
import type { Server as HttpServer } from "node:http";
import { createServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { defined } from "../../core/defined.ts";
import type { HostAndPort } from "../../core/machine/host-pattern.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { proxySocket } from "../../core/run/pipe-path.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { EventAllowance } from "../run/journal.ts";
import { keepListening, type SocketFile, type SocketFileDeps } from "../socket-file.ts";
import type { Caller, RequestsDeps } from "./requests.ts";
import { Lookups } from "./route.ts";

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

/** A connection that has shown a token. */
interface Standing {
	readonly token: string;
	readonly place: Place;
}

export class HostProxy {
	private readonly deps: HostProxyDeps;
	private readonly requestsDeps: RequestsDeps;
	private readonly standings = new WeakMap<Socket, Standing>();
	private readonly places: Places;
	/** How many refusals of an agent go into the event log: an agent that tries without an end fills no log. */
	private readonly allowances = new Map<AgentId, EventAllowance>();
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
		this.requestsDeps = {
			...routes,
			callerOn: (socket) => this.callerOn(socket),
			onOpened: (socket, outgoing) => {
				const standing = this.standings.get(socket);
				if (standing !== undefined) this.places.hold(standing.place, outgoing);
			},
			onRefused: (agent, to, reason) => this.refused(agent, to, reason),
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

	/** A connection without a token takes nobody's place: the oldest of them makes room for the newest. */
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
		const place = caller === undefined ? undefined : this.places.take(caller.agent, socket);
		if (token === undefined || place === undefined) return void socket.destroy();
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

	/** An event; in a flood one a second, which says how many others there were. */
	private refused(agent: AgentId, { host, port }: HostAndPort, reason: string): void {
		const at = this.deps.now();
		const allowance = this.allowances.get(agent) ?? new EventAllowance();
		this.allowances.set(agent, allowance);
		const taken = allowance.take(at);
		if (taken === undefined) return;
		const { others } = taken;
		this.deps.emit({ event: "host_refused", at, agent, host, port, reason, ...defined({ others }) });
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

/** One is held by what comes in and by what goes out for it, until both are closed. */
interface Place {
	readonly agent: AgentId;
	readonly sockets: Set<Socket>;
}

interface Bounds {
	readonly ofAgent: number;
	readonly ofAll: number;
}

/**
 * The places of connections to the proxy. Where all are taken, the agent with most of them loses its oldest to one that has fewer: so no agent,
 * and no number of its children, excludes another one.
 */
class Places {
	private readonly bounds: Bounds;
	/** The oldest first. */
	private readonly taken = new Set<Place>();

	constructor(bounds: Bounds) {
		this.bounds = bounds;
	}

	/** Undefined when the agent may have no more. */
	take(agent: AgentId, socket: Socket): Place | undefined {
		const own = this.of(agent).length;
		if (own >= this.bounds.ofAgent) return undefined;
		if (this.taken.size >= this.bounds.ofAll && !this.makeRoom(own)) return undefined;
		const place = { agent, sockets: new Set<Socket>() };
		this.taken.add(place);
		this.hold(place, socket);
		return place;
	}

	/** The socket is open. */
	hold(place: Place, socket: Socket): void {
		place.sockets.add(socket);
		socket.once("close", () => {
			place.sockets.delete(socket);
			if (place.sockets.size === 0) this.taken.delete(place);
		});
	}

	endAll(): void {
		for (const place of this.taken) this.end(place);
	}

	/** For an agent that has `own` of them. */
	private makeRoom(own: number): boolean {
		const agents = new Set([...this.taken].map(({ agent }) => agent));
		const most = [...agents].map((agent) => this.of(agent)).sort((a, b) => b.length - a.length)[0] ?? [];
		const [oldest] = most;
		if (oldest === undefined || most.length <= own + 1) return false;
		this.end(oldest);
		return true;
	}

	private of(agent: AgentId): Place[] {
		return [...this.taken].filter((place) => place.agent === agent);
	}

	private end(place: Place): void {
		this.taken.delete(place);
		for (const socket of place.sockets) socket.destroy();
	}
}

const MAX_BYTES = 128;
const WITHIN_MS = 5_000; // in all: it is sent with the connection

/** The answer to a token that is right; to any other the connection is closed. */
const WELCOME = "welcome\n";

/**
 * The first line of a connection: an agent's token. Undefined for a line that is too long, late, or has anything behind it. Nothing of the
 * connection is read beyond it.
 */
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
