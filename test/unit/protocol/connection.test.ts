import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { wrapSocket } from "../../../src/protocol/connection.ts";
import { clientParser, type FromClient } from "../../../src/protocol/from-client.ts";

/** A server that hears what is sent to it as `bytes`, until its connection is closed. */
async function heardOf(bytes: string): Promise<FromClient[]> {
	const directory = mkdtempSync(join(tmpdir(), "agentree-socket-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const path = join(directory, "s");
	const heard: FromClient[] = [];
	const sockets: Socket[] = [];
	const hasClosed = new Promise<void>((resolve) => {
		const server = createServer((socket) => {
			const connection = wrapSocket<FromClient, object>(socket, clientParser());
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

const WATCH = '{"say":"watch"}\n';

test.each([
	["no JSON", "hello\n"],
	["no object", "7\n"],
	["no message", '{"say":"dance"}\n'],
	["a message that lacks something", '{"say":"stop_agent","agent":"1"}\n'],
	["what only an agent may say", '{"say":"repeats","command":1,"times":5}\n'],
])("a line that is %s closes the connection, and nothing behind it is heard", async (_, line) => {
	// Seen to hang, with the message heard, when whatever has a word is taken for a message.
	expect(await heardOf(`${WATCH}${line}${WATCH}`)).toEqual([{ by: "watcher", message: { say: "watch" } }]);
});
