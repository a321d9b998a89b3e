/**
 * Reads the `command` of a bash call while the call's JSON is still being written. Give it each piece of the JSON; it
 * returns the text that this piece adds. Nothing is guessed: an escape or a surrogate pair that is not whole yet waits.
 */
export function partialCommandReader(): (piece: string) => string {
	let unread = "";
	let is: "before" | "inside" | "after" = "before";
	return (piece) => {
		if (is === "after") return "";
		unread += piece;
		if (is === "before") {
			const start = /"command"\s*:\s*"/.exec(unread); // quotes inside another field's text are escaped, so they do not match
			if (start === null) return "";
			unread = unread.slice(start.index + start[0].length);
			is = "inside";
		}
		const { raw, isClosed } = wholePart(unread);
		unread = unread.slice(raw.length);
		if (isClosed) is = "after";
		return decode(raw);
	};
}

/** The front of a JSON string's inside that can be decoded on its own. */
function wholePart(text: string): { raw: string; isClosed: boolean } {
	const whole = /^(?:[^"\\]|\\u[dD][89abAB]..\\u....|\\u(?![dD][89abAB])....|\\[^u])*/su.exec(text)?.[0] ?? "";
	if (/[\uD800-\uDBFF]$/.test(whole)) return { raw: whole.slice(0, -1), isClosed: false };
	return { raw: whole, isClosed: text.charAt(whole.length) === '"' };
}

function decode(raw: string): string {
	try {
		return JSON.parse(`"${raw}"`) as string;
	} catch {
		return ""; // broken JSON: the call will not be run, so there is nothing to show
	}
}
