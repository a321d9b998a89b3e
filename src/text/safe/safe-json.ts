/** JSON for a terminal or a program: what a terminal would obey or hide is escaped, so it parses to the same value. */
import { replaceHidden } from "./invisible.ts";

/** As JSON.stringify, which escapes C0 and halves of surrogate pairs itself. */
export function safeJson(value: unknown, indent?: string): string {
	return escapeJson(JSON.stringify(value, null, indent));
}

/** For JSON that somebody else has written: there C0 can only stand between two values, where it means nothing. */
export function escapeJson(json: string): string {
	const visible = UNSAFE.test(json) ? json.replace(BETWEEN_VALUES, " ").replace(OBEYED, escaped) : json;
	return replaceHidden(visible, escaped);
}

const UNSAFE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/;
const BETWEEN_VALUES = /[\0-\x08\x0b-\x1f]/g;
const OBEYED = /[\x7f-\x9f\u2028\u2029]/g;

function escaped(characters: string): string {
	return characters
		.split("")
		.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
		.join("");
}
