/** What an agent's newest command has printed, for a model that answers with it. */
import { open } from "node:fs/promises";
import type { LastOutput } from "../../core/model.ts";

const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** The agent's newest command: where its output is, how much it printed, its exit status if it had one. */
export interface LastCommand {
	log: string;
	printedBytes: number;
	exitCode: number | undefined;
}

/** Reads a bounded part: a log may hold 64 MiB, which take many times that as text and JSON. The whole is only ever streamed. */
export async function readOutput(command: LastCommand | undefined): Promise<LastOutput | undefined> {
	if (command === undefined) return undefined;
	const { log: path, printedBytes, exitCode } = command;
	const file = await open(path).catch(() => undefined);
	if (file === undefined) return { path, text: "", printedBytes, keptBytes: 0, exitCode };
	try {
		const { size } = await file.stat();
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
