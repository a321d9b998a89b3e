/** The run's socket. The first message of a connection says what it is: an agent joins, a watcher watches. */
import { chmodSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { shortageOf } from "../core/errno-advice.ts";
import { AgentreeError } from "../core/errors.ts";
import { wrapSocket } from "../protocol/connection.ts";
import type { FromAgent, FromWatcher, Join, ToAgent, ToWatcher } from "../protocol/messages.ts";
import { maxConnections, readDescriptors } from "./processes/descriptors.ts";
import type { WatcherConnection } from "./record/feed.ts";

export interface AgentConnection {
	readonly number: number;
	send(message: ToAgent): void;
	close(): void;
}

export interface ServerListener {
	joined(connection: AgentConnection, join: Join): void;
	said(connection: AgentConnection, message: Exclude<FromAgent, Join>): void;
	gone(connection: AgentConnection): void;
	watched(watcher: WatcherConnection, message: FromWatcher): void;
	unwatched(watcher: WatcherConnection): void;
}

export interface Server {
	close(): void;
}

export function listenOn(path: string, listener: ServerListener): Promise<Server> {
	let connections = 0;
	const server = createServer((socket) => {
		const connection = wrapSocket<FromAgent | FromWatcher, ToAgent & ToWatcher>(socket);
		connections += 1;
		receive(connection as never, connections, listener);
	});
	const descriptors = readDescriptors();
	if (descriptors !== undefined) server.maxConnections = maxConnections(descriptors);
	return new Promise((resolve, reject) => {
		server.once("error", (error) =>
			reject(
				new AgentreeError(
					"not_writable",
					`cannot listen on the socket ${path}: ${error.message}; set XDG_RUNTIME_DIR to a directory of yours`,
				),
			),
		);
		server.listen({ path, backlog: 1024 }, () => {
			chmodSync(path, 0o600);
			void removeStaleSockets(dirname(path));
			resolve({
				close: () => {
					server.close();
					rmSync(path, { force: true });
				},
			});
		});
	});
}

/** A supervisor that was killed leaves its socket: nobody answers there. */
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

type AnyConnection = {
	send(message: object): void;
	close(): void;
	onMessage(listener: (message: FromAgent | FromWatcher) => void): void;
	onClose(listener: () => void): void;
	readonly unsentBytes: number;
};

function receive(connection: AnyConnection, number: number, listener: ServerListener): void {
	let role: "new" | "agent" | "watcher" = "new";
	const agent: AgentConnection = { number, send: connection.send, close: connection.close };
	const watcher = connection as unknown as WatcherConnection;
	const heard = (message: FromAgent | FromWatcher) => {
		if (role === "new") role = message.say === "join" ? "agent" : "watcher";
		else if (message.say === "join") return;
		if (message.say === "join") listener.joined(agent, message);
		else if (role === "agent") listener.said(agent, message as Exclude<FromAgent, Join>);
		else listener.watched(watcher, message as FromWatcher);
	};
	connection.onMessage((message) => {
		try {
			heard(message);
		} catch (error) {
			if (shortageOf(Object(error)) === undefined) throw error; // a bug, which ends the run
			connection.close(); // too little is left for this one; the others go on
		}
	});
	connection.onClose(() => {
		if (role === "agent") listener.gone(agent);
		if (role === "watcher") listener.unwatched(watcher);
	});
}
