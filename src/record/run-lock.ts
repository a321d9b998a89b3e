/**
 * Who supervises a run: a file in its directory with the owner's process in it, so that no two do. A lock whose owner is
 * dead is not removed first, since somebody else may have just taken it over: the next number is taken instead, which
 * only one can make, and then whoever finds a higher one than its own steps back.
 */
import { closeSync, lstatSync, openSync, readdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { AgentreeError } from "../core/errors.ts";
import { ifThere } from "../core/if-there.ts";
import { type LockOwner, LockOwnerSchema } from "../core/schemas/run-files.ts";
import { onDisk, removeFile } from "./files/private-files.ts";
import { readText } from "./files/regular-file.ts";
import { fromFile, toFile } from "./spelling.ts";

export interface HeldLock {
	readonly number: number;
	readonly path: string;
	/** Undefined when it cannot be read: it is being written, or the machine lost its power meanwhile. */
	readonly owner: LockOwner | undefined;
	readonly since: number;
}

export interface RunLock {
	/** Once is enough. */
	release(): void;
}

const NAME = /^\.lock\.(\d{1,9})$/;

export function readRunLock(directory: string): HeldLock | undefined {
	const number = highest(directory);
	if (number === 0) return undefined;
	const path = lockPath(directory, number);
	const since = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
	return since === undefined ? undefined : { number, path, owner: ownerIn(path), since };
}

/** Whether the run has an owner, or had one that was killed. False where its directory cannot be read. */
export function hasRunLock(directory: string): boolean {
	return ifThere(() => highest(directory) > 0) === true;
}

/** `seen`: what `readRunLock` gave, and whose owner is dead. Throws AgentreeError("not_started") when somebody was faster. */
export function takeRunLock(directory: string, owner: LockOwner, seen: HeldLock | undefined): RunLock {
	const number = (seen?.number ?? 0) + 1;
	const path = lockPath(directory, number);
	const release = () => removeFile(path);
	if (!write(path, owner)) throw takenMeanwhile(directory);
	if (highest(directory) > number) {
		release();
		throw takenMeanwhile(directory);
	}
	for (const older of numbersIn(directory)) if (older < number) removeFile(lockPath(directory, older));
	return { release };
}

function write(path: string, owner: LockOwner): boolean {
	return onDisk(path, () => {
		let file: number;
		try {
			file = openSync(path, "wx", 0o600);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
			throw error;
		}
		try {
			writeSync(file, `${JSON.stringify(toFile(owner))}\n`);
		} finally {
			closeSync(file);
		}
		return true;
	});
}

function ownerIn(path: string): LockOwner | undefined {
	try {
		const owner = v.safeParse(LockOwnerSchema, fromFile(JSON.parse(readText(path))));
		return owner.success ? owner.output : undefined;
	} catch {
		return undefined;
	}
}

function highest(directory: string): number {
	return Math.max(0, ...numbersIn(directory));
}

function numbersIn(directory: string): number[] {
	return readdirSync(directory)
		.flatMap((name) => NAME.exec(name)?.[1] ?? [])
		.map(Number);
}

function lockPath(directory: string, number: number): string {
	return join(directory, `.lock.${number}`);
}

function takenMeanwhile(directory: string): AgentreeError {
	return new AgentreeError("not_started", `another process has just resumed this run (${directory})`);
}
