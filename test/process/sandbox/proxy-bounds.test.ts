/** Floods and slow clients against the proxy: what one agent may take of it, and that nothing of it ends the process or keeps others out. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { bridge } from "../../../src/agent/network/bridge.ts";
import { WAIT } from "../../wait.ts";
import { connectTo, exchange, startProxy, startServer } from "./proxy-client.ts";

const GET = (host: string, path = "/") => `GET http://${host}${path} HTTP/1.1\r\n\r\n`;
const status = (got: string) => /^HTTP\/1\.1 (\d+)/.exec(got)?.[1] ?? (got === "" ? "closed" : got);

/** Connections with a token; what each was told first. */
function held(path: string, token: string, count: number) {
	const sockets = Array.from({ length: count }, () => connectTo(path));
	const told = sockets.map(
		(socket) =>
			new Promise<string>((resolve) => {
				socket.once("data", (data) => resolve(String(data).trim()));
				socket.once("close", () => resolve("closed"));
				socket.write(token);
			}),
	);
	return { sockets, told: Promise.all(told) };
}

test("a connection has one request: what is sent behind it ends it, and reaches nothing", async () => {
	const asked: string[] = [];
	const { port } = await startServer(({ url = "" }, answer) => {
		asked.push(url);
		if (url === "/now") answer.end("done");
	});
	const allowed = [`127.0.0.1:${port}`];
	const { proxySocket, events } = await startProxy({ one: { agent: "1", allowed } });
	const host = `127.0.0.1:${port}`;
	const alone = await exchange(proxySocket, "one", GET(host, "/now"));
	expect([status(alone), /^connection: close\r$/im.test(alone)]).toEqual(["200", true]);
	const behind = [
		GET(host, "/b").repeat(100),
		GET("evil.org"),
		`CONNECT ${host} HTTP/1.1\r\n\r\n`,
		"one\n",
		"\0".repeat(100_000),
	];
	const got = await Promise.all(behind.map((more) => exchange(proxySocket, "one", `${GET(host, "/a")}${more}`)));
	expect(got.map(status).every((one) => one === "closed" || one === "400")).toBe(true);
	expect(asked.filter((url) => url !== "/now" && url !== "/a")).toEqual([]);
	expect(events).toEqual([]);
});

test("who shows no token takes nobody's place, and neither does a family of agents", async () => {
	const { port } = await startServer();
	const allowed = [`127.0.0.1:${port}`];
	const agents = ["1", "1.1", "1.2", "1.3", "1.4"];
	const callers = Object.fromEntries(agents.map((agent) => [`t${agent}`, { agent, allowed }]));
	const { proxySocket } = await startProxy(callers, {}, { maxFiles: 256 }); // 32 places, 32 newcomers
	const silent = held(proxySocket, "", 100);
	const ask = (agent: string) => exchange(proxySocket, `t${agent}`, GET(`127.0.0.1:${port}`));
	expect(status(await ask("1"))).toBe("200");
	await vi.waitFor(
		() => expect(silent.sockets.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(32),
		WAIT,
	);
	const floods = ["1", "1.1", "1.2", "1.3"].map((agent) => held(proxySocket, `t${agent}\n`, 30));
	const welcome = (await Promise.all(floods.map(({ told }) => told))).flat().filter((told) => told === "welcome");
	expect(welcome.length).toBeGreaterThanOrEqual(32);
	expect(status(await ask("1.4"))).toBe("200");
});

test("who is slow is let go: with its token after seconds, with the headers of its request after a minute", async () => {
	vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
	onTestFinished(() => void vi.useRealTimers());
	const { proxySocket } = await startProxy({ one: { agent: "1", allowed: [] } });
	const slowToken = held(proxySocket, "on", 1);
	const slowHeaders = held(proxySocket, "one\n", 1);
	expect(await slowHeaders.told).toEqual(["welcome"]);
	slowHeaders.sockets[0]?.write("GET http://a/ HTTP/1.1\r\nX: a");
	vi.advanceTimersByTime(6_000);
	expect(await slowToken.told).toEqual(["closed"]);
	expect(slowHeaders.sockets[0]?.destroyed).toBe(false);
	const closed = new Promise((resolve) => slowHeaders.sockets[0]?.once("close", resolve));
	vi.advanceTimersByTime(60_000);
	await closed;
});

// Seen to end the whole process: Node reads the machine's addresses with a socket, and throws where it may open none.
test("an error while a request is looked at ends that request alone", async () => {
	const callers = { one: { agent: "1", allowed: ["*:*"] } };
	let mayOpen = false;
	const ownAddresses = () => {
		if (!mayOpen) throw new Error("EMFILE");
		return [];
	};
	const { proxySocket } = await startProxy(callers, { "a.test": [["127.0.0.1"]] }, { ownAddresses });
	for (const request of [GET("a.test"), "CONNECT a.test:443 HTTP/1.1\r\n\r\n"])
		expect(await exchange(proxySocket, "one", request)).toContain("502 Bad Gateway: the proxy failed (EMFILE)");
	mayOpen = true;
	expect(status(await exchange(proxySocket, "one", GET("a.test")))).toBe("403");
});

test("what goes out for a client ends with it, also while it is being opened", async () => {
	const open = new Set<unknown>();
	const { port, server } = await startServer((_asked, answer) => {
		const more = setInterval(() => answer.write("never the end"), 20);
		answer.once("close", () => clearInterval(more));
	});
	server.on("connection", (socket) => {
		open.add(socket);
		socket.once("close", () => open.delete(socket));
	});
	const host = `127.0.0.1:${port}`;
	const { proxySocket } = await startProxy({ one: { agent: "1", allowed: [host] } });
	for (const request of [GET(host), `CONNECT ${host} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n`]) {
		const { sockets, told } = held(proxySocket, "one\n", 20);
		await told;
		for (const socket of sockets) socket.write(request);
		for (const socket of sockets) socket.destroy();
		expect(status(await exchange(proxySocket, "one", "GET / HTTP/1.1\r\n\r\n"))).toBe("400"); // all before it was read
		await vi.waitFor(() => expect(open.size).toBe(0), WAIT);
	}
});

const LISTENS = `use IO::Socket::UNIX; $| = 1; my $l = IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1); print "ready"; <STDIN>;
while (my $c = $l->accept) { print $c "welcome\\nanswer" if defined(my $token = <$c>) }`;

// Seen to fail at once: while one agent connects on and on, the kernel refuses the others a connection (EAGAIN, connect(2)).
test("where the proxy has no time to accept, a client waits for it", async () => {
	const directory = mkdtempSync(join(tmpdir(), "agentree-bridge-"));
	const proxySocket = join(directory, "p");
	const proxy = spawn("perl", ["-e", LISTENS, proxySocket]);
	const server = createServer();
	onTestFinished(() => {
		proxy.kill("SIGKILL");
		server.close();
		rmSync(directory, { recursive: true });
	});
	await once(proxy.stdout, "data");
	const flood: ReturnType<typeof connectTo>[] = [];
	for (let isFull = false; !isFull; ) {
		const one = connectTo(proxySocket);
		flood.push(one);
		isFull = await new Promise<boolean>((resolve) => {
			one.once("connect", () => resolve(false));
			one.once("error", () => resolve(true));
		});
	}
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	bridge(server, { proxySocket, token: "one", onRefused: () => {} });
	const got: string[] = [];
	const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
	client.on("data", (data) => got.push(String(data))).on("close", () => got.push("closed"));
	await once(server, "connection");
	await new Promise((resolve) => setImmediate(resolve)); // the bridge has been refused
	for (const one of flood) one.destroy();
	proxy.stdin.write("\n");
	await vi.waitFor(() => expect(got[0]).toBe("answer"), WAIT);
});
