/** Long texts as their beginning and their end, so that a browser can open the page of a large run. */
import { firstChars, lastChars } from "../../text/ends.ts";
import { redactKnown } from "../../text/safe/redact.ts";
import { html, type Markup } from "./markup.ts";

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
