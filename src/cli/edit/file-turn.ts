/**
 * One process after the other changes a file: agents side by side edit the same ones. The turn is a name in the kernel's
 * list of abstract sockets, which goes away with its process, however that ends. Systems without them have no turns; there
 * a change by another process is still seen up to the moment of putting the new content in place.
 */
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 3;
/** Whoever holds a turn for longer does not edit. */
const MOST_WAIT_MS = 10_000;

export async function inTurn<T>(path: string, act: () => T): Promise<T> {
	const name = `\0agentree-edit-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
	const server = await taken(name);
	try {
		return act();
	} finally {
		server?.close();
	}
}

/** Undefined when the turn cannot be had. */
async function taken(name: string): Promise<Server | undefined> {
	if (process.platform !== "linux") return undefined;
	for (let waited = 0; waited < MOST_WAIT_MS; waited += LOOK_MS) {
		const server = await listening(name);
		if (server === "none") return undefined;
		if (server !== "held") return server;
		await sleep(LOOK_MS);
	}
	return undefined;
}

function listening(name: string): Promise<Server | "held" | "none"> {
	return new Promise((resolve) => {
		const server = createServer((socket) => socket.destroy());
		server.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "EADDRINUSE" ? "held" : "none"));
		server.listen(name, () => resolve(server));
	});
}
