/** The run's socket. The first message of a connection tells its role: an agent joins, a watcher watches. */
import { rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { shortageOf } from "../core/errno-advice.ts";
import { AgentreeError } from "../core/errors.ts";
import type { FromAgent, Join, ToAgent } from "../protocol/agent-messages.ts";
import { type Connection, wrapSocket } from "../protocol/connection.ts";
import { clientParser, type FromClient } from "../protocol/from-client.ts";
import type { FromWatcher, ToWatcher } from "../protocol/watcher-messages.ts";
import { maxConnections, readDescriptors } from "./processes/descriptors.ts";
import type { Watcher } from "./record/feed.ts";
import { keepListening, type SocketFileDeps } from "./socket-file.ts";

export interface AgentConnection {
	readonly number: number;
	send(message: ToAgent): void;
	/** Closes the connection because of what came over it. */
	refuse(reason: string): void;
	close(): void;
}

export interface ServerListener {
	onJoin(connection: AgentConnection, join: Join): void;
	onMessage(connection: AgentConnection, message: Exclude<FromAgent, Join>): void;
	onClose(connection: AgentConnection): void;
	onWatcherMessage(watcher: Watcher, message: FromWatcher): void;
	onWatcherClose(watcher: Watcher): void;
}

export interface Server {
	close(): void;
}

export async function listenOn(file: SocketFileDeps, listener: ServerListener): Promise<Server> {
	let connections = 0;
	const server = createServer((socket) => {
		connections += 1;
		receive(wrapSocket(socket, clientParser()), connections, listener);
	});
	const descriptors = readDescriptors();
	if (descriptors !== undefined) server.maxConnections = maxConnections(descriptors);
	const listening = await keepListening(server, file).catch((error: Error) => {
		throw new AgentreeError(
			"not_writable",
			`cannot listen on the socket ${file.path}: ${error.message}; set XDG_RUNTIME_DIR to a directory of yours`,
		);
	});
	server.on("error", () => {}); // one connection could not be accepted, or a later attempt to listen failed, which is known
	void removeStaleSockets(dirname(file.path));
	return listening;
}

/** Removes the sockets of supervisors that were killed: nobody answers there. */
async function removeStaleSockets(directory: string): Promise<void> {
	for (const name of await readdir(directory).catch(() => [])) {
		if (!name.endsWith(".sock")) continue;
		const socket = connect(join(directory, name));
		socket.once("connect", () => socket.destroy());
		socket.once("error", (error: NodeJS.ErrnoException) => {
			if (error.code === "ECONNREFUSED") rmSync(join(directory, name), { force: true });
		});
	}
}

function receive(client: Connection<FromClient, ToAgent | ToWatcher>, number: number, listener: ServerListener): void {
	let role: FromClient["by"] | undefined;
	const agent: AgentConnection = { number, send: client.send, refuse: client.close, close: client.close };
	const receiveMessage = ({ by, message }: FromClient) => {
		const isFirst = role === undefined;
		role = by;
		if (by === "watcher") listener.onWatcherMessage(client, message);
		else if (message.say !== "join") listener.onMessage(agent, message);
		else if (isFirst) listener.onJoin(agent, message);
	};
	client.onMessage((received) => {
		try {
			receiveMessage(received);
		} catch (error) {
			if (shortageOf(Object(error)) === undefined) throw error; // a bug, which ends the run
			client.close(); // the system has too little left for this connection; the others go on
		}
	});
	client.onClose(() => {
		if (role === "agent") listener.onClose(agent);
		if (role === "watcher") listener.onWatcherClose(client);
	});
}
