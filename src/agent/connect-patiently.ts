import { setTimeout as sleep } from "node:timers/promises";

const RETRY_MS = 100;
const MAX_ABSENT_MS = 2_500; // a supervisor whose socket was removed makes it again after a second (supervisor/socket-file.ts)

/** Waits for a supervisor that is busy or suspended, or makes its socket again. Rejects as `connect`. */
export async function connectPatiently<C>(connect: () => Promise<C>): Promise<C> {
	for (let absentMs = 0; ; ) {
		try {
			return await connect();
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			if (code === "ENOENT") absentMs += RETRY_MS;
			// On a unix socket EAGAIN means that the backlog of connections to accept is full (connect(2)).
			if (code !== "EAGAIN" && (code !== "ENOENT" || absentMs >= MAX_ABSENT_MS)) throw error;
			await sleep(RETRY_MS);
		}
	}
}
