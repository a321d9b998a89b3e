/** The proxy as its clients meet it: real sockets, real servers, and requests as nobody should write them. */
import { type AddressInfo, createServer, type Server } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { WAIT } from "../../wait.ts";
import { connectTo, exchange, startProxy, startServer } from "./proxy-client.ts";

const PUBLIC = [["127.0.0.1"]];

/** The proxy lets agent 1 to the server by its name and its address, agent 1.1 nowhere. */
async function proxied(more: { names?: Record<string, readonly (readonly string[])[]> } = {}) {
	const { port, server } = await startServer();
	const allowed = [`allowed.test:${port}`, `*.below.test:${port}`, `127.0.0.1:${port}`];
	const callers = { one: { agent: "1", allowed }, two: { agent: "1.1", allowed: [] } };
	const proxy = await startProxy(callers, { "allowed.test": PUBLIC, "a.below.test": PUBLIC, ...more.names });
	const send = (bytes: string, token = "one") =>
		exchange(proxy.proxySocket, token, bytes.replaceAll("PORT", String(port)));
	return { proxy, port, server, send };
}

function listening(server: Server): Promise<number> {
	onTestFinished(() => void server.close());
	return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)));
}

const status = (got: string) => /^HTTP\/1\.1 (\d+)/.exec(got)?.[1] ?? (got === "" ? "closed" : got);

test("a plain request goes on with the host of its address, and its answer comes back", async () => {
	const { send, port } = await proxied();
	const got = await send(
		"POST http://Allowed.TEST.:PORT/a?b HTTP/1.1\r\nHost: evil.org\r\nContent-Length: 2\r\n\r\nhi",
	);
	expect(got).toContain(`POST /a?b host=allowed.test:${port} body=hi`);
	const chunked = "POST http://allowed.test:PORT/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n";
	expect(await send(chunked)).toContain("body=hi");
});

test("a tunnel passes bytes both ways, also those that come at once with the request, and half an end", async () => {
	const server = createServer({ allowHalfOpen: true }, (socket) => {
		let got = "";
		socket.on("data", (chunk: Buffer) => {
			got += chunk.toString();
		});
		socket.on("end", () => socket.end(`after your end: ${got}`));
	});
	const port = await listening(server);
	const proxy = await startProxy({ one: { agent: "1", allowed: [`127.0.0.1:${port}`] } });
	const got = await exchange(proxy.proxySocket, "one", `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\nhello`);
	expect(got).toBe("HTTP/1.1 200 Connection established\r\n\r\nafter your end: hello");
});

test("what is refused says why in its status, in its body, and in one event; its name is not looked up", async () => {
	const { send, proxy } = await proxied();
	const reason =
		"evil.org:8443 is not an allowed host for this agent; a person can allow it with --allow-host evil.org:8443";
	for (const request of ["CONNECT evil.org:8443 HTTP/1.1\r\n\r\n", "GET http://evil.org:8443/ HTTP/1.1\r\n\r\n"]) {
		const got = await send(request);
		expect(got.startsWith(`HTTP/1.1 403 Refused by agentree: ${reason}\r\n`)).toBe(true);
		expect(got.endsWith(`\r\n\r\nagentree: ${reason}\n`)).toBe(true);
	}
	expect(proxy.events).toMatchObject(
		[0, 1].map(() => ({ event: "host_refused", agent: "1", host: "evil.org", port: 8443, reason })),
	);
	expect(proxy.lookedUp).toEqual([]);
});

test("an agent has its own list alone, and without a token that is right nobody has any", async () => {
	const { send } = await proxied();
	const request = "GET http://allowed.test:PORT/ HTTP/1.1\r\n\r\n";
	expect([await send(request), await send(request, "two")].map(status)).toEqual(["200", "403"]);
	for (const token of ["", "three", "one\r", "ONE", "one ", `${"x".repeat(500)}`, "GET / HTTP/1.1", "__proto__"])
		expect([token, status(await send(request, token))]).toEqual([token, "closed"]);
});

// A name may lead elsewhere a moment after it was looked at: the connection is made to the address that was checked.
test("a name that leads to this machine is refused, whatever it led to before and leads to next", async () => {
	const names = { "rebind.test": [["127.0.0.2"], ["127.0.0.1"]] };
	const { port } = await startServer();
	const callers = { one: { agent: "1", allowed: ["*:*"] } };
	const proxy = await startProxy(callers, {
		...names,
		"mixed.test": [["10.255.255.1", "127.0.0.1", "::1", "::ffff:127.0.0.1"]],
	});
	for (const name of ["rebind.test", "rebind.test", "mixed.test"]) {
		const got = await exchange(proxy.proxySocket, "one", `CONNECT ${name}:${port} HTTP/1.1\r\n\r\n`);
		expect(got).toMatch(/^HTTP\/1\.1 403 Refused by agentree: \w+\.test resolves to /);
	}
	expect(proxy.lookedUp).toEqual(["rebind.test", "rebind.test", "mixed.test"]);
});

test("a name is looked up once for a connection", async () => {
	const { send, proxy } = await proxied({ names: { "allowed.test": [["127.0.0.1"], ["127.0.0.9"]] } });
	expect(status(await send("GET http://allowed.test:PORT/ HTTP/1.1\r\n\r\n"))).toBe("200");
	expect(proxy.lookedUp).toEqual(["allowed.test"]);
});

/** What is sent, and the statuses that may come back. No such request may reach a server as another one. */
const ODD: readonly (readonly [name: string, bytes: string, statuses: string])[] = [
	[
		"a length and chunks",
		"POST http://allowed.test:PORT/ HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://allowed.test:PORT/smuggled HTTP/1.1\r\n\r\n",
		"400",
	],
	[
		"two lengths",
		"POST http://allowed.test:PORT/ HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 40\r\n\r\nabcd",
		"400",
	],
	[
		"chunks that are none",
		"POST http://allowed.test:PORT/ HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		"400",
	],
	[
		"chunked in odd letters",
		"POST http://allowed.test:PORT/ HTTP/1.1\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
		"400",
	],
	["a space before the colon", "GET http://allowed.test:PORT/ HTTP/1.1\r\nContent-Length : 4\r\n\r\nabcd", "400"],
	["a folded header", "GET http://allowed.test:PORT/ HTTP/1.1\r\nX: a\r\n Content-Length: 4\r\n\r\n", "400 200"],
	["a bare line feed", "GET http://allowed.test:PORT/ HTTP/1.1\nHost: x\n\n", "400"],
	["a carriage return in a header", "GET http://allowed.test:PORT/ HTTP/1.1\r\nX: a\rEvil: b\r\n\r\n", "400"],
	["a NUL in a header", "GET http://allowed.test:PORT/ HTTP/1.1\r\nX: a\0b\r\n\r\n", "400"],
	["an origin form", "GET / HTTP/1.1\r\nHost: allowed.test:PORT\r\n\r\n", "400"],
	["an asterisk", "OPTIONS * HTTP/1.1\r\nHost: allowed.test:PORT\r\n\r\n", "400"],
	["a network path", "GET //allowed.test:PORT/ HTTP/1.1\r\n\r\n", "400"],
	["https as a plain request", "GET https://allowed.test:PORT/ HTTP/1.1\r\n\r\n", "400"],
	["another scheme", "GET gopher://allowed.test:PORT/ HTTP/1.1\r\n\r\n", "400"],
	["a user in the address", "GET http://allowed.test:PORT@evil.org/ HTTP/1.1\r\n\r\n", "400"],
	["a backslash in the address", "GET http://evil.org\\@allowed.test:PORT/ HTTP/1.1\r\n\r\n", "400"],
	["an escape in the host", "GET http://allowed%2etest:PORT/ HTTP/1.1\r\n\r\n", "400"],
	["a fragment", "GET http://allowed.test:PORT/#@evil.org/ HTTP/1.1\r\n\r\n", "400"],
	["a port of nothing", "GET http://allowed.test:/ HTTP/1.1\r\n\r\n", "400"],
	["a port that is too large", "CONNECT allowed.test:65537 HTTP/1.1\r\n\r\n", "400"],
	["CONNECT without a port", "CONNECT allowed.test HTTP/1.1\r\n\r\n", "400"],
	["CONNECT with a path", "CONNECT allowed.test:PORT/x HTTP/1.1\r\n\r\n", "400"],
	["CONNECT with a scheme", "CONNECT http://allowed.test:PORT HTTP/1.1\r\n\r\n", "400"],
	["CONNECT with a user", "CONNECT a@allowed.test:PORT HTTP/1.1\r\n\r\n", "400"],
	["CONNECT to another port", "CONNECT allowed.test:22 HTTP/1.1\r\n\r\n", "403"],
	["a name that ends as the allowed one", "CONNECT notallowed.test:PORT HTTP/1.1\r\n\r\n", "403"],
	["a name that begins as the allowed one", "CONNECT allowed.test.evil.org:PORT HTTP/1.1\r\n\r\n", "403"],
	["the name of the wildcard itself", "CONNECT below.test:PORT HTTP/1.1\r\n\r\n", "403"],
	["a name below the wildcard", "CONNECT a.below.test:PORT HTTP/1.1\r\n\r\n", "200"],
	["an address in another spelling", "CONNECT 0x7f.1:PORT HTTP/1.1\r\n\r\n", "200"],
	["an address in IPv6", "CONNECT [::ffff:127.0.0.1]:PORT HTTP/1.1\r\n\r\n", "200"],
	["the loopback in IPv6, which is not named", "CONNECT [::1]:PORT HTTP/1.1\r\n\r\n", "403"],
	["another address of the loopback", "CONNECT 127.0.0.2:PORT HTTP/1.1\r\n\r\n", "403"],
	["no address at all", "CONNECT 0.0.0.0:PORT HTTP/1.1\r\n\r\n", "403"],
	["an address with a zone", "CONNECT [fe80::1%25lo]:PORT HTTP/1.1\r\n\r\n", "400"],
	["localhost, which is not named", "CONNECT localhost:PORT HTTP/1.1\r\n\r\n", "403"],
	["a name that leads nowhere", "CONNECT nowhere.below.test:PORT HTTP/1.1\r\n\r\n", "502"],
	["a huge header", `GET http://allowed.test:PORT/ HTTP/1.1\r\nX: ${"a".repeat(40_000)}\r\n\r\n`, "431"],
	["an upgrade", "GET http://allowed.test:PORT/ HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n", "200"],
	["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400"],
	["HTTP/1.0", "GET http://allowed.test:PORT/ HTTP/1.0\r\n\r\n", "200"],
	["HTTP/0.9", "GET http://allowed.test:PORT/\r\n\r\n", "200"],
	["no HTTP", "\x16\x03\x01\x02\x00\x01\x00", "400"],
	["a method of nobody", "BREW http://allowed.test:PORT/ HTTP/1.1\r\n\r\n", "400"],
	["nothing", "", "closed"],
	[
		"a Host of somebody else",
		"GET http://allowed.test:PORT/ HTTP/1.1\r\nHost: evil.org\r\nX-Forwarded-Host: evil.org\r\n\r\n",
		"200",
	],
	["the proxy's own socket's token again", "one\nGET http://allowed.test:PORT/ HTTP/1.1\r\n\r\n", "400"],
	[
		"a body that Expect asks for",
		"POST http://allowed.test:PORT/ HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi",
		"100 200",
	],
];

test.each(ODD)("the proxy gives %s no more than it should", async (_name, bytes, statuses) => {
	const seen: string[] = [];
	const { send, server } = await proxied();
	server.on("request", ({ url = "", headers }) => seen.push(`${headers.host?.replace(/:\d+$/, "")}${url}`));
	const got = await send(bytes);
	expect(statuses.split(" ")).toContain(status(got));
	expect(seen.filter((request) => request !== "allowed.test/")).toEqual([]);
});

test("an answer is read as fast as it is taken, and not kept", async () => {
	const block = Buffer.alloc(1024 * 1024);
	let sent = 0;
	const { port } = await startServer((_asked, answer) => {
		const more = () => {
			while (sent < 512) {
				sent += 1;
				if (!answer.write(block)) return void answer.once("drain", more);
			}
			answer.end();
		};
		more();
	});
	const proxy = await startProxy({ one: { agent: "1", allowed: [`127.0.0.1:${port}`] } });
	for (const request of [
		`GET http://127.0.0.1:${port}/ HTTP/1.1\r\n\r\n`,
		`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`,
	]) {
		sent = 0;
		const socket = connectTo(proxy.proxySocket);
		socket.write("one\n");
		await new Promise((resolve) => socket.once("data", resolve));
		socket.pause();
		socket.write(request);
		if (request.startsWith("CONNECT")) socket.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
		let before = -1;
		await vi.waitFor(() => {
			const isStill = sent > 0 && sent === before;
			before = sent;
			if (!isStill) throw new Error("it is still sent");
		}, WAIT);
		expect(sent).toBeLessThan(64);
		socket.destroy();
	}
});

test("a host that does not answer, or breaks off, is told from one that is refused", async () => {
	const server = createServer((socket) => socket.destroy());
	const port = await listening(server);
	const proxy = await startProxy({ one: { agent: "1", allowed: ["127.0.0.1:*"] } });
	const ask = () => exchange(proxy.proxySocket, "one", `GET http://127.0.0.1:${port}/ HTTP/1.1\r\n\r\n`);
	expect(await ask()).toMatch(/^HTTP\/1\.1 502 Bad Gateway: 127\.0\.0\.1:\d+ broke the connection/);
	await new Promise((resolve) => server.close(resolve));
	expect(await ask()).toMatch(/^HTTP\/1\.1 502 Bad Gateway: 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)/);
	expect(proxy.events).toEqual([]);
});

// Seen to end the whole process with a status below 100, which Node reads and does not write.
test.each([
	["HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n", "502"],
	["HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "502"],
	["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 None\r\n\r\n", "204"],
	["HTTP/1.1 200 \xff\r\nX: \xff\r\nContent-Length: 0\r\n\r\n", "200"],
	["HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "502"],
	["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", "200"],
	["SSH-2.0-server\r\n", "502"],
	[`HTTP/1.1 200 OK\r\nX: ${"a".repeat(100_000)}\r\n\r\n`, "502"],
	["", "502"],
])("the answer %j of a host is %s for the client", async (answer, expected) => {
	const server = createServer((socket) => {
		socket.on("error", () => {});
		socket.once("data", () => socket.end(Buffer.from(answer, "latin1")));
	});
	const port = await listening(server);
	const proxy = await startProxy({ one: { agent: "1", allowed: ["127.0.0.1:*"] } });
	const got = await exchange(
		proxy.proxySocket,
		"one",
		`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nConnection: close\r\n\r\n`,
	);
	expect(status(got)).toBe(expected);
});

test("one agent has 128 connections at once, and does not keep another one from its own", async () => {
	const { proxy, send } = await proxied();
	const held = Array.from({ length: 140 }, () => connectTo(proxy.proxySocket));
	const outcomes = await Promise.all(
		held.map(
			(socket) =>
				new Promise<string>((resolve) => {
					socket.once("data", () => resolve("welcome"));
					socket.once("close", () => resolve("closed"));
					socket.write("one\n");
				}),
		),
	);
	expect(outcomes.filter((outcome) => outcome === "welcome")).toHaveLength(128);
	expect(status(await send("GET http://allowed.test:PORT/ HTTP/1.1\r\n\r\n", "two"))).toBe("403");
	for (const socket of held) socket.destroy();
	await vi.waitFor(async () =>
		expect(status(await send("GET http://allowed.test:PORT/ HTTP/1.1\r\n\r\n"))).toBe("200"),
	);
});

test("a tunnel of which a client has ended its half ends with the proxy, too", async () => {
	let onClose = () => {};
	const isClosed = new Promise<void>((resolve) => {
		onClose = resolve;
	});
	const server = createServer({ allowHalfOpen: true }, (socket) => {
		socket.on("error", () => {});
		socket.once("close", onClose);
		socket.on("data", () => {});
		socket.on("end", () => {
			const more = setInterval(() => socket.write("more to come"), 20); // until it breaks
			socket.once("close", () => clearInterval(more));
		});
	});
	const port = await listening(server);
	const proxy = await startProxy({ one: { agent: "1", allowed: [`127.0.0.1:${port}`] } });
	const got = exchange(proxy.proxySocket, "one", `CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`, {
		onData: (text) => text.includes("more to come") && proxy.close(),
	});
	await isClosed;
	expect(await got).toContain("more to come");
});

test("what runs through it ends with the proxy", async () => {
	const { proxy, port } = await proxied();
	const socket = connectTo(proxy.proxySocket);
	let got = "";
	socket.on("data", (chunk: Buffer) => {
		if (got === "") socket.write(`CONNECT allowed.test:${port} HTTP/1.1\r\n\r\n`);
		got += chunk.toString();
	});
	socket.write("one\n");
	await vi.waitFor(() => expect(got).toContain("HTTP/1.1 200"), WAIT);
	const closed = new Promise((resolve) => socket.once("close", resolve));
	proxy.close();
	await closed;
	const again = connectTo(proxy.proxySocket);
	await new Promise((resolve) => again.once("error", resolve));
});
