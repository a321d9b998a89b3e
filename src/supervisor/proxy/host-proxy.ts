/**
 * The proxy of a run: through it alone agents reach hosts that have a network of their own, with nothing in it. It listens beside
 * the run's socket. A connection begins with the token of the agent in a line, which is answered with a line; then it is HTTP.
 * Each agent has its own list, and nobody's token is told to another one.
 */

import type { Server as HttpServer } from "node:http";
import { createServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { AgentId } from "../../core/agent.ts";
import { proxySocket } from "../../core/pipe-path.ts";
import type { RunEvent } from "../../core/run-event.ts";
import { keepListening, type SocketFile, type SocketFileDeps } from "../socket-file.ts";
import { HostRefusals } from "./host-refusals.ts";
import { Lookups } from "./lookups.ts";
import type { Caller, RequestsDeps } from "./requests.ts";
import type { RouteDeps } from "./route.ts";
import { readToken, WELCOME } from "./token-line.ts";

/** Of one agent, and of all together: two open files each. */
const MAX_CONNECTIONS = 128;
const MAX_ALL_CONNECTIONS = 512;

export interface HostProxyDeps extends Omit<SocketFileDeps, "path"> {
	/** The run's. */
	readonly socket: string;
	readonly now: () => number;
	/** Undefined for no agent of this run, one that has ended, and one whose hosts are not bound by a list. */
	readonly callerOf: (token: string) => Caller | undefined;
	readonly emit: (event: RunEvent) => void;
}

export class HostProxy {
	private readonly deps: HostProxyDeps;
	private readonly requestsDeps: RequestsDeps;
	private readonly tokens = new Map<Socket, string>();
	private readonly sockets = new Set<Socket>();
	private file: SocketFile | undefined;
	private requests: Promise<HttpServer> | undefined;

	constructor(deps: HostProxyDeps, routes: RouteDeps = machineRoutes()) {
		this.deps = deps;
		const refusals = new HostRefusals();
		this.requestsDeps = {
			...routes,
			callerOn: (socket) => this.callerOn(socket),
			onRefused: (agent, to, reason) => {
				const event = refusals.refused(agent, to, { reason, at: deps.now() });
				if (event !== undefined) deps.emit(event);
			},
		};
	}

	/** Listens. Where the file cannot be made nothing is reached. */
	async open(): Promise<void> {
		const server = createServer({ allowHalfOpen: true }, (socket) => void this.accept(socket));
		server.on("error", () => {}); // one connection could not be accepted
		this.file = await keepListening(server, { ...this.deps, path: proxySocket(this.deps.socket) }).catch(
			() => undefined,
		);
	}

	close(): void {
		this.file?.close();
		for (const socket of this.sockets) socket.destroy();
	}

	private async accept(socket: Socket): Promise<void> {
		if (this.sockets.size >= MAX_ALL_CONNECTIONS) return void socket.destroy();
		this.sockets.add(socket);
		socket.on("error", () => {}); // its close says it all
		socket.once("close", () => {
			this.sockets.delete(socket);
			this.tokens.delete(socket);
		});
		const token = await readToken(socket);
		const caller = token === undefined ? undefined : this.deps.callerOf(token);
		if (token === undefined || caller === undefined || this.count(caller.agent) >= MAX_CONNECTIONS)
			return void socket.destroy();
		this.tokens.set(socket, token);
		this.requests ??= import("./requests.ts").then(({ createRequests }) => createRequests(this.requestsDeps));
		const requests = await this.requests;
		if (socket.destroyed) return;
		requests.emit("connection", socket);
		socket.write(WELCOME);
	}

	private count(agent: AgentId): number {
		return [...this.tokens.values()].filter((token) => this.deps.callerOf(token)?.agent === agent).length;
	}

	private callerOn(socket: Socket): Caller | undefined {
		const token = this.tokens.get(socket);
		return token === undefined ? undefined : this.deps.callerOf(token);
	}
}

function machineRoutes(): RouteDeps {
	const lookups = new Lookups();
	return {
		lookUp: (name) => lookups.of(name),
		ownAddresses: () =>
			Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address)),
	};
}
