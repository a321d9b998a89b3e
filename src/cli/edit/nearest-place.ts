/** Where a text is that was looked for and not found: the place of a file that has most of its lines. Pure. */

export interface NearestPlace {
	/** The line at which it begins, counted from 1. */
	readonly line: number;
	/** The first line that is not as it was looked for, counted from 1, and both texts of it. */
	readonly differs: { readonly line: number; readonly found: string; readonly sought: string };
}

/** Shorter lines, such as brackets, are found everywhere and tell nothing. */
const LEAST_TELLING = 3;
const MOST_LINES_COMPARED = 50_000;

/** Undefined when nothing in the file is like it. */
export function nearestPlace(lines: readonly string[], sought: readonly string[]): NearestPlace | undefined {
	const start = byEqualLines(lines, sought) ?? byLikeLine(lines, sought);
	if (start === undefined) return undefined;
	const index = sought.findIndex((text, offset) => lines[start + offset] !== text);
	const at = Math.max(0, index);
	const differs = { line: start + at + 1, found: lines[start + at] ?? "", sought: sought[at] ?? "" };
	return { line: start + 1, differs };
}

/** The start at which most lines are equal but for the white space around them. */
function byEqualLines(lines: readonly string[], sought: readonly string[]): number | undefined {
	const offsets = new Map<string, number[]>();
	for (const [offset, text] of sought.entries()) {
		const key = text.trim();
		if (key.length >= LEAST_TELLING) offsets.set(key, [...(offsets.get(key) ?? []), offset].slice(0, 10));
	}
	const votes = new Map<number, number>();
	for (const [index, text] of lines.entries())
		for (const offset of offsets.get(text.trim()) ?? []) {
			const start = index - offset;
			if (start >= 0) votes.set(start, (votes.get(start) ?? 0) + 1);
		}
	let best: number | undefined;
	for (const [start, count] of votes) if (count > (votes.get(best ?? -1) ?? 0)) best = start;
	return best;
}

/** The start at which the longest line that is looked for is most like the file's line there. */
function byLikeLine(lines: readonly string[], sought: readonly string[]): number | undefined {
	const longest = sought.reduce((best, text, index) => (text.length > (sought[best]?.length ?? 0) ? index : best), 0);
	const wanted = pairsOf(sought[longest] ?? "");
	let best: { start: number; likeness: number } | undefined;
	for (const [index, text] of lines.slice(0, MOST_LINES_COMPARED).entries()) {
		const likeness = likenessOf(pairsOf(text), wanted);
		if (likeness > 0.5 && likeness > (best?.likeness ?? 0)) best = { start: index - longest, likeness };
	}
	return best === undefined ? undefined : Math.max(0, best.start);
}

/** The pairs of neighbouring characters. */
function pairsOf(text: string): Set<string> {
	const plain = text.trim().slice(0, 500);
	return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, index) => plain.slice(index, index + 2)));
}

/** From 0, nothing in common, to 1 (Dice's coefficient). */
function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	if (a.size + b.size === 0) return 0;
	let common = 0;
	for (const pair of a) if (b.has(pair)) common++;
	return (2 * common) / (a.size + b.size);
}
