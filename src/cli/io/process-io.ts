/** The process's own streams, for the commands that show something. All output is written before the process may exit. */

import type { Io } from "../../faces/print/io.ts";
import { PAINT_SEQUENCES } from "../../faces/print/paint.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { formerDirectory, workingDirectoryProblem } from "../../project/config/working-directory.ts";
import { CANNOT_WRITE, cannotWrite, complain, type Printed, print } from "../../terminal/print.ts";
import { redactKnown } from "../../text/safe/redact.ts";
import { stripControl } from "../../text/safe/terminal-safe.ts";

const MAX_WAITING = 1024 * 1024; // characters

/** Runs a command with this process's io, and gives its exit code once everything is written. */
export async function withProcessIo(command: (io: Io) => number | Promise<number>): Promise<number> {
	const ending = new AbortController(); // `agent log | head -1`: nobody reads on, so nothing more is looked for
	let written: Promise<void> = Promise.resolve();
	let printed: Printed = { is: "written" };
	let waiting = 0;
	const write = async (text: string) => {
		if (printed.is === "written") printed = await print(1, text);
		if (printed.is !== "written") ending.abort();
		waiting -= text.length;
	};
	const { stdout, env, getuid } = process;
	const isTTY = stdout.isTTY === true;
	const exitCode = await command({
		env,
		cwdProblem: workingDirectoryProblem(process.cwd),
		cwd: formerDirectory(process, env.PWD),
		uid: getuid?.() ?? 0,
		stdout: (text) => {
			const safe = redactKnown(stripControl(text, PAINT_SEQUENCES));
			waiting += safe.length;
			written = written.then(() => write(safe));
		},
		drained: () => (waiting > MAX_WAITING ? written : undefined),
		stderr: (text) => complain(text.replace(/\n$/, "")),
		isTTY,
		isErrorTTY: process.stderr.isTTY === true,
		get columns() {
			return isTTY ? stdout.columns : undefined;
		},
		rows: isTTY ? stdout.rows : undefined,
		now: SYSTEM_CLOCK.now,
		signal: ending.signal,
	});
	await written;
	return exitCodeAfter(printed, exitCode);
}

/** The exit code of a command whose output could not all be written: not 0. `ref` shows the lost answer. */
export function exitCodeAfter(printed: Printed, exitCode: number, ref?: string): number {
	if (printed.is !== "failed") return exitCode;
	complain(cannotWrite(printed.reason, ref));
	return exitCode || CANNOT_WRITE;
}
