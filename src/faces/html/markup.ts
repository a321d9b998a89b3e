/**
 * HTML in which no text can become markup: a template's own words are the only markup there is, and each value in it is
 * redacted, made visible and escaped, unless a template made it. Attributes have to stand in double quotes.
 */

import { firstChars, lastChars } from "../../text/ends.ts";
import { visibleText } from "../../text/safe/invisible.ts";
import { redactKnown } from "../../text/safe/redact.ts";

/** Markup of our own: what `html` has made, or a constant. Never made of a text from elsewhere. */
export class Markup {
	readonly text: string;

	constructor(text: string) {
		this.text = text;
	}
}

/** Undefined: nothing. */
type Value = string | number | Markup | undefined | readonly Value[];

export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
	return new Markup(strings.map((own, at) => (at === 0 ? own : written(values[at - 1]) + own)).join(""));
}

function written(value: Value): string {
	if (value === undefined) return "";
	if (value instanceof Markup) return value.text;
	if (typeof value === "object") return value.map(written).join("");
	return visibleText(redactKnown(String(value))).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Long texts as their beginning and their end, so that a browser can open the page of a large run. */

const HEAD_CHARS = 4_000;
const TAIL_CHARS = 2_000;
const SOME_CHARS = 500; // to leave out less than that is not worth a line
const WHOLE_BYTES = 32 * 1024 * 1024;
const LEAST_SHARE = 0.05;

/** The room of each text on the page of a run whose transcripts have so many bytes: 1 is the usual one. */
export function roomFor(transcriptBytes: number): number {
	return Math.max(LEAST_SHARE, Math.min(1, WHOLE_BYTES / transcriptBytes));
}

/** `room`: so many times the usual one. */
export function cutText(text: string, room = 1): Markup {
	const safe = redactKnown(text); // before the cut: a part of a secret is one, too
	const [head, tail] = [Math.ceil(HEAD_CHARS * room), Math.ceil(TAIL_CHARS * room)];
	if (safe.length <= head + tail + SOME_CHARS) return html`${safe}`;
	const [first, last] = [firstChars(safe, head), lastChars(safe, tail)];
	const left = safe.length - first.length - last.length;
	return html`${first}\n<i class="cut">… ${left} of ${safe.length} characters omitted …</i>\n${last}`;
}
