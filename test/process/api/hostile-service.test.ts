/** A service, or what stands in its place, that means harm or is broken: each call ends, in time, size and with its words. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { openAnthropic } from "../../../src/models/anthropic/anthropic.ts";
import { MODEL } from "../../fixtures/anthropic-with-api.ts";
import { asksWith, FIRST, fakeCall } from "../../fixtures/fake-call.ts";
import { startProgram } from "../program.ts";
import { endOf, KEY } from "./api-run.ts";

const MIB = 1024 * 1024;

async function listen(server: Server): Promise<string> {
	const sockets = new Set<Socket>();
	server.on("connection", (socket) => void sockets.add(socket));
	onTestFinished(() => {
		server.close();
		for (const socket of sockets) socket.destroy();
	});
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (answer: RequestListener) =>
	listen(
		createServer((request, response) => {
			request.resume();
			request.on("end", () => answer(request, response));
		}),
	);

/** One call to a service that answers so, with the time that it took. */
async function callTo(answer: RequestListener, maxSilenceMs = 20_000) {
	const model = openAnthropic(MODEL, { apiKey: KEY, baseUrl: await serve(answer) }, { maxSilenceMs, now: Date.now });
	onTestFinished(() => model.close());
	const begun = performance.now();
	const outcome = await model.ask(asksWith(FIRST), fakeCall());
	return { outcome, ms: performance.now() - begun };
}

const STREAM = { "content-type": "text/event-stream" };
const EVENTS = [
	{ type: "message_start", message: { model: MODEL, usage: { input_tokens: 7, output_tokens: 1 } } },
	{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
	{ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hello" } },
	{ type: "content_block_stop", index: 0 },
	{ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { input_tokens: 0, output_tokens: 9 } },
	{ type: "message_stop" },
].map((event) => JSON.stringify(event));
const HELLO = { is: "reply", content: [{ type: "text", text: "hello" }], usage: { input: 7, output: 9 } };

// Seen to fail (cut off before its end) when a stream was read by the SDK.
test("a stream without `event:` lines, with a BOM, comments and CRLF is read, and so is one that ends after its stop reason", async () => {
	const plain = await callTo((_, response) => {
		response.writeHead(200, STREAM);
		response.end(`\uFEFF: hi\r\n\r\n${EVENTS.map((data) => `data: ${data}\r\n\r\n`).join("")}data: [DONE]\r\n\r\n`);
	});
	expect(plain.outcome).toMatchObject(HELLO);
	const cut = await callTo((_, response) => {
		response.writeHead(200, STREAM);
		response.end(
			EVENTS.slice(0, 5)
				.map((data) => `data: ${data}\n\n`)
				.join("")
				.trimEnd(),
		);
	});
	expect(cut.outcome).toMatchObject(HELLO);
});

test("events that a gateway sends as text or as bytes are read", async () => {
	for (const type of ["text/plain; charset=utf-8", "application/octet-stream", "Text/Event-Stream"]) {
		const { outcome } = await callTo((_, response) =>
			response.writeHead(200, { "content-type": type }).end(EVENTS.map((data) => `data: ${data}\n\n`).join("")),
		);
		expect({ type, ...outcome }).toMatchObject({ type, ...HELLO });
	}
});

/** `agent run` before a service that sends these events with `event:` lines left out, once with a call and then without. */
async function runWithUsage(args: readonly string[], usage: object) {
	let n = 0;
	const url = await serve((_, response) => {
		n += 1;
		const input = JSON.stringify({ command: "echo hi" });
		const block = n === 1 ? { type: "tool_use", id: "a", name: "bash", input: {} } : { type: "text", text: "" };
		const delta = n === 1 ? { type: "input_json_delta", partial_json: input } : { type: "text_delta", text: "done" };
		const events = [
			{ type: "message_start", message: { model: MODEL, usage } },
			{ type: "content_block_start", index: 0, content_block: block },
			{ type: "content_block_delta", index: 0, delta },
			{ type: "content_block_stop", index: 0 },
			{ type: "message_delta", delta: { stop_reason: n === 1 ? "tool_use" : "end_turn" }, usage: { input_tokens: 0 } },
		];
		response.writeHead(200, STREAM);
		response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
	});
	const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url };
	return { ...(await endOf(startProgram(["run", ...args, "look"], { env }))), calls: () => n };
}

// Seen to fail (0 tokens and $0) when what was not counted was taken for nothing.
test("a service that never counts leaves the usage unknown, and a budget ends the run at its next call", async () => {
	const free = await runWithUsage(["--output-format", "json"], {});
	expect([free.exit, JSON.parse(free.stdout)]).toMatchObject([
		0,
		{ result: "done", total_cost_usd: null, usage: { input_tokens: 0, uncounted: 2 } },
	]);
	for (const [flag, unknown] of [
		["--max-tokens=500000", "an unknown number of tokens used"],
		["--max-budget-usd=5", "an unknown cost used"],
	] as const) {
		const { exit, stderr, calls } = await runWithUsage([flag], { input_tokens: 0, output_tokens: 0 });
		expect([exit, calls()]).toEqual([3, 1]);
		expect(stderr).toContain(unknown);
	}
});

/** A body of 256 MiB that is small on its way. */
const BOMBS: readonly [string, string, () => Buffer][] = [
	["gzip", "gzip", () => Buffer.concat(Array(16).fill(gzipSync(Buffer.alloc(16 * MIB, "x"))))],
	[
		"br",
		"br",
		() => brotliCompressSync(Buffer.alloc(256 * MIB, "x"), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
	],
];

// Seen to fail (more than a GiB of memory) when bodies were read whole.
test.each(BOMBS)("a bomb of %s is cut, as a stream and as an error", async (_, encoding, body) => {
	const bytes = body();
	for (const status of [200, 500, 403]) {
		const before = process.memoryUsage.rss();
		const { outcome, ms } = await callTo((_, response) => {
			response.writeHead(status, { ...STREAM, "content-encoding": encoding });
			response.end(bytes);
		});
		expect([status, outcome]).toMatchObject([status, { is: "failure" }]);
		expect(outcome.is === "failure" && outcome.reason.length).toBeLessThan(66_000);
		expect(process.memoryUsage.rss() - before).toBeLessThan(200 * MIB);
		expect(ms).toBeLessThan(30_000);
	}
});

const LONG_MS = 120_000;

/** Writes for as long as somebody reads. */
function flood(response: ServerResponse, piece: string): void {
	while (!response.destroyed && response.write(piece));
	if (!response.destroyed) response.once("drain", () => flood(response, piece));
}

test.each<[string, (response: ServerResponse) => void, RegExp]>([
	[
		"a line without an end",
		(response) => flood(response, "x".repeat(MIB)),
		/^an event of the service's answer has more than 8 MiB$/,
	],
	[
		"comments without an end",
		(response) => flood(response, `: ${"x".repeat(29)}\n`.repeat(MIB / 32)),
		/^the service's answer has more than 64 MiB$/,
	],
	[
		"one answer without an end",
		(response) => {
			response.write(`data: ${EVENTS[0]}\n\ndata: ${EVENTS[1]}\n\n`);
			const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "x".repeat(MIB) } };
			flood(response, `data: ${JSON.stringify(delta)}\n\n`);
		},
		/^the service's answer has more than 16 MiB$/,
	],
])(
	"%s is cut, and not asked for again",
	async (_, send, reason) => {
		const { outcome } = await callTo((_, response) => {
			response.writeHead(200, STREAM);
			send(response);
		}, LONG_MS);
		expect(outcome).toMatchObject({ is: "failure", exitCode: 75, reason: expect.stringMatching(reason) });
		expect(outcome).not.toHaveProperty("retry");
	},
	LONG_MS,
);

test("headers without an end are cut", async () => {
	const { outcome } = await callTo((_, response) => {
		response.socket?.write(`HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(100_000)}`);
	});
	expect(outcome).toMatchObject({ is: "failure", exitCode: 75 });
});

test.each<[string, (response: ServerResponse) => void]>([
	["a byte of the headers", (response) => drip((byte) => response.socket?.write(byte), begun(response))],
	["a byte of a line", (response) => response.writeHead(200, STREAM) && drip((byte) => response.write(byte), response)],
	[
		"pieces of nothing",
		(response) => {
			response.writeHead(200, STREAM);
			response.write(`data: ${EVENTS[0]}\n\ndata: ${EVENTS[1]}\n\n`);
			const delta = { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "" } };
			drip(() => response.write(`data: ${JSON.stringify(delta)}\n\n`), response);
		},
	],
])("%s every moment is given up as silence", async (_, send) => {
	const { outcome, ms } = await callTo((_, response) => send(response), 500);
	expect(outcome).toMatchObject({ reason: "the service was silent for too long, so the call was abandoned" });
	expect(ms).toBeLessThan(30_000);
});

function begun(response: ServerResponse): ServerResponse {
	response.socket?.write("HTTP/1.1 200 OK\r\nx: ");
	return response;
}

function drip(send: (byte: string) => void, response: ServerResponse): void {
	const timer = setInterval(() => send("x"), 50);
	response.once("close", () => clearInterval(timer));
}

test("a redirect to another port is an error that names it, and the key is not sent there", async () => {
	const stolen: IncomingMessage["headers"][] = [];
	const other = await serve(({ headers }, response) => {
		stolen.push(headers);
		response.end();
	});
	for (const status of [301, 302, 303, 307, 308]) {
		const { outcome } = await callTo((_, response) => response.writeHead(status, { location: `${other}/x?k=1` }).end());
		expect(outcome).toMatchObject({ is: "failure", exitCode: 1 });
		expect(outcome).toMatchObject({ reason: expect.stringContaining(`redirects to ${other}/x (HTTP ${status})`) });
		expect(outcome).not.toHaveProperty("retry");
	}
	expect(stolen).toEqual([]);
});

const PORTAL = "<html><head><title>Airport WiFi</title></head><body>\n<h1>Accept the\u202e terms</h1></body></html>";

test.each<[string, number, string, string, string]>([
	["a page in place of a stream", 200, "text/html", PORTAL, "Airport WiFi Accept the terms"],
	["JSON in place of a stream", 200, "application/json", '{"detail":"quota of the gateway"}', "quota of the gateway"],
	[
		"JSON that calls itself a stream",
		200,
		"text/event-stream",
		'{"detail":"quota of the gateway"}',
		"quota of the gateway",
	],
	["words in place of a stream", 200, "text/plain", "upstream is down", "upstream is down"],
	["a page with a 403", 403, "text/html", PORTAL, "Airport WiFi Accept the terms (HTTP 403)"],
	["JSON with a 403", 403, "application/json", '{"message":"Forbidden here"}', "Forbidden here (HTTP 403)"],
])("%s is told in its own words", async (_, status, type, body, words) => {
	const { outcome } = await callTo((_, response) => response.writeHead(status, { "content-type": type }).end(body));
	expect(outcome).toMatchObject({ is: "failure", reason: expect.stringContaining(words) });
});

// Seen to fail, without an end: there was no stream that the end of the call could end.
test("an answer without a body is none", async () => {
	for (const status of [204, 205]) {
		const { outcome } = await callTo((_, response) => response.writeHead(status).end());
		expect(outcome).toMatchObject({ exitCode: 75, reason: expect.stringContaining(`no content (HTTP ${status})`) });
	}
});

test("an error of the API with the status 200 is what it says", async () => {
	const error = { type: "error", error: { type: "authentication_error", message: "no such key" } };
	const { outcome } = await callTo((_, response) =>
		response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(error)),
	);
	expect(outcome).toMatchObject({ exitCode: 77, stopsRun: true, reason: expect.stringMatching(/^no such key \(/) });
});

/** What may hold a call up, each forever. */
const HOLDS: readonly [string, () => Promise<string>][] = [
	["takes no bytes", () => listen(createTcpServer((socket) => void socket.pause()))],
	["begins no TLS", async () => (await listen(createTcpServer(() => {}))).replace("http:", "https:")],
	["sends no headers", () => serve(() => {})],
	["sends no body", () => serve((_, response) => void response.writeHead(200, STREAM).flushHeaders())],
	["drips", () => serve((_, response) => drip((byte) => response.write(byte), response.writeHead(200, STREAM)))],
	["drips an error", () => serve((_, response) => drip((byte) => response.write(byte), response.writeHead(500)))],
];

test.each(HOLDS)("Ctrl-C ends a run before a service that %s", async (_, hold) => {
	const url = await hold();
	const program = startProgram(["run", "look"], { env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url } });
	await program.waitForEvent(({ event }) => event === "turn_started");
	const begun = performance.now();
	program.kill("SIGINT");
	expect((await endOf(program)).exit).toBe(130);
	expect(performance.now() - begun).toBeLessThan(30_000);
});
