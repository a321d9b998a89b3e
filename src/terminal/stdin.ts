/**
 * The task from stdin. Stdin is read when it is a file, or a pipe that delivers. A silent pipe is not waited for: many
 * programs start others with a pipe that they never close.
 */

import { isUtf8 } from "node:buffer";
import { createReadStream, fstatSync, type Stats } from "node:fs";
import { Socket } from "node:net";
import { isatty } from "node:tty";
import { type AgentreeError, usageError } from "../core/errors.ts";
import { ifThere } from "../core/if-there.ts";

const FIRST_BYTE_MS = 250; // `git diff | agent …`: the writer starts at the same time
const SILENCE_MS = 10_000; // between two pieces, after the first one
const MAX_BYTES = 32 * 1024 * 1024;

/** What is done with stdin beside an argument that is the task. `always`: its end is waited for, however long that takes. */
type AppendStdin = "always" | "if_it_delivers" | "never";

interface ReadTask {
	readonly task: string;
	/** The bytes of stdin that were added to an argument. */
	readonly addedBytes: number;
	/** A line for who gave a stdin that is not all UTF-8; else undefined. */
	readonly damage: string | undefined;
}

/** The task: the argument, perhaps with stdin (fd 0) appended; else stdin. Throws AgentreeError("usage") when there is none. */
export async function readTask(argument: string | undefined, append: AppendStdin): Promise<ReadTask> {
	if (!isOnStdin(argument)) return withStdin(argument, append);
	const input = await readStdin(true);
	if (input === undefined || isBlank(input)) throw noTask();
	return { task: input.toString("utf8"), addedBytes: 0, damage: damageOf(input) };
}

/** Throws AgentreeError("usage") when neither the argument nor stdin can give a task; does not read stdin. */
export function requireTask(argument: string | undefined): void {
	if (isOnStdin(argument) && !mayDeliver()) throw noTask();
}

/** All that is on stdin, whose end is waited for; empty where it is no file and no pipe. Throws AgentreeError("usage"). */
export async function stdinText(): Promise<string> {
	return (await readStdin(true))?.toString("utf8") ?? "";
}

/** Whether stdin is a file or a pipe; does not read it. */
export function mayDeliver(): boolean {
	return sourceOf(0) !== "nothing";
}

async function withStdin(argument: string, append: AppendStdin): Promise<ReadTask> {
	if (append === "always" && isatty(0)) throw usageError("--stdin: stdin is a terminal; pipe something in");
	const input = append === "never" ? undefined : await readStdin(append === "always");
	if (input === undefined || isBlank(input)) return { task: argument, addedBytes: 0, damage: undefined };
	const task = `${argument}\n\n${input.toString("utf8")}`;
	return { task, addedBytes: input.length, damage: damageOf(input) };
}

function damageOf(input: Buffer): string | undefined {
	return isUtf8(input) ? undefined : "stdin is not valid UTF-8; invalid bytes became U+FFFD in the task";
}

function isBlank(input: Buffer): boolean {
	return input.toString("utf8").trim() === "";
}

function isOnStdin(argument: string | undefined): argument is undefined | "-" {
	return argument === undefined || argument === "-";
}

function noTask(): AgentreeError {
	return usageError('no task: give it as an argument, as in agent "list the files", or pipe it in');
}

/** The bytes on stdin; undefined when there is nothing to read. `isRequired`: waits for its end, however long that takes. */
async function readStdin(isRequired: boolean): Promise<Buffer | undefined> {
	const source = sourceOf(0);
	if (source === "nothing") return undefined;
	if (source === "file") return collect(createReadStream("", { fd: 0, autoClose: false }), undefined);
	const socket = new Socket({ fd: 0, readable: true, writable: false });
	try {
		return await collect(socket, isRequired ? undefined : FIRST_BYTE_MS);
	} finally {
		socket.destroy();
	}
}

function collect(stream: NodeJS.ReadableStream, firstByteMs: number | undefined): Promise<Buffer | undefined> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let bytes = 0;
		let timer = firstByteMs === undefined ? undefined : setTimeout(() => resolve(undefined), firstByteMs);
		const mayBeSilent = firstByteMs === undefined;
		const fail = (message: string) => reject(usageError(message));
		const silent = () => fail(`stdin stalled after ${bytes} bytes without ending: close it, or start with </dev/null`);
		stream.on("data", (chunk: Buffer) => {
			clearTimeout(timer);
			if (!mayBeSilent) timer = setTimeout(silent, SILENCE_MS);
			bytes += chunk.length;
			if (bytes > MAX_BYTES)
				fail(`stdin has more than ${MAX_BYTES} bytes: put it in a file and name the file in the task`);
			chunks.push(chunk);
		});
		stream.on("error", (error) => fail(`stdin cannot be read: ${error.message}`));
		stream.on("end", () => {
			clearTimeout(timer);
			resolve(Buffer.concat(chunks));
		});
	});
}

function sourceOf(fd: number): "file" | "pipe" | "nothing" {
	const stats = statOf(fd);
	if (stats === undefined || isatty(fd)) return "nothing";
	if (stats.isFile()) return "file";
	return stats.isFIFO() || stats.isSocket() ? "pipe" : "nothing";
}

function statOf(fd: number): Stats | undefined {
	return ifThere(() => fstatSync(fd)); // closed: `agent "x" <&-`
}
