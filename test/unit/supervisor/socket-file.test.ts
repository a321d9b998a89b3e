import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { keepListening } from "../../../src/supervisor/socket-file.ts";
import { WAIT } from "../../wait.ts";
import { handClock } from "../hand-clock.ts";

const UID = process.getuid?.() ?? 0;

/** A server whose socket is in a directory of its own; it greets whoever connects. */
async function listening() {
	const home = mkdtempSync(join(tmpdir(), "agentree-socket-"));
	const path = join(home, "sockets", "run.sock");
	mkdirSync(dirname(path), { mode: 0o700 });
	const clock = handClock();
	const accepted: Socket[] = [];
	const server = createServer((socket) => void accepted.push(socket));
	server.on("error", () => {});
	const file = await keepListening(server, { path, uid: UID, timers: clock });
	onTestFinished(() => {
		file.close();
		for (const socket of accepted) socket.destroy();
		rmSync(home, { recursive: true });
	});
	return { path, clock, server, file };
}

/** `connected`, or the error's code. */
function answerAt(path: string): Promise<string> {
	return new Promise((resolve) => {
		const socket = connect(path);
		socket.once("connect", () => resolve("connected"));
		socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "error"));
		onTestFinished(() => void socket.destroy());
	});
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

test.each([
	["the file is removed", (path: string) => rmSync(path)],
	["its whole directory is removed", (path: string) => rmSync(dirname(path), { recursive: true })],
	[
		"another file is in its place",
		(path: string) => {
			rmSync(path);
			writeFileSync(path, "");
		},
	],
	["everyone may connect", (path: string) => chmodSync(path, 0o666)],
])("when %s the socket is there again, as private as before", async (_, harm) => {
	const { path, clock } = await listening();
	harm(path);
	await clock.pass(1_000);
	await vi.waitFor(() => expect([lstatSync(path).isSocket(), modeOf(path)]).toEqual([true, 0o600]), WAIT);
	expect([await answerAt(path), modeOf(dirname(path))]).toEqual(["connected", 0o700]);
});

test("who is connected stays so while the socket is bound again, and counts", async () => {
	const { path, clock, server } = await listening();
	const early = connect(path);
	onTestFinished(() => void early.destroy());
	const count = promisify(server.getConnections).bind(server);
	await vi.waitFor(async () => expect(await count()).toBe(1), WAIT);
	rmSync(path);
	await clock.pass(1_000);
	await vi.waitFor(() => expect(existsSync(path)).toBe(true), WAIT);
	await answerAt(path);
	await vi.waitFor(async () => expect(await count()).toBe(2), WAIT);
	expect(early.destroyed).toBe(false);
});

test("where the directory cannot be made again it is tried until it can, and the end of the run ends that", async () => {
	const { path, clock, file } = await listening();
	rmSync(dirname(path), { recursive: true });
	writeFileSync(dirname(path), "no directory");
	await clock.pass(10_000);
	expect(await answerAt(path)).toMatch(/ENOTDIR|ECONNREFUSED/);
	rmSync(dirname(path));
	await clock.pass(1_000);
	await vi.waitFor(() => expect(existsSync(path)).toBe(true), WAIT);
	file.close();
	rmSync(path, { force: true });
	await clock.pass(10_000);
	expect(existsSync(path)).toBe(false);
});

test("a socket that is there is left alone: nobody who is just connecting is sent away", async () => {
	const { path, clock } = await listening();
	const before = lstatSync(path).ino;
	await clock.pass(60_000);
	expect(lstatSync(path).ino).toBe(before);
});
