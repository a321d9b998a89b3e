/**
 * Patterns of rules against the words of commands. `*` in a pattern stands for any text. In a command `ANY` stands for text that is known
 * only when the command runs. Pure.
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

/** Whether the pattern may match for some unknown text: where nothing is unknown, or no star is, beginning and end agree. */
export function mayMatch(pattern: Pattern, text: string): boolean {
	if (!text.includes(ANY)) return matches(pattern, text);
	const start = text.slice(0, text.indexOf(ANY));
	const end = text.slice(text.lastIndexOf(ANY) + 1);
	const { pieces } = pattern;
	const [first, last] = [pieces[0] ?? "", pieces.at(-1) ?? ""];
	return (
		(first.startsWith(start) || (pieces.length > 1 && start.startsWith(first))) &&
		(last.endsWith(end) || (pieces.length > 1 && end.endsWith(last)))
	);
}
