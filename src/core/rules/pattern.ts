/**
 * Patterns of rules against the words of commands. `*` in a pattern stands for any text. In a command `ANY` stands for text that
 * is known only when the command runs: then a pattern may match without that it does. Both in time that grows with the
 * product of their lengths at most. Pure.
 */

/** Not a character of Unicode, so no command has it. */
export const ANY = "\uffff";

/** null: any text. */
export type Pattern = readonly (string | null)[];

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
	return tokens;
}

/** Whether the pattern matches whatever the unknown text is. */
export function matches(pattern: Pattern, text: string): boolean {
	return run(pattern, text, (places) => new Set([...places].filter((place) => pattern[place] === null)));
}

/** Whether the pattern matches for some unknown text. */
export function mayMatch(pattern: Pattern, text: string): boolean {
	return run(pattern, text, (places) => {
		const first = Math.min(...places);
		return new Set(Array.from({ length: pattern.length - first + 1 }, (_, n) => first + n));
	});
}

type Places = ReadonlySet<number>;

/** Which places of the pattern the text up to here may stand at, one character after the other. */
function run(pattern: Pattern, text: string, afterUnknown: (places: Places) => Places): boolean {
	const endsOpen = pattern.length > 0 && pattern.at(-1) === null;
	let places = withSkippedStars(pattern, new Set([0]));
	for (const char of text.split("")) {
		if (endsOpen && places.has(pattern.length)) return true;
		places = withSkippedStars(pattern, char === ANY ? afterUnknown(places) : after(pattern, places, char));
		if (places.size === 0) return false;
	}
	return places.has(pattern.length);
}

function after(pattern: Pattern, places: Places, char: string): Places {
	const next = new Set<number>();
	for (const place of places) {
		if (pattern[place] === null) next.add(place);
		else if (pattern[place] === char) next.add(place + 1);
	}
	return next;
}

function withSkippedStars(pattern: Pattern, places: Places): Places {
	const all = new Set(places);
	for (const place of places) if (pattern[place] === null) all.add(place + 1);
	return all;
}
