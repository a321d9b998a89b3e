/** The process's own streams and terminal, as commands use them. All output is written before the process may exit. */

import type { Io } from "../../faces/print/io.ts";
import { PAINT_SEQUENCES, type Paint, paintFor } from "../../faces/print/paint.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { formerDirectory, workingDirectoryProblem } from "../../project/config/working-directory.ts";
import { Bugs } from "../../terminal/bugs.ts";
import { CANNOT_WRITE, cannotWrite, complain, type Printed, print } from "../../terminal/print.ts";
import { safeJson } from "../../text/safe/invisible.ts";
import { redactKnown } from "../../text/safe/redact.ts";
import { stripControl } from "../../text/safe/terminal-safe.ts";

const MAX_WAITING = 1024 * 1024; // characters

/** What a command on the command line does: its arguments, its options, and the only ways in which it prints. */
export type PrintingCommand = (
	args: readonly (string | undefined)[],
	values: OptionValues,
	io: Io,
) => number | Promise<number>;

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

/** Prints a value for programs. */
export function printJson(io: Io, value: unknown): void {
	io.stdout(`${safeJson(value, "\t")}\n`);
}

/** The colors of what a command prints on stdout. */
export function paintOf({ isTTY, env }: Pick<Io, "isTTY" | "env">): Paint {
	return paintFor(undefined, isTTY, env.NO_COLOR);
}

/** What this process does about a bug: at first it only says so, and a command that starts something adds what must end. */
export const bugs = new Bugs(SYSTEM_CLOCK.now);

/** Whether a dashboard can be shown. A chat prints plain lines where it cannot. */
export function hasScreen(): boolean {
	return hasTerminal() && process.env.TERM !== "dumb";
}

/** Whether a person is at a terminal. It may obey no control sequences, as the shell of an editor. */
export function hasTerminal(): boolean {
	return process.stdout.isTTY === true && process.stdin.isTTY === true;
}

export interface CollectedIo {
	readonly io: Io;
	/** What was printed so far, on stdout and stderr. */
	readonly text: () => string;
}

/** Collects what a command prints. `columns`: its lines are cut there. */
export function collectingIo(host: Pick<Io, "env" | "now">, columns: number): CollectedIo {
	let text = "";
	const take = (more: string) => {
		text += more;
	};
	const { env, now } = host;
	const io: Io = {
		...{ env, now, cwd: formerDirectory(process, env.PWD), uid: process.getuid?.() ?? 0 },
		...{ stdout: take, stderr: take, isTTY: false, columns },
	};
	return { io, text: () => text.replace(/\n$/, "") };
}
