/** Exit codes: each class of endings has one; 128+n for signal n, as in shells. */
import type { Ending } from "./model/agent.ts";

/** Signals that have the same number on Linux, macOS and the BSDs. */
const SIGNAL_NUMBERS: Record<string, number> = {
	SIGHUP: 1,
	SIGINT: 2,
	SIGQUIT: 3,
	SIGILL: 4,
	SIGTRAP: 5,
	SIGABRT: 6,
	SIGFPE: 8,
	SIGKILL: 9,
	SIGSEGV: 11,
	SIGPIPE: 13,
	SIGALRM: 14,
	SIGTERM: 15,
};

export const EXIT = {
	answer: 0,
	failure: 1,
	usage: 2,
	limit: 3,
	notStarted: 4,
	bug: 70,
	outOfReach: 75,
	key: 77,
} as const;

export function exitCodeOf(ending: Ending): number {
	switch (ending.by) {
		case "answer":
			return EXIT.answer;
		case "failure":
			return ending.exitCode;
		case "limit":
			return EXIT.limit;
		case "stopped":
			return 128 + ending.signal;
		case "killed":
			return 128 + (SIGNAL_NUMBERS[ending.signal] ?? SIGNAL_NUMBERS.SIGTERM ?? 15);
		case "crashed":
			return EXIT.bug;
	}
}
