/** Errors and endings, and the exit code of each: a class of endings has one; 128+n for signal n, as in shells. */
import type { Ending } from "./model/agent.ts";

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

/** Codes are part of the public interface: they are never renamed. */
const EXIT_CODES = {
	usage: 2,
	key_missing: 77,
	key_rejected: 77,
	out_of_reach: 75,
	not_found: 2,
	not_writable: 2,
	not_started: 4,
	refused: 4,
	script: 2,
	bug: 70,
} as const;

export type ErrorCode = keyof typeof EXIT_CODES;

export function isErrorCode(code: string): code is ErrorCode {
	return Object.hasOwn(EXIT_CODES, code);
}

/** Thrown where no caller can continue. The message is one line: what is wrong, with which value, what to do. */
export class AgentreeError extends Error {
	/** A child's program lies in several bundles, each with a class of its own: the name tells, whichever made it. */
	static override [Symbol.hasInstance](value: unknown): boolean {
		return value instanceof Error && value.name === "AgentreeError";
	}

	override readonly name = "AgentreeError";
	readonly code: ErrorCode;

	constructor(code: ErrorCode, message: string) {
		super(message);
		this.code = code;
	}

	get exitCode(): number {
		return EXIT_CODES[this.code];
	}
}

/** The command line, a variable or a file of settings is wrong. */
export function usageError(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}

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
