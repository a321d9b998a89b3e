/** Of the text of a JSON Schema that an answer has to fit: each request carries it. */
export const MAX_SCHEMA_CHARS = 128 * 1024;

const FENCED = /^```[\w-]*[^\S\n]*\n([\s\S]*?)\n?[^\S\n]*```$/;

/** The JSON of an answer that has to be JSON: models like to put it between fences. */
export function jsonOfAnswer(answer: string): string {
	const text = answer.trim();
	return (FENCED.exec(text)?.[1] ?? text).trim();
}
