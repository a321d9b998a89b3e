/** The output of an agent's newest command, for a model that answers with it. */
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { LastOutput } from "../../core/model.ts";

const PLAIN = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** An agent's newest command. `log`: the file with its output; `exitCode`: undefined when it had none. */
export interface LastCommand {
	log: string;
	printedBytes: number;
	exitCode: number | undefined;
}

/** Reads the beginning of the log: all of it, up to 64 MiB, would need many times its size as text and JSON. */
export async function readOutput(command: LastCommand | undefined): Promise<LastOutput | undefined> {
	if (command === undefined) return undefined;
	const { log: path, printedBytes, exitCode } = command;
	// A command may have put a FIFO there: opening that would hold a thread, and with it the end of this process, for ever. Or a link.
	const file = await open(path, PLAIN).catch(() => undefined);
	if (file === undefined) return { path, text: "", printedBytes, keptBytes: 0, exitCode };
	try {
		const found = await file.stat();
		const size = found.isFile() ? found.size : 0;
		const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(Math.min(size, MAX_TEXT_BYTES)) });
		const rest = size > MAX_TEXT_BYTES ? `\n[cut here: the whole, ${size} bytes, is in ${path}]\n` : "";
		return {
			path,
			text: buffer.subarray(0, bytesRead).toString("utf8") + rest,
			printedBytes,
			keptBytes: size,
			exitCode,
		};
	} finally {
		await file.close();
	}
}
