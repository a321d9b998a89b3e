/** The output of an agent's newest command, for a model that answers with it. */
import { close, fstatSync, read } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { LastOutput } from "../../core/model/model.ts";
import { openRegularWithin } from "../../processes/open-within.ts";
import type { LastCommand } from "../run/agent-registry.ts";

const readSome = promisify(read);
const closeFile = promisify(close);
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/**
 * Reads the beginning of the log: all of it, up to 64 MiB, would need many times its size as text and JSON. A command may
 * have put anything in its place: a link is not followed, and of a FIFO or a device nothing is read.
 */
export async function readOutput(command: LastCommand | undefined): Promise<LastOutput | undefined> {
	if (command === undefined) return undefined;
	const { directory, log, printedBytes, exitCode } = command;
	const path = join(directory, log);
	const file = openLog(directory, log);
	if (file === undefined) return { path, text: "", printedBytes, keptBytes: 0, exitCode };
	try {
		const { size } = fstatSync(file);
		const buffer = Buffer.alloc(Math.min(size, MAX_TEXT_BYTES));
		const { bytesRead } = await readSome(file, buffer, 0, buffer.length, 0);
		const rest = size > MAX_TEXT_BYTES ? `\n[cut here: the full output, ${size} bytes, is in ${path}]\n` : "";
		const text = buffer.subarray(0, bytesRead).toString("utf8") + rest;
		return { path, text, printedBytes, keptBytes: size, exitCode };
	} finally {
		await closeFile(file);
	}
}

function openLog(directory: string, log: string): number | undefined {
	try {
		return openRegularWithin(directory, log);
	} catch {
		return undefined;
	}
}
