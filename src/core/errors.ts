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
