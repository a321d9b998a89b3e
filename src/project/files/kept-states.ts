/**
 * The kept states of a run, a file each, and what is kept beside their files. Commands can change all of it: what is read is
 * checked. A supervisor and a command may write at the same time: each takes a number that is free.
 */

import { closeSync, constants, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { AgentreeError } from "../../core/errors.ts";
import { type KeptState, KeptStateSchema } from "../../core/schemas/kept-tree.ts";
import { onDisk, writeAll } from "../../record/files/private-files.ts";
import { readText } from "../../record/files/regular-file.ts";
import { redactedJson } from "../../text/safe/redact.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const FILE = /^(\d{1,9})\.json$/;

/** `directory`: of the states. Throws AgentreeError("not_writable"). */
export function addState(directory: string, state: Omit<KeptState, "id">): KeptState {
	for (let id = (idsIn(directory).at(-1) ?? 0) + 1; ; id++) {
		const path = join(directory, `${id}.json`);
		const added = { id, ...state };
		if (onDisk(path, () => writeNew(path, `${redactedJson(added)}\n`))) return added;
	}
}

/** In their order. What is damaged is left out. */
export function statesIn(directory: string): KeptState[] {
	return idsIn(directory).flatMap((id) => {
		const state = parsed(readable(join(directory, `${id}.json`)), KeptStateSchema);
		return state?.id === id ? [state] : [];
	});
}

/**
 * Those before messages, the newest first. After an undo only those are left that are not above the state it went back to: so
 * the next undo goes on from there, and does not take the first one back.
 */
export function undoable(states: readonly KeptState[]): KeptState[] {
	const newest = states.at(-1);
	const top = newest?.why.is === "undo" ? newest.why.to : Number.POSITIVE_INFINITY;
	return states.filter(({ id, why }) => why.is === "message" && id <= top).reverse();
}

/** Undefined for what has another shape. */
export function parsed<const S extends v.GenericSchema>(text: string, schema: S): v.InferOutput<S> | undefined {
	try {
		const read = v.safeParse(schema, JSON.parse(text));
		return read.success ? read.output : undefined;
	} catch {
		return undefined;
	}
}

/** The file's text; empty when it cannot be read. */
export function readable(path: string): string {
	try {
		return readText(path);
	} catch (error) {
		if (error instanceof AgentreeError) return "";
		throw error;
	}
}

function idsIn(directory: string): number[] {
	try {
		const ids = readdirSync(directory).flatMap((name) => FILE.exec(name)?.[1] ?? []);
		return ids.map(Number).sort((a, b) => a - b);
	} catch {
		return [];
	}
}

/** False when there is such a file. */
function writeNew(path: string, text: string): boolean {
	let file: number;
	try {
		file = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw error;
	}
	try {
		writeAll(file, Buffer.from(text));
		return true;
	} finally {
		closeSync(file);
	}
}
