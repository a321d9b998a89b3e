/**
 * Prints without touching process.stdout: Node would set the pipe to non-blocking. All programs of a command share that flag
 * of the open file, so `cat` beside this process would fail with EAGAIN. A write blocks a thread, not the process.
 */

import { access, closeSync, createReadStream, fstatSync, write, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { promisify } from "node:util";
import { ifThere } from "../core/if-there.ts";
import { redact } from "../text/safe/redact.ts";
import { inOneLine, StreamCleaner, stripControl } from "../text/safe/terminal-safe.ts";

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

/** Writes all of the text as it is, however slow the reader is. For what no agent wrote, and for JSON that is safe already. */
export function print(fd: number, text: string): Promise<Printed> {
	return printBytes(fd, Buffer.from(text, "utf8"));
}

/** Writes what a command tells, with a newline. Gives its exit code. */
export async function printLine(text: string): Promise<number> {
	const printed = await print(1, `${text}\n`);
	if (printed.is !== "failed") return 0;
	complain(cannotWrite(printed.reason));
	return CANNOT_WRITE;
}

/** Writes an answer: made safe for a terminal where it goes to one, byte for byte elsewhere. */
export function printAnswer(fd: number, answer: string): Promise<Printed> {
	return print(fd, isatty(fd) ? stripControl(answer) : answer);
}

/** Writes the bytes of a file as printAnswer does, and closes it; memory stays flat. `open`: undefined for a file without bytes. */
export async function printFile(to: number, open: () => number | undefined): Promise<Printed> {
	const cleaner = isatty(to) ? new StreamCleaner() : undefined;
	try {
		const fd = open();
		if (fd === undefined) return { is: "written" };
		for await (const chunk of createReadStream("", { fd, highWaterMark: CHUNK_BYTES })) {
			const bytes = chunk as Buffer;
			const printed = await (cleaner === undefined ? printBytes(to, bytes) : print(to, cleaner.push(bytes)));
			if (printed.is !== "written") return printed;
		}
		return cleaner === undefined ? { is: "written" } : print(to, cleaner.end());
	} catch (error) {
		return { is: "failed", reason: reasonOf(error as NodeJS.ErrnoException) };
	}
}

/** As print, for bytes. */
export async function printBytes(fd: number, bytes: Uint8Array): Promise<Printed> {
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
	return `agent: cannot write to stdout: ${reason}${ref === undefined ? "" : `; to see the answer: agent show ${ref}`}`;
}

/** Writes one line to stderr, whatever is in it: a reason that an agent wrote cannot make a line that looks like ours. */
export function complain(line: string): void {
	complainInLines(inOneLine(line));
}

/** As complain, for a line that is made safe already and has colors: the sequences in `kept` stay in it. */
export function complainPainted(line: string, kept: ReadonlySet<string>): void {
	complainInLines(line.replace(/[\n\r]+/g, " "), kept);
}

let divert: ((line: string) => void) | undefined;

/** Gives lines that are for stderr to `to` instead, while a screen has the terminal. The result ends that. */
export function divertComplaints(to: (line: string) => void): () => void {
	divert = to;
	return () => {
		if (divert === to) divert = undefined;
	};
}

let fold = (text: string) => text;

/** Has lines that are for stderr changed by `by` right before they are written, to fit a terminal. */
export function foldComplaints(by: (text: string) => string): void {
	fold = by;
}

/** Writes lines to stderr, made safe for a terminal. When stderr is gone, too, there is nobody to tell. */
export function complainInLines(text: string, kept?: ReadonlySet<string>): void {
	if (divert !== undefined) return divert(stripControl(redact(text)));
	try {
		writeSync(2, `${fold(stripControl(redact(text), kept))}\n`);
	} catch {}
}

/** Node's `ENOSPC: no space left on device, write` → `no space left on device (ENOSPC)`. */
function reasonOf({ code = "error", message }: NodeJS.ErrnoException): string {
	return `${message.replace(/^[A-Z0-9]+: /, "").replace(/, write$/, "")} (${code})`;
}

const STANDARD = [0, 1, 2];

/**
 * Closes the standard streams whose terminal is gone, at the end of the process: Node then sets the modes of those that were terminals
 * back, and aborts when a terminal does not take them.
 */
export function letGoOfLostTerminal(): void {
	process.on("exit", () => {
		for (const fd of STANDARD) if (isLost(fd)) closeSync(fd);
	});
}

/** A terminal that is gone tells of no modes; neither does /dev/null, which nobody needs any more. */
function isLost(fd: number): boolean {
	return ifThere(() => fstatSync(fd).isCharacterDevice() && !isatty(fd)) ?? false; // closed already
}
