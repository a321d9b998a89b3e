/** A file changed by what is made of its text, and put back. Looked at once more when somebody else changed it meanwhile. */

import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, rmSync, type Stats } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentreeError } from "../../core/errors.ts";
import { type FileText, fileTextOf } from "./file-text.ts";
import { type FoundFile, findFile, identityOf, makeFile, replaceFile } from "./put-file.ts";

export type Edited =
	| { readonly is: "changed"; readonly before: string; readonly after: string }
	| { readonly is: "made"; readonly after: string }
	| { readonly is: "refused"; readonly why: string };

/** The new text, in the encoding of the file, or why there is none. `undefined` stands for a file that is not there. */
export type Change = (file: FileText | undefined) => { readonly text: string } | { readonly why: string };

const MOST_TRIES = 20;

/** `now`: this machine's clock. Throws AgentreeError("not_writable"). */
export function editFile(name: string, change: Change, now: () => number): Promise<Edited> {
	if (name === "") throw new AgentreeError("usage", "the name of the file is empty");
	return inTurn(identityOf(name), now, () => edit(name, change));
}

/** Why a file is as it was, line by line. */
export function refusalLines(name: string, why: string): string[] {
	return `agent: ${name}: ${why}\nagent: nothing was changed`.split("\n").map((line) => `${line}\n`);
}

function edit(name: string, change: Change): Edited {
	for (let tries = 0; tries < MOST_TRIES; tries++) {
		const found = findFile(name);
		if (found === undefined) return make(name, change);
		const edited = editFound(name, found, change);
		if (edited !== undefined) return edited;
	}
	throw new AgentreeError("not_writable", `${name}: others change it all the time; try once more`);
}

function make(name: string, change: Change): Edited {
	const made = change(undefined);
	if ("why" in made) return { is: "refused", why: made.why };
	makeFile(name, Buffer.from(made.text, "utf8"));
	return { is: "made", after: made.text };
}

/** Undefined when somebody has changed the file meanwhile. */
function editFound(name: string, found: FoundFile, change: Change): Edited | undefined {
	const file = fileTextOf(found.bytes);
	if (file.is === "no_text") throw new AgentreeError("not_writable", `${name}: ${file.why}`);
	const changed = change(file);
	if ("why" in changed) return { is: "refused", why: changed.why };
	const isSame = changed.text === file.text;
	if (!isSame && !replaceFile(found, file.bytesOf(changed.text))) return undefined;
	return { is: "changed", before: file.text, after: changed.text };
}

/**
 * One process after the other changes a file: agents side by side edit the same ones. A turn is two names. One is in the kernel's
 * list of abstract sockets, and goes away with its process, however that ends; but in a sandbox without a network each command has
 * a list of its own. So the other is a socket in the directory for temporary files, which a process that is killed leaves there: nobody
 * answers on that one, and it is taken away. Where neither can be had, a change by another process is still seen up to the moment
 * of putting the new content in place.
 */

const LOOK_MS = 3;
/** Whoever holds a turn for longer does not edit. */
const MOST_WAIT_MS = 10_000;
const LEFT_BEHIND_MS = 1_000;
const MOST_PATH_BYTES = 100; // a longer one is cut by Node 20, silently

/** `now`: this machine's clock. */
async function inTurn<T>(path: string, now: () => number, act: () => T): Promise<T> {
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
