/**
 * Bounds the results of one answer's commands together, so that eight children with long answers do not fill the context.
 * Short results stay whole; the long ones share what these leave of the room evenly. Pure.
 */
import { firstChars, lastChars } from "../../text/ends.ts";

export const MAX_TOGETHER = 200_000; // characters

export interface LongText {
	readonly text: string;
	/** The file with the whole text; undefined when there is none. */
	readonly log: string | undefined;
}

/** The texts in their order, cut to at most `most` characters together (unless the markers alone are more). */
export function shareResultRoom(texts: readonly LongText[], most = MAX_TOGETHER): string[] {
	const share = fairShare(
		texts.map(({ text }) => text.length),
		most,
	);
	return texts.map((long) => (long.text.length <= share ? long.text : cutMiddle(long, share, texts.length)));
}

/** The most that each text may have so that all fit together, when short texts leave the rest of their share to others. */
function fairShare(lengths: readonly number[], most: number): number {
	let room = most;
	const ascending = lengths.toSorted((a, b) => a - b);
	for (const [n, length] of ascending.entries()) {
		const share = Math.floor(room / (ascending.length - n));
		if (length > share) return share;
		room -= length;
	}
	return Number.POSITIVE_INFINITY;
}

/** Cuts out the middle: the end of a text says how the command ended. */
function cutMiddle({ text, log }: LongText, most: number, results: number): string {
	const where = log === undefined ? "no file holds the rest" : `the whole is in ${log}`;
	const marker = `\n[... the middle is left out, since ${results} results share their room; ${where} ...]\n`;
	const forText = Math.max(0, most - marker.length);
	const forHead = Math.floor(forText * 0.6);
	return `${firstChars(text, forHead)}${marker}${lastChars(text, forText - forHead)}`;
}
