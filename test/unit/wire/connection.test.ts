import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ToAgent } from "../../../src/wire/agent-messages.ts";
import { encode, lineReader, wrapSocket } from "../../../src/wire/connection.ts";
import { diceOf } from "../dice.ts";

/** An agent that hears what its supervisor sends as `bytes`, until its connection is closed. */
async function heardOf(bytes: string): Promise<ToAgent[]> {
	const directory = mkdtempSync(join(tmpdir(), "agentree-socket-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const path = join(directory, "s");
	const heard: ToAgent[] = [];
	const sockets: Socket[] = [];
	const hasClosed = new Promise<void>((resolve) => {
		const server = createServer((socket) => {
			const connection = wrapSocket<ToAgent, object>(socket, (value) =>
				"say" in value ? (value as ToAgent) : undefined,
			);
			connection.onMessage((message) => heard.push(message));
			connection.onClose(resolve);
		});
		onTestFinished(() => void server.close());
		server.listen(path, () => {
			const client = connect(path);
			client.on("error", () => {});
			client.write(bytes);
			sockets.push(client);
		});
	});
	onTestFinished(() => {
		for (const socket of sockets) socket.destroy();
	});
	await hasClosed;
	return heard;
}

const FINISHED = '{"say":"finished"}\n';

test.each([
	["no JSON", "hello\n"],
	["no object", "7\n"],
])("a line that is %s closes the connection, and nothing behind it is heard", async (_, line) => {
	// Seen to hang, with the message heard, when whatever has a word is taken for a message.
	expect(await heardOf(`${FINISHED}${line}${FINISHED}`)).toEqual([{ say: "finished" }]);
});

/** The lines that come out when the bytes come in as these chunks. */
function linesOf(chunks: Buffer[]): string[] {
	const lines: string[] = [];
	const read = lineReader((line) => lines.push(line));
	for (const chunk of chunks) read(chunk);
	return lines;
}

function inChunks(bytes: Buffer, size: () => number): Buffer[] {
	const chunks: Buffer[] = [];
	for (let at = 0; at < bytes.length; ) {
		const length = Math.max(1, size());
		chunks.push(bytes.subarray(at, at + length));
		at += length;
	}
	return chunks;
}

const MESSAGES = [
	{ say: "ask", text: "two\nlines\r\nand a tab\t" },
	{ text: "ä€😀\u2028\u2029\u0000" },
	{ text: "" },
	{ nested: { list: [1, "x", null] } },
];

test("a message is one line, whatever text is in it", () => {
	for (const message of MESSAGES) {
		const line = encode(message);
		expect(line.indexOf("\n")).toBe(line.length - 1);
		expect(JSON.parse(line)).toEqual(message);
	}
});

test("messages come out whole from every split of their bytes, one byte at a time and in the middle of a character", () => {
	const bytes = Buffer.from(MESSAGES.map(encode).join(""));
	const dice = diceOf(3);
	const sizes = [() => 1, () => 2, () => 3, () => 5, () => bytes.length, () => 1 + dice.roll(20)];
	for (const size of sizes) expect(linesOf(inChunks(bytes, size)).map((line) => JSON.parse(line))).toEqual(MESSAGES);
	for (let at = 0; at <= bytes.length; at++)
		expect(linesOf([bytes.subarray(0, at), bytes.subarray(at)])).toHaveLength(MESSAGES.length);
});

test("half a surrogate pair does not break the line", () => {
	expect(JSON.parse(encode({ text: "\ud83d!" }))).toEqual({ text: "\ud83d!" });
	expect(linesOf([Buffer.from(encode({ text: "\ud83d!" }))]).map((line) => JSON.parse(line))).toEqual([
		{ text: "\ud83d!" },
	]);
});

test("a line that no string could hold is given up, before it is put together", () => {
	const chunk = Buffer.alloc(32 * 1024 * 1024, "x");
	const read = lineReader(() => {});
	expect(Array.from({ length: 13 }, () => read(chunk))).toEqual([...Array(12).fill(true), false]);
});
