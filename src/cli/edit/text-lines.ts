/** A text as lines with their ends, so that a change of some leaves the ends of all others as they are. Pure. */
export interface TextLine {
	readonly text: string;
	/** `\n`, `\r\n`, `\r`, or nothing at the end of a text whose last line is not ended. */
	readonly end: string;
}

/** A `\r` alone ends lines only in a text that has no `\n`: else it is what a terminal was told, and stays in its line. */
export function linesOf(text: string): TextLine[] {
	const pattern = text.includes("\n") ? /([^\n]*)(\n|$)/g : /([^\r]*)(\r|$)/g;
	return [...text.matchAll(pattern)].flatMap(([whole, line = "", end = ""]) => {
		if (whole === "") return [];
		const isPair = end === "\n" && line.endsWith("\r");
		return [isPair ? { text: line.slice(0, -1), end: "\r\n" } : { text: line, end }];
	});
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

/** The text with the line end that is usual in `model` in the place of its own; as it is when `model` has no line ends. */
export function withEndsOf(text: string, model: string): string {
	const ends = linesOf(model).filter(({ end }) => end !== "");
	return ends.length === 0 ? text : text.replace(/\r?\n/g, usualEnd(ends));
}
