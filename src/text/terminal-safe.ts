/** Text of agents made safe for a terminal. Whatever an agent wrote goes through `stripControl` before it is printed. */

/**
 * Removes all that a terminal obeys: escape sequences (whole, cut off or unterminated), C0 but for \n and \t, C1, and the
 * marks that reverse the direction of text. A lone \r becomes \n, so that nothing can be hidden by overwriting.
 */
export function stripControl(text: string): string {
	return text.replace(CONTROL, (match) => (match.startsWith("\r") ? "\n" : ""));
}

const CONTROL = new RegExp(
	[
		"\\r\\n?",
		// OSC, DCS, SOS, PM, APC: up to their end, or to the end of the line when they have none.
		"(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c\\r\\n]*(?:\\u0007|\\u001b\\\\|\\u009c)?",
		"(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?",
		"\\u001b[ -/]*[0-~]?",
		"[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u202a-\\u202e\\u2066-\\u2069]",
	].join("|"),
	"g",
);

/** The text in one line: without control characters, and with each run of white space as one space. */
export function oneLine(text: string): string {
	return stripControl(text).replace(/\s+/g, " ").trim();
}

/** The first line that is not blank, as one line. */
export function firstLine(text: string): string {
	return oneLine(/\S[^\n\r]*/.exec(stripControl(text))?.[0] ?? "");
}

/**
 * As stripControl, for a screen of cells: joiners and variation selectors are dropped, too, since terminals do not
 * agree on the width of what they join.
 */
export function cleanText(text: string): string {
	return stripControl(text).replace(/[\u200d\ufe0e\ufe0f]/g, "");
}
