import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { expect, test } from "vitest";
import { wrapSocket } from "../../../src/protocol/connection.ts";

/** A socket that keeps what each write gives to the system. */
function recording() {
	const writes: string[] = [];
	const socket = new Duplex({
		read: () => {},
		write: (chunk, _, done) => done(void writes.push(String(chunk))),
		writev: (chunks, done) => done(void writes.push(chunks.map(({ chunk }) => String(chunk)).join(""))),
	});
	return { connection: wrapSocket<object, object>(socket as Socket, (value) => value), writes };
}

const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

test("what is sent in one turn of the event loop is one write, in its order", async () => {
	const { connection, writes } = recording();
	connection.send({ n: 1 });
	await Promise.resolve();
	connection.sendLine('{"n":2}\n');
	await turnOfTheLoop();
	connection.send({ n: 3 });
	await turnOfTheLoop();
	expect(writes).toEqual(['{"n":1}\n{"n":2}\n', '{"n":3}\n']);
});

test("what was sent just before the close is sent", async () => {
	const { connection, writes } = recording();
	connection.send({ n: 1 });
	connection.send({ n: 2 });
	connection.close();
	await turnOfTheLoop();
	expect(writes).toEqual(['{"n":1}\n{"n":2}\n']);
});
