/**
 * The connection of a client that says hello as a person, without the schemas of what it hears. It proves on demand which process
 * it is: it reads the run's key, and names its process as the supervisor says, until it is let in.
 */

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import type { AgentId } from "../core/model/agent.ts";
import { type Connection, connectTo, encode, WIRE_VERSION } from "./connection.ts";
import type { Hello } from "./from-client.ts";
import type { FromWatcher, Handshake, Proof, ToWatcher } from "./watcher-messages.ts";

export type WatcherConnection = Connection<ToWatcher, FromWatcher>;
/** Told once, when the supervisor lets this process in: the agent in whose command it is; null for a person. */
export type OnWelcome = (agent: AgentId | null) => void;
export type Heard = Handshake | ToWatcher;
type Challenge = Extract<Heard, { say: "challenge" }>;

export interface Greeting {
	readonly self: Pick<Hello, "pid" | "pidNamespace">;
	readonly onWelcome: OnWelcome;
	/** The value as a message; undefined when it is none. */
	readonly parse: (value: object) => Heard | undefined;
}

/**
 * A connection to the supervisor that listens on `socket`. What is sent before the supervisor has answered the hello goes
 * out then. A supervisor that does not want this process says `refused`, and closes. Rejects as `connectTo`.
 */
export async function connectAsPerson(
	socket: string,
	{ self, onWelcome, parse }: Greeting,
): Promise<WatcherConnection> {
	const connection = await connectTo<Heard, FromWatcher | Hello>(socket, parse);
	connection.send({ say: "hello", version: WIRE_VERSION, role: "person", ...self });
	return greeted(connection, onWelcome);
}

function greeted(connection: Connection<Heard, FromWatcher>, onWelcome: OnWelcome): WatcherConnection {
	const unsent: string[] = [];
	const early: ToWatcher[] = [];
	let listener: (message: ToWatcher) => void = (message) => early.push(message);
	let isWelcome = false;
	let takeNameBack = () => {};
	const answer = (challenge: Challenge) => {
		const proven = prove(challenge);
		if (proven.is === "failed") {
			listener({ say: "refused", reason: proven.reason });
			return connection.close();
		}
		takeNameBack = takeName(challenge.name);
		connection.send(proven.proof);
	};
	connection.onMessage((message) => {
		if (message.say === "challenge") return answer(message);
		takeNameBack();
		if (message.say !== "welcome") return listener(message);
		isWelcome = true;
		onWelcome(message.agent);
		for (const line of unsent.splice(0)) connection.sendLine(line);
	});
	const sendLine = (line: string) => {
		if (isWelcome) connection.sendLine(line);
		else unsent.push(line);
	};
	return {
		sendLine,
		send: (message) => sendLine(encode(message)),
		onMessage: (next) => {
			listener = next;
			for (const message of early.splice(0)) next(message);
		},
		onClose: (next) =>
			connection.onClose(() => {
				takeNameBack();
				next();
			}),
		close: connection.close,
	};
}

type Proven = { is: "proven"; proof: Proof } | { is: "failed"; reason: string };

const MAX_KEY_BYTES = 1_024;

function prove({ key, name }: Challenge): Proven {
	if (basename(key) !== KEY_FILE) return { is: "failed", reason: "the supervisor asks for another file than its key" };
	let file: number | undefined;
	try {
		file = openSync(key, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK); // no link, and no wait for a FIFO
		const found = fstatSync(file);
		if (!found.isFile() || found.size > MAX_KEY_BYTES)
			return { is: "failed", reason: `the run's key is damaged: ${key}` };
		return { is: "proven", proof: { say: "proof", digest: proofOf(readFileSync(file, "latin1"), name) } };
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT")
			return { is: "proven", proof: { say: "proof", digest: proofOf(NO_KEY, name) } };
		return { is: "failed", reason: `the run's key cannot be read: ${(error as Error).message}` };
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

/** The name of this process, as the kernel shows it to all: each connection that is being let in takes another one for a moment. */

const OWN_NAME = "/proc/self/comm";

/** Connections for which this process has another name. */
let holders = 0;
let before = "";

/**
 * Names this process. The result, of which only the first call counts, gives the name back; the process's own is there again when all
 * are. Does nothing where the system has no such name.
 */
function takeName(name: string): () => void {
	try {
		if (holders === 0) before = readFileSync(OWN_NAME, "latin1").trimEnd();
		writeFileSync(OWN_NAME, name);
	} catch {
		return () => {};
	}
	holders++;
	let isHeld = true;
	return () => {
		if (!isHeld) return;
		isHeld = false;
		holders--;
		if (holders === 0) writeFileSync(OWN_NAME, before, "latin1");
	};
}

/** The secret by which persons prove themselves: a file in the run's directory, while the run is alive. */
export const KEY_FILE = ".person-key";

/** Stands for the key where it cannot be read: the place of a process in a sandbox proves what that is. */
export const NO_KEY = "";

/** Says that a client has read the key, to the supervisor that has sent it a name. */
export function proofOf(key: string, name: string): string {
	return createHash("sha256").update(`${key} ${name}`).digest("hex");
}
