/**
 * A look at the process table that could not be made, for there are no more processes, files or memory: an expected
 * outcome, and the one that a fork bomb brings about. Whoever must act then does without a look.
 */
import { AgentreeError } from "../core/errors.ts";

/** False for a bug, which is to be seen. */
export function isFailedLook(error: unknown): error is Error {
	return error instanceof AgentreeError || (error instanceof Error && "errno" in error);
}

/** Undefined when it could not look. */
export function ifSeen<T>(look: () => T): { readonly seen: T } | undefined {
	try {
		return { seen: look() };
	} catch (error) {
		if (isFailedLook(error)) return undefined;
		throw error;
	}
}
