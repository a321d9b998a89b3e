/** A file changed by what is made of its text, and put back. Looked at once more when somebody else changed it meanwhile. */

import { createHash } from "node:crypto";
import { closeSync, lstatSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate as immediate, setTimeout as sleep } from "node:timers/promises";
import { AgentreeError } from "../../core/errors.ts";
import { type FileText, fileTextOf } from "./file-text.ts";
import { type FoundFile, findFile, identityOf, makeFile, pathOf, replaceFile } from "./put-file.ts";

export type Edited =
	| { readonly is: "changed"; readonly before: string; readonly after: string }
	| { readonly is: "made"; readonly after: string }
	| { readonly is: "refused"; readonly why: string };

/** The new text, in the encoding of the file, or why there is none. `undefined` stands for a file that is not there. */
export type Change = (file: FileText | undefined) => { readonly text: string } | { readonly why: string };

const MOST_TRIES = 20;

/** `now`: this machine's clock. Throws AgentreeError("not_writable"). */
export function editFile(name: string, change: Change, now: () => number): Promise<Edited> {
	if (name === "") throw new AgentreeError("usage", "the file name is empty");
	return inTurn(name, now, () => edit(name, change));
}

/** Why a file is as it was, line by line. */
export function refusalLines(name: string, why: string): string[] {
	return `agent: ${name}: ${why}\nagent: nothing was changed`.split("\n").map((line) => `${line}\n`);
}

function edit(name: string, change: Change): Edited {
	for (let tries = 0; tries < MOST_TRIES; tries++) {
		const found = findFile(name);
		const edited = found === undefined ? make(name, change) : editFound(name, found, change);
		if (edited !== undefined) return edited;
	}
	throw new AgentreeError("not_writable", `${name}: other writers keep changing it; try again`);
}

/** Undefined when somebody has made it meanwhile. */
function make(name: string, change: Change): Edited | undefined {
	const made = change(undefined);
	if ("why" in made) return { is: "refused", why: made.why };
	return makeFile(name, Buffer.from(made.text, "utf8")) ? { is: "made", after: made.text } : undefined;
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
 * One process after the other changes a file: agents side by side edit the same ones. Who changes it holds a lock beside it, as git has one
 * beside its index, or among the temporary files where its directory takes none. A process that is killed leaves its lock, which is
 * removed after a while. Where there is no lock, a change by another process is still seen up to the moment of putting the new content in place.
 */

const LOOK_MS = 3;
const MOST_WAIT_MS = 10_000;
const LEFT_BEHIND_MS = 3_000; // an edit takes milliseconds

/** `now`: this machine's clock. */
async function inTurn<T>(name: string, now: () => number, act: () => T): Promise<T> {
	const lock = `.agentree-${createHash("sha256").update(identityOf(name)).digest("hex").slice(0, 16)}.lock`;
	const beside = join(dirname(pathOf(name)), lock);
	const letEnd = holdSignals();
	const held = (await taken(beside, now)) ?? (await taken(join(tmpdir(), lock), now));
	try {
		return act();
	} finally {
		if (held !== undefined) rmSync(held, { force: true });
		for (let turns = 0; turns < 2; turns++) await immediate(); // in which a signal that came meanwhile ends this process
		letEnd();
	}
}

/** Until the function that it gives is called, a signal ends this process only while it waits: a change is made whole, and its lock removed. */
function holdSignals(): () => void {
	const ends = (["SIGHUP", "SIGINT", "SIGTERM"] as const).map((signal) => {
		const end = () => void process.kill(process.pid, signal); // which has its usual meaning again
		process.once(signal, end);
		return () => void process.off(signal, end);
	});
	return () => {
		for (const off of ends) off();
	};
}

/** The path of the lock; undefined when it cannot be made. */
async function taken(path: string, now: () => number): Promise<string | undefined> {
	for (let waited = 0; waited < MOST_WAIT_MS; waited += LOOK_MS) {
		try {
			closeSync(openSync(path, "wx", 0o600));
			return path;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "EEXIST") return undefined;
		}
		const madeAt = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
		if (now() - madeAt > LEFT_BEHIND_MS) rmSync(path, { force: true });
		else await sleep(LOOK_MS);
	}
	return undefined;
}
