/** The proxy of a run, and what its tests reach by it: servers on 127.0.0.1 under names that are looked up in a table. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { proxySocket } from "../../../src/core/run/pipe-path.ts";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { HostProxy } from "../../../src/supervisor/proxy/host-proxy.ts";
import type { Caller } from "../../../src/supervisor/proxy/requests.ts";

export interface TestProxy {
	/** The run's socket, beside which it listens. */
	readonly socket: string;
	readonly proxySocket: string;
	readonly events: RunEvent[];
	readonly lookedUp: string[];
	close(): void;
}

/** `callers`: who asks with a token. `names`: what each name leads to, one answer a lookup, the last one from then on. */
export async function startProxy(
	callers: Record<string, Caller>,
	names: Record<string, readonly (readonly string[])[]> = {},
	{ maxFiles, ownAddresses = () => [] }: { maxFiles?: number; ownAddresses?: () => string[] } = {},
): Promise<TestProxy> {
	const directory = mkdtempSync(join(tmpdir(), "agentree-proxy-"));
	const socket = join(directory, "r.sock");
	const events: RunEvent[] = [];
	const lookedUp: string[] = [];
	const lookUp = async (name: string) => {
		const answers = names[name];
		const answer = answers?.[Math.min(lookedUp.filter((earlier) => earlier === name).length, answers.length - 1)];
		lookedUp.push(name);
		if (answer === undefined) throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
		return answer;
	};
	const proxy = new HostProxy(
		{
			...{ socket, uid: process.getuid?.() ?? 0, timers: { after: () => () => {} }, now: () => Date.now() },
			callerOf: (token) => (Object.hasOwn(callers, token) ? callers[token] : undefined),
			maxFiles,
			emit: (event) => void events.push(event),
		},
		{ lookUp, ownAddresses },
	);
	await proxy.open();
	onTestFinished(() => {
		proxy.close();
		rmSync(directory, { recursive: true, force: true });
	});
	return { socket, proxySocket: proxySocket(socket), events, lookedUp, close: () => proxy.close() };
}

/** A server on 127.0.0.1; without a listener it answers with the request line, the Host header and the body. */
export async function startServer(listener: RequestListener = echo): Promise<{ port: number; server: Server }> {
	const server = createServer(listener);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	return { port: (server.address() as AddressInfo).port, server };
}

function echo(asked: IncomingMessage, answer: Parameters<RequestListener>[1]): void {
	const chunks: Buffer[] = [];
	asked.on("data", (chunk: Buffer) => chunks.push(chunk));
	asked.on("end", () =>
		answer.end(`${asked.method} ${asked.url} host=${asked.headers.host} body=${Buffer.concat(chunks).toString()}`),
	);
}

export function connectTo(path: string): Socket {
	const socket = connect({ path, allowHalfOpen: true });
	socket.on("error", () => {});
	socket.on("end", () => socket.destroy());
	onTestFinished(() => void socket.destroy());
	return socket;
}

/** Sends the bytes behind the token, ends its side, and gives all that comes back; without `WELCOME` when it was not let in. */
export function exchange(
	path: string,
	token: string,
	bytes: string,
	{ onData = (_text: string): unknown => undefined } = {},
): Promise<string> {
	const socket = connectTo(path);
	return new Promise((resolve) => {
		let got = "";
		let isSent = false;
		socket.setTimeout(8_000, () => {
			got += "(silence)";
			socket.destroy();
		});
		socket.on("data", (chunk: Buffer) => {
			got += chunk.toString("latin1");
			onData(got);
			if (isSent || !got.startsWith("welcome\n")) return;
			isSent = true;
			socket.end(bytes);
		});
		socket.on("close", () => resolve(got.replace(/^welcome\n/, "")));
		socket.write(`${token}\n`);
	});
}
