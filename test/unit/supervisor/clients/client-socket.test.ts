/** The supervisor's end of a socket, against a real one; and what bounds the work and the memory for it. */
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { SYSTEM_CLOCK } from "../../../../src/processes/system-clock.ts";
import {
	ClientSocket,
	IncomingLines,
	LineMemory,
	WorkCredit,
} from "../../../../src/supervisor/clients/client-socket.ts";
import { WAIT } from "../../../wait.ts";

const MIB = 1024 * 1024;

async function pair({ most = 1_000, memory = new LineMemory(SYSTEM_CLOCK.elapsed), onLine = () => {} } = {}) {
	const directory = mkdtempSync(join(tmpdir(), "agentree-socket-"));
	const path = join(directory, "s");
	const listening = createServer();
	await new Promise<void>((resolve) => listening.listen(path, resolve));
	const accepted = new Promise<Socket>((resolve) => listening.once("connection", resolve));
	const client = connect(path);
	client.on("error", () => {});
	onTestFinished(() => {
		client.destroy();
		listening.close();
		rmSync(directory, { recursive: true, force: true });
	});
	const log: string[] = [];
	const server = new ClientSocket(await accepted, memory, SYSTEM_CLOCK);
	server.readFor({
		maxLineBytes: () => most,
		receive: (line) => {
			log.push(line.toString());
			onLine();
		},
		refuse: (reason) => {
			log.push(`bad: ${reason}`);
			server.close();
		},
		closed: () => log.push("closed"),
	});
	return { client, server, log };
}

test("lines are heard in their order, whatever the pieces that they come in", async () => {
	const { client, log } = await pair();
	client.resume();
	client.write("a\nb");
	client.end("c\nd");
	await vi.waitFor(() => expect(log).toEqual(["a", "bc", "closed"]), WAIT);
});

test("lines that take long are heard one at a time, with a turn of all others between them", async () => {
	const { client, log } = await pair({
		onLine: () => {
			for (const until = SYSTEM_CLOCK.elapsed() + 10; SYSTEM_CLOCK.elapsed() < until; );
			setImmediate(() => log.push("others"));
		},
	});
	client.end("a\nb\nc\n");
	await vi.waitFor(() => expect(log.slice(0, 5)).toEqual(["a", "others", "b", "others", "c"]), WAIT);
});

test("nothing behind a bad line is heard, and its sender is told before the connection closes", async () => {
	const { client, log, server } = await pair({ most: 3, onLine: () => server.send({ say: "heard" }) });
	const got: string[] = [];
	client.on("data", (data) => got.push(data.toString()));
	client.write("abc\nabcd\nabc\n");
	await vi.waitFor(() => expect(log).toEqual(["abc", "bad: a line that is too long", "closed"]), WAIT);
	await vi.waitFor(() => expect(got.join("")).toBe('{"say":"heard"}\n'), WAIT);
});

test("a client that does not read is closed, before what it is sent fills the memory", async () => {
	// Seen to fail without the bound: the sender keeps all of it.
	const { client, server, log } = await pair();
	client.pause();
	const large = { text: "x".repeat(16 * MIB) };
	for (let n = 0; n < 8; n++) server.send(large);
	expect(server.unsentBytes).toBeLessThan(112 * MIB);
	expect(log).toEqual(["bad: it does not read what it is sent"]);
	await vi.waitFor(() => expect(log).toContain("closed"), WAIT); // though it never reads
});

test("a long line waits while others hold the memory, and is heard whole when there is room again", async () => {
	const memory = new LineMemory(SYSTEM_CLOCK.elapsed, MIB);
	const other = { tooSlow: () => {} };
	memory.hold(other, MIB);
	const { client, log } = await pair({ most: MIB, memory });
	client.end(`${"x".repeat(200_000)}\n`);
	await new Promise((resolve) => client.once("finish", resolve));
	expect(log).toEqual([]);
	memory.release(other);
	await vi.waitFor(() => expect(log).toEqual(["x".repeat(200_000), "closed"]), WAIT);
});

test("a line that comes byte by byte needs room for little more than itself", () => {
	// Seen with a piece for each chunk: a hundred times the bytes of the line.
	const asked: number[] = [];
	const lines = new IncomingLines();
	for (let n = 0; n < 10_000; n++) {
		lines.push(Buffer.from("x"));
		lines.take(20_000, (bytes) => asked.push(bytes) > 0);
	}
	expect(asked).toEqual([4_096, 8_192, 16_384]);
});

test("short lines are free; long ones share a bound, and of two that hold a part each the older one goes on", () => {
	// Seen to fail without the exception for the oldest: both wait forever.
	const log: string[] = [];
	const client = (name: string) => ({ tooSlow: () => log.push(`${name} is too slow`) });
	let now = 0;
	const memory = new LineMemory(() => now, 4 * MIB);
	const [a, b] = [client("a"), client("b")];
	for (let n = 0; n < 100; n++) expect(memory.hold(client(`${n}`), 64 * 1024)).toBe(true);
	expect([memory.hold(a, 2 * MIB), memory.hold(b, 2 * MIB)]).toEqual([true, true]);
	now = 60_000;
	memory.hurry();
	expect(log).toEqual([]); // nobody waits
	expect([memory.hold(b, 4 * MIB), memory.hold(a, 4 * MIB)]).toEqual([false, true]);
	memory.hurry();
	expect(log).toEqual(["a is too slow", "b is too slow"]);
	memory.release(a);
	expect(memory.hold(b, 4 * MIB)).toBe(true);
});

test("a client may take a second at once, and a fifth of the time from then on; after a long silence a second again", () => {
	const credit = new WorkCredit(0);
	expect([credit.spend(0, 900), credit.spend(900, 1_100)]).toEqual([0, 500]);
	expect([credit.spend(1_600, 1_700), credit.spend(2_200, 2_200)]).toEqual([500, 0]);
	expect([credit.spend(1_000_000, 1_001_000), credit.spend(1_001_000, 1_001_001)]).toEqual([0, 5]);
});
