/** A text as lines with their ends, so that a change of some leaves the ends of all others as they are. Pure. */
export interface TextLine {
	readonly text: string;
	/** `\n`, `\r\n`, `\r`, or nothing at the end of a text whose last line is not ended. */
	readonly end: string;
}

export function linesOf(text: string): TextLine[] {
	return [...text.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)].flatMap(([whole, line = "", end = ""]) =>
		whole === "" ? [] : [{ text: line, end }],
	);
}

export function joinLines(lines: readonly TextLine[]): string {
	return lines.map(({ text, end }) => text + end).join("");
}

/** The end that most lines have; `\n` for a text without any. */
export function usualEnd(lines: readonly TextLine[]): string {
	const counts = new Map<string, number>();
	for (const { end } of lines) if (end !== "") counts.set(end, (counts.get(end) ?? 0) + 1);
	const [most] = [...counts].sort(([, a], [, b]) => b - a);
	return most?.[0] ?? "\n";
}

/** The text with the line end that is usual in `model`; as it is when `model` has no line ends. */
export function withEndsOf(text: string, model: string): string {
	if (!/[\r\n]/.test(model)) return text;
	const end = usualEnd(linesOf(model));
	return joinLines(linesOf(text).map((line) => ({ ...line, end: line.end === "" ? "" : end })));
}
