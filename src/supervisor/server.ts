/** The run's socket: who connects is a client, which tells and proves its role (clients/client-listener.ts). */
import { rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { AgentreeError } from "../core/errors.ts";
import { pipesDirectory, proxySocket } from "../core/run/pipe-path.ts";
import { ConnectedClients, type ConnectedClientsDeps } from "./clients/connected-clients.ts";
import { maxConnections, readDescriptors } from "./processes/machine-resources.ts";
import { keepListening, type SocketFileDeps } from "./socket-file.ts";

const TICK_MS = 1_000;

export interface Server {
	/** Closes the newcomers that have been here for a second or more. True when there were any. */
	closeIdle(): boolean;
	close(): void;
}

export async function listenOn(
	file: SocketFileDeps,
	deps: Omit<ConnectedClientsDeps, "maxConnections">,
): Promise<Server> {
	const descriptors = readDescriptors();
	const most = descriptors === undefined ? Number.POSITIVE_INFINITY : maxConnections(descriptors);
	const clients = new ConnectedClients({ ...deps, maxConnections: most });
	const server = createServer((socket) => clients.add(socket));
	const listening = await keepListening(server, file).catch((error: Error) => {
		throw new AgentreeError(
			"not_writable",
			`cannot listen on the socket ${file.path}: ${error.message}; set XDG_RUNTIME_DIR to a directory you own`,
		);
	});
	server.on("error", () => {}); // one connection could not be accepted, or a later attempt to listen failed, which is known
	const tickLater = () => file.timers.after(TICK_MS, tick);
	const tick = () => {
		clients.tick();
		tickLater();
	};
	tickLater();
	void removeStaleSockets(dirname(file.path));
	return { close: listening.close, closeIdle: () => clients.closeIdle() };
}

/** Removes the sockets of supervisors that were killed, where nobody answers, with the pipes of their commands. */
async function removeStaleSockets(directory: string): Promise<void> {
	for (const name of await readdir(directory).catch(() => [])) {
		if (!name.endsWith(".sock")) continue;
		const socket = connect(join(directory, name));
		socket.once("connect", () => socket.destroy());
		socket.once("error", (error: NodeJS.ErrnoException) => {
			if (error.code !== "ECONNREFUSED") return;
			rmSync(pipesDirectory(join(directory, name)), { recursive: true, force: true });
			for (const path of [proxySocket(join(directory, name)), join(directory, name)]) rmSync(path, { force: true });
		});
	}
}
