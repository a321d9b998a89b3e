/** What a person calls a run. Pure. */

/** A longer one is no name. */
export const MAX_NAME_CHARS = 100;

/** In one line, without blanks at its ends; undefined for one that is too long. */
export function runName(text: string): string | undefined {
	const name = text
		.replace(/[\s\0-\x1f\x7f-\x9f]+/g, " ")
		.trim()
		.toWellFormed();
	return name.length > MAX_NAME_CHARS ? undefined : name;
}
