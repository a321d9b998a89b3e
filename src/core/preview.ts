/** The first line that has something on it, at most `most` characters, never half a surrogate pair. */
export function preview(text: string, most: number): string {
	const line = text.trimStart().split("\n", 1)[0]?.trimEnd() ?? "";
	if (line.length <= most) return line.toWellFormed();
	return `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`.toWellFormed();
}
