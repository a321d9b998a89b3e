/**
 * Text of agents, services and files made safe for a terminal. All that is printed goes through here, where it is printed
 * and where lines are made of it. The work is proportional to the length of the text, even on hostile input.
 */
import { drawableText } from "./drawable.ts";
import { withoutHidden } from "./invisible.ts";

/**
 * Removes all that a terminal obeys, and what it does not show: escape sequences (whole, cut off or unterminated), C0 but
 * for \n and \t, C1, marks that reverse the direction of text, and characters without a look of their own, except where
 * they join an emoji or letters. A lone \r becomes \n, so that nothing can be hidden by overwriting. `kept`: sequences of
 * our own, for text that has been put together already.
 */
export function stripControl(text: string, kept?: ReadonlySet<string>): string {
	const shown = CONTROL.test(text) ? withoutSequences(text.replace(LINE_ENDS, "\n"), kept) : text;
	return withoutHidden(shown);
}

function withoutSequences(text: string, kept: ReadonlySet<string> | undefined): string {
	if (kept === undefined) return text.replace(SEQUENCES, "");
	return text.replace(SEQUENCES, (sequence) => (kept.has(sequence) ? sequence : ""));
}

const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/;
const LINE_ENDS = /\r\n?|[\u2028\u2029]/g;
/** What a terminal obeys, as the source of an expression. */
export const SEQUENCE = [
	// OSC, DCS, SOS, PM, APC: up to their end, or to the end of the line when they have none.
	"(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c\\n]*(?:\\u0007|\\u001b\\\\|\\u009c)?",
	"(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?",
	"\\u001b[ -/]*[0-~]?",
	"[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]",
].join("|");
const SEQUENCES = new RegExp(SEQUENCE, "g");

/** The text without line ends; its columns stay. */
export function inOneLine(text: string): string {
	return stripControl(text).replace(/\n+/g, " ");
}

/** The text in one line: without control characters, and with each run of white space as one space. */
export function oneLine(text: string): string {
	return stripControl(text).replace(/\s+/g, " ").trim();
}

/** The first line that is not blank, as one line. */
export function firstLine(text: string): string {
	return oneLine(/\S[^\n]*/.exec(stripControl(text))?.[0] ?? "");
}

/** As stripControl, for a screen of cells: each character has the width that is counted for it. */
export function cleanText(text: string): string {
	return drawableText(stripControl(text));
}

/** Makes bytes that come in chunks safe for a terminal. No sequence goes over the end of a line, so whole lines are cleaned. */
export class StreamCleaner {
	private readonly utf8 = new TextDecoder();
	private held = "";

	/** The safe text of the lines that have ended. */
	push(chunk: Uint8Array): string {
		return this.take(this.utf8.decode(chunk, { stream: true }));
	}

	/** The safe text of what has not ended. */
	end(): string {
		const rest = this.held + this.utf8.decode();
		this.held = "";
		return stripControl(rest);
	}

	private take(text: string): string {
		const begun = this.held + text;
		const end = begun.length > MOST_HELD ? begun.length : begun.lastIndexOf("\n") + 1;
		this.held = begun.slice(end);
		return stripControl(begun.slice(0, end));
	}
}

const MOST_HELD = 1024 * 1024; // characters of a line that does not end; beyond, a sequence that is parted leaves its letters
