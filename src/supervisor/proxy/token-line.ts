/** The first line of a connection to the proxy: an agent's token. */
import type { Socket } from "node:net";

const MAX_BYTES = 128;
const WITHIN_MS = 5_000; // in all: it is sent with the connection

/** The answer to a token that is right; to any other the connection is closed. */
export const WELCOME = "welcome\n";

/** Undefined for a line that is too long, late, or has anything behind it. Nothing of the connection is read beyond it. */
export function readToken(socket: Socket): Promise<string | undefined> {
	return new Promise((resolve) => {
		let line = "";
		const end = (token: string | undefined) => {
			socket.removeListener("data", onData).removeListener("close", onClose);
			clearTimeout(late);
			socket.pause();
			resolve(token);
		};
		const onClose = () => end(undefined);
		const onData = (chunk: Buffer) => {
			line += chunk.toString("latin1");
			const at = line.indexOf("\n");
			if (at === -1 ? line.length > MAX_BYTES : at !== line.length - 1) end(undefined);
			else if (at !== -1) end(line.slice(0, -1));
		};
		socket.on("data", onData);
		socket.once("close", onClose);
		const late = setTimeout(onClose, WITHIN_MS).unref();
	});
}
