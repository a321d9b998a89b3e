/** Leads the connections of an agent's commands to the run's proxy. Each begins there with the agent's token. */

import { connect, type Server, type Socket } from "node:net";
import { refusedHost } from "../../core/machine/host-pattern.ts";
import { connectPatiently } from "../supervisor-client.ts";

/** As the proxy has it for an agent: more would be closed there. */
const MAX_CONNECTIONS = 128;
const WELCOME_BYTES = "welcome\n".length;

export interface BridgeOptions {
	/** Of the run. */
	readonly proxySocket: string;
	readonly token: string;
	/** Called with `example.org:443`. */
	readonly onRefused: (target: string) => void;
}

/** `server` listens in the network of the commands. */
export function bridge(server: Server, options: BridgeOptions): void {
	server.maxConnections = MAX_CONNECTIONS;
	server.on("connection", (client: Socket) => {
		client.allowHalfOpen = true;
		client.pause();
		client.on("error", () => {}); // its close says it all
		lead(client, options).catch(() => client.destroy());
	});
	server.on("error", () => {}); // one connection could not be accepted
	server.unref(); // an agent that is over does not wait for them
}

async function lead(client: Socket, { proxySocket, token, onRefused }: BridgeOptions): Promise<void> {
	client.unref();
	const proxy = await connectPatiently(() => connected(proxySocket, client)); // others may flood it
	if (client.destroyed) return void proxy.destroy();
	for (const [one, other] of [
		[client, proxy],
		[proxy, client],
	] as const) {
		one.unref();
		one.on("error", () => other.destroy());
		one.on("close", () => {
			if (!one.readableEnded || !other.readableEnded) other.destroy(); // else both ends have been passed on
		});
	}
	proxy.write(`${token}\n`);
	const notWelcome = () => client.destroy();
	proxy.once("end", notWelcome);
	let welcome = "";
	const onWelcome = (chunk: Buffer) => {
		welcome += chunk.toString("latin1");
		if (welcome.length < WELCOME_BYTES) return;
		proxy.removeListener("data", onWelcome).removeListener("end", notWelcome);
		const rest = chunk.subarray(chunk.length - (welcome.length - WELCOME_BYTES));
		proxy.on("data", (piece: Buffer) => {
			const target = refusedTarget(piece);
			if (target !== undefined) onRefused(target);
		});
		proxy.pipe(client);
		client.pipe(proxy);
		if (rest.length > 0) proxy.unshift(rest);
	};
	proxy.on("data", onWelcome);
}

/** Rejects as `connect`, and when the client has gone. */
function connected(proxySocket: string, client: Socket): Promise<Socket> {
	return new Promise((resolve, reject) => {
		if (client.destroyed) return reject(new Error("the client has gone"));
		const proxy = connect({ path: proxySocket, allowHalfOpen: true });
		proxy.unref();
		proxy.once("error", reject);
		proxy.once("connect", () => {
			proxy.removeListener("error", reject);
			resolve(proxy);
		});
	});
}

const MAX_BYTES = 400;

/** The host, with a port where that is not one of the web; undefined for any other piece of an answer. */
function refusedTarget(piece: Uint8Array): string | undefined {
	return refusedHost(Buffer.from(piece.subarray(0, MAX_BYTES)).toString("latin1"));
}
