import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { ToAgent } from "../../../src/wire/agent-messages.ts";
import { wrapSocket } from "../../../src/wire/connection.ts";

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
