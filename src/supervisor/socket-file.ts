/**
 * The file of the run's socket. A logout that clears XDG_RUNTIME_DIR, or a cleaner of /tmp, may remove it while the run is
 * alive: then agents that are connected notice nothing, and nobody else can connect. So the supervisor looks at it once a
 * second, and listens again at the same path.
 */
import { chmodSync, lstatSync, rmSync } from "node:fs";
import type { Server } from "node:net";
import { dirname } from "node:path";
import { whyUnsafe } from "../project/config/chosen-directory.ts";
import { prepareDirectory } from "../project/config/user-directories.ts";
import type { RunTimers } from "./run/run-core.ts";

/** A child that meets no file waits at least as long (agent/supervisor-client.ts). */
const LOOK_MS = 1_000;
const BACKLOG = 1024;

export interface SocketFile {
	/** Stops listening, and removes the file. */
	close(): void;
}

export interface SocketFileDeps {
	readonly path: string;
	/** The user whose directory it must be in. */
	readonly uid: number;
	readonly timers: Pick<RunTimers, "after">;
}

/** Listens on `path`, from now on whatever happens to the file. Rejects when the first attempt fails. */
export async function keepListening(server: Server, { path, uid, timers }: SocketFileDeps): Promise<SocketFile> {
	let isClosed = false;
	let mark = await bind(server, path);
	const look = async () => {
		if (isClosed || (mark !== undefined && markOf(path) === mark)) return;
		mark = await bindAgain(server, path, uid);
	};
	const lookLater = () => timers.after(LOOK_MS, () => void look().finally(lookLater));
	lookLater();
	return {
		close: () => {
			isClosed = true;
			server.close();
			rmSync(path, { force: true });
		},
	};
}

/** Resolves to undefined when it could not: its directory cannot be made, or is not ours any more. */
async function bindAgain(server: Server, path: string, uid: number): Promise<string | undefined> {
	try {
		server.close(); // ends no connection; and it removes what lies at the path, so this must come first
		prepareDirectory(dirname(path), uid);
		if (whyUnsafe(dirname(path), uid) !== undefined) return undefined; // somebody else was faster
		rmSync(path, { force: true }); // another one's file in its place
		return await bind(server, path);
	} catch {
		return undefined; // tried again at the next look
	}
}

/** Resolves to the mark of the file; undefined when that has been removed already. */
function bind(server: Server, path: string): Promise<string | undefined> {
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		server.listen({ path, backlog: BACKLOG }, () => {
			server.removeListener("error", reject);
			resolve(privateMark(path));
		});
	});
}

function privateMark(path: string): string | undefined {
	try {
		chmodSync(path, 0o600);
		return markOf(path);
	} catch {
		return undefined;
	}
}

/** Names the file that is there: its number alone may be given again at once. Undefined: no socket is there. */
function markOf(path: string): string | undefined {
	try {
		const found = lstatSync(path);
		return found.isSocket() ? `${found.dev} ${found.ino} ${found.ctimeMs} ${found.mode}` : undefined;
	} catch {
		return undefined; // ENOENT, or ENOTDIR: its directory is something else by now
	}
}
