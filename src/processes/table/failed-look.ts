/**
 * A look at the process table fails when the system has no more processes, files or memory. That is an expected outcome,
 * and the one that a fork bomb brings about: whoever must act then acts without a look.
 */
import { AgentreeError } from "../../core/errors.ts";

/** True for an error of the system; false for a bug, which must not be hidden. */
export function isFailedLook(error: unknown): error is Error {
	return error instanceof AgentreeError || (error instanceof Error && "errno" in error);
}

/** The result of `look`, which may itself be undefined; undefined when the look failed. */
export function ifSeen<T>(look: () => T): { readonly seen: T } | undefined {
	try {
		return { seen: look() };
	} catch (error) {
		if (isFailedLook(error)) return undefined;
		throw error;
	}
}
