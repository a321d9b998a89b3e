/**
 * Prints without touching process.stdout: Node would set the pipe to non-blocking. All programs of a command share that flag
 * of the open file, so `cat` beside this process would fail with EAGAIN. A write blocks a thread, not the process.
 */
import { access, constants, createReadStream, openSync, write, writeSync } from "node:fs";
import { promisify } from "node:util";

/** `reader_gone`: nobody reads any more (`| head -1`), which is no error. `failed`: something was not written. */
export type Printed = { is: "written" } | { is: "reader_gone" } | { is: "failed"; reason: string };

/** The exit code of an answer that could not be written: EX_IOERR of sysexits.h. */
export const CANNOT_WRITE = 74;

const writeSome = promisify(write);
const RETRY_MS = 5;
const CHUNK_BYTES = 1024 * 1024;

/** Starts the threads that write. Node starts them at first use, and aborts when the system gives no more threads then. */
export function prepareToPrint(): void {
	access("/", () => {});
}

/** Writes all of the text, however slow the reader is. */
export function print(fd: number, text: string): Promise<Printed> {
	return printBytes(fd, Buffer.from(text, "utf8"));
}

/** Writes the bytes of a file as they are; memory stays flat. A FIFO in its place has none: nobody waits for its writer. */
export async function printFile(to: number, path: string): Promise<Printed> {
	try {
		const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
		for await (const chunk of createReadStream("", { fd, highWaterMark: CHUNK_BYTES })) {
			const printed = await printBytes(to, chunk as Buffer);
			if (printed.is !== "written") return printed;
		}
		return { is: "written" };
	} catch (error) {
		return { is: "failed", reason: reasonOf(error as NodeJS.ErrnoException) };
	}
}

async function printBytes(fd: number, bytes: Buffer): Promise<Printed> {
	let rest = bytes;
	while (rest.length > 0) {
		try {
			const { bytesWritten } = await writeSome(fd, rest);
			rest = rest.subarray(bytesWritten);
		} catch (error) {
			const { code } = error as NodeJS.ErrnoException;
			if (code === "EPIPE") return { is: "reader_gone" };
			if (code !== "EAGAIN") return { is: "failed", reason: reasonOf(error as NodeJS.ErrnoException) };
			await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
		}
	}
	return { is: "written" };
}

/** An answer ends with a newline, so that answers of several agents stand apart. */
export function printable(answer: string): string {
	return answer === "" || answer.endsWith("\n") ? answer : `${answer}\n`;
}

/** The line for stderr after a print that failed. `ref`: the agent whose transcript has the answer. */
export function cannotWrite(reason: string, ref?: string): string {
	return `agent: cannot write to stdout: ${reason}${ref === undefined ? "" : `; agent show ${ref} has the answer`}`;
}

/** Writes one line to stderr. When stderr is gone, too, there is nobody to tell. */
export function complain(line: string): void {
	try {
		writeSync(2, `${line}\n`);
	} catch {}
}

/** Node's `ENOSPC: no space left on device, write` → `no space left on device (ENOSPC)`. */
function reasonOf({ code = "error", message }: NodeJS.ErrnoException): string {
	return `${message.replace(/^[A-Z0-9]+: /, "").replace(/, write$/, "")} (${code})`;
}
