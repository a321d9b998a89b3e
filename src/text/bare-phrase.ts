/** A phrase out of a sentence, without what only surrounds it. Pure. */

const PAIRS = [`""`, "''", "``", "()", "[]", "{}", "<>"].map((pair) => ({
	open: pair.charAt(0),
	close: pair.charAt(1),
}));

/** Without punctuation at its ends, and without quotes and brackets there whose partner is not in it, or at its other end. */
export function barePhrase(phrase: string): string {
	let text = withoutStops(phrase);
	for (const { open, close } of PAIRS) {
		const isFirst = text.startsWith(open);
		const isLast = text.endsWith(close) && text.length > 1;
		if (isFirst && (isLast || !text.slice(1).includes(close))) text = text.slice(1);
		if (isLast && (isFirst || !text.slice(0, -1).includes(open))) text = text.slice(0, -1);
	}
	return withoutStops(text) || phrase;
}

function withoutStops(text: string): string {
	return text.replace(/^[*_]+(?=\S)|[*_.,:;!?—–-]+$/g, "");
}
