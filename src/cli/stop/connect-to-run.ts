/** A connection to the supervisor of a run, which may be making its socket again. */
import { setTimeout as sleep } from "node:timers/promises";
import { ownIdentity } from "../../processes/table/pid-namespace.ts";
import { connectAsWatcher, type WatcherConnection } from "../../wire/watcher-connection.ts";

export interface ConnectRequest {
	readonly socket: string;
	/** Looks at the supervisor's process. */
	readonly isSuspended: () => boolean;
	readonly isAlive: () => boolean;
	/** How long to wait for a socket that is not there: a living supervisor makes it again. */
	readonly absentMs: number;
	/** Called once, when the connection, or the first answer over it, takes long. */
	readonly onSlow: () => void;
}

/** `why`: what the supervisor does instead. */
export interface Silent {
	readonly is: "silent";
	readonly why: string;
}

export const SLOW_MS = 1_500;
/** How long a living supervisor may take to make a socket again that was removed. */
export const ABSENT_MS = 2_500;
const RETRY_MS = 100;

/** EAGAIN, as every other error, is waited out: the supervisor's queue of connections is full. */
export async function connectToRun(request: ConnectRequest): Promise<WatcherConnection | Silent> {
	const { socket, absentMs, isAlive, isSuspended, onSlow } = request;
	for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
		try {
			return await connectAsWatcher(socket, ownIdentity(process.pid));
		} catch (error) {
			if (waitedMs >= absentMs || !isAlive() || isSuspended())
				return { is: "silent", why: `cannot be reached (${(error as Error).message})` };
			if (waitedMs === SLOW_MS) onSlow();
			await sleep(RETRY_MS);
		}
	}
}
