/** A path as a model is told it. Its name may be a stranger's: nothing in it begins a line, or is not seen. Pure. */

const ODD = /[\0-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
const ESCAPED = new RegExp(`${ODD.source}|[\\\\']`, "g");

/** As it is, or as bash reads it where it has such characters: `$'/tmp/a\u000ab'`. */
export function promptPath(path: string): string {
	return ODD.test(path) ? `$'${path.replace(ESCAPED, escaped)}'` : path;
}

function escaped(character: string): string {
	if (character === "\\" || character === "'") return `\\${character}`;
	return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
