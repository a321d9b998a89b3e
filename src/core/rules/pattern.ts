/**
 * Patterns of rules against the words of commands. `*` in a pattern stands for any text. In a command `ANY` stands for text that
 * is known only when the command runs: then a pattern may match without that it does. Neither takes time that grows faster than the
 * product of their lengths. Pure.
 */

/** Not a character of Unicode, so no command has it. */
export const ANY = "\uffff";

export interface Pattern {
	/** The text around its stars: one more than there are stars. */
	readonly pieces: readonly string[];
}

/** `\*` is a star itself. */
export function parsePattern(text: string): Pattern {
	const pieces = [""];
	for (const [part] of text.matchAll(/\\\*|\*+|[^*\\]+|\\/g)) {
		if (part.startsWith("*")) pieces.push("");
		else pieces.push(`${pieces.pop()}${part === "\\*" ? "*" : part}`);
	}
	return { pieces };
}

/** Whether the pattern matches whatever the unknown text is: only a star takes that. */
export function matches({ pieces }: Pattern, text: string): boolean {
	const [first = "", ...others] = pieces;
	const last = others.pop();
	if (last === undefined) return text === first;
	const end = text.length - last.length;
	if (!text.startsWith(first) || !text.endsWith(last)) return false;
	let at = first.length;
	for (const piece of others) {
		const found = text.indexOf(piece, at);
		if (found < 0) return false;
		at = found + piece.length;
	}
	return at <= end;
}

/** Whether the pattern matches for some unknown text. */
export function mayMatch(pattern: Pattern, text: string): boolean {
	const known = text.indexOf(ANY);
	if (known < 0) return matches(pattern, text);
	if (!startAlike(text.slice(0, known), pattern.pieces[0] ?? "")) return false; // as nearly always
	return mayEndIn(placesOf(pattern), text);
}

/** Places of a pattern, as bits: the lowest is its beginning. */
interface Places {
	/** Those before this character. */
	readonly before: ReadonlyMap<string, bigint>;
	readonly stars: bigint;
	readonly all: bigint;
	readonly end: bigint;
}

function placesOf({ pieces }: Pattern): Places {
	const before = new Map<string, bigint>();
	let [place, stars] = [1n, 0n];
	for (const [at, piece] of pieces.entries()) {
		if (at > 0) {
			stars |= place;
			place <<= 1n;
		}
		for (const char of piece.split("")) {
			before.set(char, (before.get(char) ?? 0n) | place);
			place <<= 1n;
		}
	}
	return { before, stars, all: (place << 1n) - 1n, end: place };
}

/** Which places the text up to here may stand at, one character after the other. */
function mayEndIn({ before, stars, all, end }: Places, text: string): boolean {
	const withSkippedStars = (places: bigint) => places | ((places & stars) << 1n);
	let places = withSkippedStars(1n);
	for (const char of text.split("")) {
		const lowest = places & -places;
		places = char === ANY ? all & -lowest : (((before.get(char) ?? 0n) & places) << 1n) | (places & stars);
		places = withSkippedStars(places);
		if (places === 0n) return false;
	}
	return (places & end) !== 0n;
}

function startAlike(one: string, other: string): boolean {
	return one.length < other.length ? other.startsWith(one) : one.startsWith(other);
}
