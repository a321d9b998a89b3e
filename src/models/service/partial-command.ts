const KEPT_CHARS = 100; // more than a field's name with its white space, and than an escape that is not whole

/**
 * Gives a reader of the `command` of a bash call whose JSON is still being written. Called with each piece of the JSON, the
 * reader returns the text that the piece adds to the command. An escape or a surrogate pair that is not whole yet waits
 * for the next piece. What is kept between two pieces is short, so that the work is proportional to the JSON.
 */
export function partialCommandReader(): (piece: string) => string {
	let unread = "";
	let is: "before" | "inside" | "after" = "before";
	return (piece) => {
		if (is === "after") return "";
		unread += piece;
		if (is === "before") {
			const start = /"command"\s*:\s*"/.exec(unread); // quotes inside another field's text are escaped, so they do not match
			if (start === null) {
				unread = unread.slice(-KEPT_CHARS);
				return "";
			}
			unread = unread.slice(start.index + start[0].length);
			is = "inside";
		}
		const { raw, isClosed } = wholePart(unread);
		unread = unread.slice(raw.length);
		if (isClosed || unread.length > KEPT_CHARS) is = "after";
		return decode(raw);
	};
}

const STEP = /[^"\\]+|\\u[dD][89abAB]..\\u....|\\u(?![dD][89abAB])....|\\[^u]/suy;

/**
 * The beginning of a JSON string's inside that can be decoded on its own. It is found in steps: one regular expression over
 * megabytes overflows its stack.
 */
function wholePart(text: string): { raw: string; isClosed: boolean } {
	let end = 0;
	for (STEP.lastIndex = 0; STEP.test(text); ) end = STEP.lastIndex;
	const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
	return { raw: text.slice(0, isHalf ? end - 1 : end), isClosed: text.charAt(end) === '"' };
}

function decode(raw: string): string {
	try {
		return JSON.parse(`"${raw}"`) as string;
	} catch {
		return ""; // broken JSON: the call will not be run, so there is nothing to show
	}
}
