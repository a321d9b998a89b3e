/** The beginning and the end of a long text. Pure. */

export interface EndsRoom {
	/** The most lines of each end. */
	readonly lines: number;
	/** The most characters of each end. */
	readonly chars: number;
}

export interface Ends {
	readonly head: string;
	readonly tail: string;
	/** How many whole lines are left out between them; 0 within one long line. */
	readonly lines: number;
	readonly chars: number;
}

const LEAST_LINES = 3; // to leave out fewer, and not many characters, is not worth the line that says so
const LEAST_CHARS = 400;

/** Undefined for a text that is short enough to be shown whole. */
export function endsOf(text: string, room: EndsRoom): Ends | undefined {
	const headEnd = firstChars(text.slice(0, endOfLine(text, room.lines)), room.chars).length;
	const below = text.slice(headEnd);
	const tail = lastChars(below.slice(startOfLine(below, room.lines)), room.chars);
	const left = below.slice(0, below.length - tail.length);
	const ends = left.split("\n").length - 1;
	if (ends <= LEAST_LINES && left.length < LEAST_CHARS) return undefined;
	const lines = Math.max(0, ends - 1);
	return { head: text.slice(0, headEnd), tail: tail.replace(/^\n/, ""), lines, chars: left.length };
}

/** Where the `line`th line ends; the end of the text when it has fewer. */
function endOfLine(text: string, line: number): number {
	let at = -1;
	for (let n = 0; n < line; n++) {
		at = text.indexOf("\n", at + 1);
		if (at < 0) return text.length;
	}
	return at;
}

/** Where the `line`th line from the end begins; 0 when it has fewer. */
function startOfLine(text: string, line: number): number {
	let at = text.length;
	for (let n = 0; n < line; n++) {
		at = at === 0 ? -1 : text.lastIndexOf("\n", at - 1);
		if (at < 0) return 0;
	}
	return at + 1;
}

const NEAR = 0.2; // a cut moves to a line end within this part of the text

/** The beginning of a text, at most `most` UTF-16 units: up to a near line end, never half a surrogate pair. */
export function firstChars(text: string, most: number): string {
	if (text.length <= most) return text;
	const end = isLowSurrogate(text, most) ? most - 1 : most;
	const lineEnd = text.lastIndexOf("\n", end - 1);
	return text.slice(0, lineEnd > end * (1 - NEAR) ? lineEnd : end);
}

/** The end of a text, by the same rules. */
export function lastChars(text: string, most: number): string {
	if (text.length <= most) return text;
	const cut = text.length - most;
	const from = isLowSurrogate(text, cut) ? cut + 1 : cut;
	const lineEnd = text.indexOf("\n", from);
	return text.slice(lineEnd >= 0 && lineEnd - from < most * NEAR && lineEnd + 1 < text.length ? lineEnd + 1 : from);
}

function isLowSurrogate(text: string, at: number): boolean {
	const unit = text.charCodeAt(at);
	return unit >= 0xdc00 && unit <= 0xdfff;
}
