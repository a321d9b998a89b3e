/** The signal behind a command's end: bash exits with 128 plus the number when a program that it ran died by a signal. */
import type { CommandEnd } from "../core/command.ts";

const MAX_SIGNAL = 64;
// Only the numbers that mean the same signal on every system.
const NAMES: Readonly<Record<number, string>> = {
	1: "SIGHUP",
	2: "SIGINT",
	3: "SIGQUIT",
	4: "SIGILL",
	5: "SIGTRAP",
	6: "SIGABRT",
	8: "SIGFPE",
	9: "SIGKILL",
	11: "SIGSEGV",
	13: "SIGPIPE",
	14: "SIGALRM",
	15: "SIGTERM",
	24: "SIGXCPU",
	25: "SIGXFSZ",
};

/** `SIGSEGV`, or `signal 7` where systems differ; undefined for a command that did not end by a signal. */
export function signalOfCommand(end: CommandEnd): string | undefined {
	if (end.by === "signal") return end.signal;
	return end.by === "exit" ? signalOfStatus(end.code) : undefined;
}

function signalOfStatus(code: number): string | undefined {
	const signal = code - 128;
	return signal > 0 && signal <= MAX_SIGNAL ? (NAMES[signal] ?? `signal ${signal}`) : undefined;
}
