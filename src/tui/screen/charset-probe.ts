/**
 * Asks the terminal what it makes of a character of several bytes: it writes one, asks where the cursor is, and takes it away
 * again. The locale tells of the programs of a machine, not of the terminal at the other end of a line.
 */
import type { Charset } from "./charset.ts";

/**
 * One column in all terminals that read UTF-8, three in those that take each byte for a character. Both of its later bytes are
 * printable in Latin-1, too, so none of them is obeyed.
 */
const THREE_BYTES = "\u2820";
/** Two columns where ambiguous characters are wide. */
const AMBIGUOUS = "\u00b1";

const ASK_CURSOR = "\u001b[6n";
const HOME = "\u001b[H";
const ERASE = "\u001b[K";

export const CHARSET_QUESTION = `${HOME}${THREE_BYTES}${ASK_CURSOR}${HOME}${AMBIGUOUS}${ASK_CURSOR}${HOME}${ERASE}`;

/** The cursor's columns, counted from 1, in the order of the answers; undefined while one is missing. */
export function charsetFrom([afterThreeBytes, afterAmbiguous]: readonly number[]): Charset | undefined {
	if (afterThreeBytes === undefined || afterAmbiguous === undefined) return undefined;
	if (afterThreeBytes !== 2) return "ascii";
	return afterAmbiguous === 2 ? "unicode" : "wide_ambiguous";
}
