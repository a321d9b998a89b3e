/**
 * The results of one answer's commands share a room, so that eight children with long answers do not burst the context.
 * What fits stays whole; what is left of the room is parted evenly among those that are longer. Pure.
 */
import { firstChars, lastChars } from "./output.ts";

export const MAX_TOGETHER = 200_000; // characters

export interface LongText {
	readonly text: string;
	/** Where the whole is; undefined when no file has it. */
	readonly log: string | undefined;
}

/** Of each a text, in their order; together at most `most` characters, if the markers alone are not more. */
export function fitTogether(texts: readonly LongText[], most = MAX_TOGETHER): string[] {
	const share = fairShare(
		texts.map(({ text }) => text.length),
		most,
	);
	return texts.map((long) => (long.text.length <= share ? long.text : cutMiddle(long, share, texts.length)));
}

/** The most that each may have so that all fit: the short ones leave what they do not need to the others. */
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

/** The end is kept, too: it says how the command ended. */
function cutMiddle({ text, log }: LongText, most: number, results: number): string {
	const where = log === undefined ? "no file holds the rest" : `the whole is in ${log}`;
	const marker = `\n[... the middle is left out, since ${results} results share their room; ${where} ...]\n`;
	const forText = Math.max(0, most - marker.length);
	const forHead = Math.floor(forText * 0.6);
	return `${firstChars(text, forHead)}${marker}${lastChars(text, forText - forHead)}`;
}
