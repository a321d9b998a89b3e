/**
 * One process after the other changes a file: agents side by side edit the same ones. A turn is two names. One is in the kernel's
 * list of abstract sockets, and goes away with its process, however that ends; but in a sandbox without a network each command has
 * a list of its own. So the other is a socket in the directory for temporary files, which a process that is killed leaves there: nobody
 * answers on that one, and it is taken away. Where neither can be had, a change by another process is still seen up to the moment
 * of putting the new content in place.
 */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, rmSync, type Stats } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 3;
/** Whoever holds a turn for longer does not edit. */
const MOST_WAIT_MS = 10_000;
const LEFT_BEHIND_MS = 1_000;
const MOST_PATH_BYTES = 100; // a longer one is cut by Node 20, silently

/** `now`: this machine's clock. */
export async function inTurn<T>(path: string, now: () => number, act: () => T): Promise<T> {
	const name = `agentree-edit-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
	const held: Server[] = [];
	try {
		for (const address of [abstractAddress(name), fileAddress(name)]) {
			const server = address === undefined ? undefined : await taken(address, now);
			if (server !== undefined) held.push(server);
		}
		return act();
	} finally {
		for (const server of held) server.close();
	}
}

function abstractAddress(name: string): string | undefined {
	return process.platform === "linux" ? `\0${name}` : undefined;
}

/** Below a directory that is this user's alone; undefined where there is none. */
function fileAddress(name: string): string | undefined {
	const uid = process.getuid?.() ?? 0;
	const directory = join(tmpdir(), `agentree-edit-${uid}`);
	const address = join(directory, name.slice(-32));
	if (Buffer.byteLength(address) > MOST_PATH_BYTES) return undefined;
	try {
		mkdirSync(directory, { recursive: true, mode: 0o700 });
		const found = lstatSync(directory);
		return found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0 ? address : undefined;
	} catch {
		return undefined;
	}
}

/** Undefined when it cannot be had. */
async function taken(address: string, now: () => number): Promise<Server | undefined> {
	for (let waited = 0; waited < MOST_WAIT_MS; waited += LOOK_MS) {
		const server = await listening(address);
		if (server === "none") return undefined;
		if (server !== "held") return server;
		if (!(await removeLeftBehind(address, now))) await sleep(LOOK_MS);
	}
	return undefined;
}

/** Takes away the socket that a dead process has left. One that has just come is not listened on yet. */
async function removeLeftBehind(address: string, now: () => number): Promise<boolean> {
	const found = socketAt(address);
	if (found === undefined || now() - found.ctimeMs < LEFT_BEHIND_MS || (await isAnswered(address))) return false;
	const again = socketAt(address);
	if (again?.ino !== found.ino || again.ctimeMs !== found.ctimeMs) return false;
	rmSync(address, { force: true });
	return true;
}

function socketAt(address: string): Stats | undefined {
	return address.startsWith("\0") ? undefined : lstatSync(address, { throwIfNoEntry: false });
}

function isAnswered(address: string): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(address);
		const end = (is: boolean) => {
			socket.destroy();
			resolve(is);
		};
		socket.once("connect", () => end(true));
		socket.once("error", ({ code }: NodeJS.ErrnoException) => end(code !== "ECONNREFUSED"));
	});
}

function listening(name: string): Promise<Server | "held" | "none"> {
	return new Promise((resolve) => {
		const server = createServer((socket) => socket.destroy());
		server.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "EADDRINUSE" ? "held" : "none"));
		server.listen(name, () => resolve(server));
	});
}
