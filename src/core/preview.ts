/** The length of a task in events, in characters; the whole task is in agent.json. */
export const TASK_PREVIEW = 200;

/** The text in one line, white space collapsed, at most `most` characters, never half a surrogate pair. */
export function preview(text: string, most: number): string {
	const line = text.replace(/\s+/g, " ").trim();
	if (line.length <= most) return line.toWellFormed();
	return `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, "")}…`.toWellFormed();
}

/** The text with its beginning and its end, which tells the most of a cause; what is between is counted. At most about `most` characters. */
export function foldedMiddle(text: string, most: number): string {
	if (text.length <= most) return text.toWellFormed();
	const tail = Math.floor(most / 3);
	const head = most - tail;
	return `${text.slice(0, head)} [… ${text.length - most} characters omitted …] ${text.slice(-tail)}`.toWellFormed();
}
