/**
 * Patterns of rules against the words of commands. `*` in a pattern stands for any text. In a command `ANY` stands for text that
 * is known only when the command runs: then a pattern may match without that it does. Both in time that grows with the
 * product of their lengths at most. Pure.
 */

/** Not a character of Unicode, so no command has it. */
export const ANY = "\uffff";

export interface Pattern {
	/** null: any text. */
	readonly tokens: readonly (string | null)[];
	/** What stands before the first of them. */
	readonly head: string;
}

/** `\*` is a star itself. */
export function parsePattern(text: string): Pattern {
	const tokens: (string | null)[] = [];
	for (let at = 0; at < text.length; at++) {
		const char = text[at] ?? "";
		if (char === "\\" && text[at + 1] === "*") {
			tokens.push("*");
			at += 1;
		} else if (char !== "*") tokens.push(char);
		else if (tokens.at(-1) !== null || tokens.length === 0) tokens.push(null);
	}
	const star = tokens.indexOf(null);
	return { tokens, head: tokens.slice(0, star < 0 ? undefined : star).join("") };
}

/** Whether the pattern matches whatever the unknown text is. */
export function matches(pattern: Pattern, text: string): boolean {
	const { tokens } = pattern;
	return run(pattern, text, (places) => new Set([...places].filter((place) => tokens[place] === null)));
}

/** Whether the pattern matches for some unknown text. */
export function mayMatch(pattern: Pattern, text: string): boolean {
	const { length } = pattern.tokens;
	return run(pattern, text, (places) => {
		const first = Math.min(...places);
		return new Set(Array.from({ length: length - first + 1 }, (_, n) => first + n));
	});
}

type Places = ReadonlySet<number>;

/** Which places of the pattern the text up to here may stand at, one character after the other. */
function run({ tokens, head }: Pattern, text: string, afterUnknown: (places: Places) => Places): boolean {
	const known = text.indexOf(ANY);
	if (known < 0 ? !text.startsWith(head) : !startAlike(text.slice(0, known), head)) return false; // as nearly always
	const endsOpen = tokens.length > 0 && tokens.at(-1) === null;
	let places = withSkippedStars(tokens, new Set([0]));
	for (let at = 0; at < text.length; at++) {
		const char = text[at] ?? "";
		if (endsOpen && places.has(tokens.length)) return true;
		places = withSkippedStars(tokens, char === ANY ? afterUnknown(places) : after(tokens, places, char));
		if (places.size === 0) return false;
	}
	return places.has(tokens.length);
}

function startAlike(one: string, other: string): boolean {
	return one.length < other.length ? other.startsWith(one) : one.startsWith(other);
}

function after(tokens: Pattern["tokens"], places: Places, char: string): Places {
	const next = new Set<number>();
	for (const place of places) {
		if (tokens[place] === null) next.add(place);
		else if (tokens[place] === char) next.add(place + 1);
	}
	return next;
}

function withSkippedStars(tokens: Pattern["tokens"], places: Places): Places {
	const all = new Set(places);
	for (const place of places) if (tokens[place] === null) all.add(place + 1);
	return all;
}
