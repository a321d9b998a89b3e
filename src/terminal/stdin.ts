/**
 * The task from stdin. Stdin is read when it is a file, or a pipe that delivers. A silent pipe is not waited for: many
 * programs start others with a pipe that they never close.
 */
import { createReadStream, fstatSync, type Stats } from "node:fs";
import { Socket } from "node:net";
import { isatty } from "node:tty";
import { AgentreeError } from "../core/errors.ts";

const FIRST_BYTE_MS = 250; // `git diff | agent …`: the writer starts at the same time
const SILENCE_MS = 10_000; // between two pieces, after the first one
const MAX_BYTES = 32 * 1024 * 1024;

/** The task: the argument, with stdin (fd 0) appended. Throws AgentreeError("usage") when there is none. */
export async function readTask(argument: string | undefined): Promise<string> {
	const isRequired = isOnStdin(argument);
	const input = await readStdin(isRequired);
	if (!isRequired) return input === undefined || input.trim() === "" ? argument : `${argument}\n\n${input}`;
	if (input === undefined || input.trim() === "") throw noTask();
	return input;
}

/** Throws AgentreeError("usage") when neither the argument nor stdin can give a task; does not read stdin. */
export function requireTask(argument: string | undefined): void {
	if (isOnStdin(argument) && sourceOf(0) === "nothing") throw noTask();
}

function isOnStdin(argument: string | undefined): argument is undefined | "-" {
	return argument === undefined || argument === "-";
}

function noTask(): AgentreeError {
	return new AgentreeError("usage", 'no task: give it as an argument, as in agent "list the files", or pipe it in');
}

/** The text on stdin; undefined when there is nothing to read. `isRequired`: waits for its end, however long that takes. */
async function readStdin(isRequired: boolean): Promise<string | undefined> {
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

function collect(stream: NodeJS.ReadableStream, firstByteMs: number | undefined): Promise<string | undefined> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let bytes = 0;
		let timer = firstByteMs === undefined ? undefined : setTimeout(() => resolve(undefined), firstByteMs);
		const mayBeSilent = firstByteMs === undefined;
		const fail = (message: string) => reject(new AgentreeError("usage", message));
		const silent = () => fail(`stdin stopped after ${bytes} bytes without an end: close it, or start with </dev/null`);
		stream.on("data", (chunk: Buffer) => {
			clearTimeout(timer);
			if (!mayBeSilent) timer = setTimeout(silent, SILENCE_MS);
			bytes += chunk.length;
			if (bytes > MAX_BYTES)
				fail(`stdin holds more than ${MAX_BYTES} bytes: put it into a file and name the file in the task`);
			chunks.push(chunk);
		});
		stream.on("error", (error) => fail(`stdin cannot be read: ${error.message}`));
		stream.on("end", () => {
			clearTimeout(timer);
			resolve(Buffer.concat(chunks).toString("utf8"));
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
	try {
		return fstatSync(fd);
	} catch {
		return undefined; // closed: `agent "x" <&-`
	}
}
