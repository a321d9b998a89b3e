/** The process's own streams, for the commands that read. All of it is written before the process may exit. */
import { complain, print } from "../agent/print.ts";
import type { Io } from "./io.ts";

/** Runs a command with this process's io, and gives its exit code once everything is written. */
export async function withProcessIo(command: (io: Io) => number | Promise<number>): Promise<number> {
	const readerLeft = new AbortController(); // `agent log | head -1`: nobody reads on, so nothing more is looked for
	let written: Promise<void> = Promise.resolve();
	const write = async (text: string) => {
		if (!readerLeft.signal.aborted && !(await print(1, text))) readerLeft.abort();
	};
	const { stdout, env } = process;
	const isTTY = stdout.isTTY === true;
	const exitCode = await command({
		env,
		cwd: process.cwd(),
		stdout: (text) => {
			written = written.then(() => write(text));
		},
		stderr: (text) => complain(text.replace(/\n$/, "")),
		isTTY,
		columns: isTTY ? stdout.columns : undefined,
		rows: isTTY ? stdout.rows : undefined,
		now: Date.now,
		signal: readerLeft.signal,
	});
	await written;
	return exitCode;
}
