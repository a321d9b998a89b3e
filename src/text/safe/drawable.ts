/**
 * Text of which a terminal draws exactly as many columns as `displayWidth` counts. What terminals disagree about is replaced,
 * so that no row of a screen is longer or shorter than it should be.
 */
import { agreedWidth, droppedCharacters } from "../width/width.ts";

/** Stands for what cannot be drawn safely. One column. */
export const REPLACEMENT = "\ufffd";

/**
 * Line feeds and tabs stay. Letters and marks are composed where they can be, flags become the letters of their country,
 * what changes the look of an emoji is dropped, and what is left without an agreed width becomes the replacement.
 */
export function drawableText(text: string): string {
	if (!BEYOND_PLAIN.test(text)) return text;
	doubtful ??= compileDoubtful();
	return withoutDoubtful(text.replace(doubtful.flags, letterOf).replace(doubtful.joining, "").normalize("NFC"));
}

/** Piece by piece: character by character takes twenty times as long. */
function withoutDoubtful(text: string): string {
	let drawable = "";
	let taken = 0;
	for (let at = 0; at < text.length; ) {
		const code = text.codePointAt(at) ?? 0;
		const next = at + (code > 0xffff ? 2 : 1);
		if (!isDrawable(code)) {
			drawable += text.slice(taken, at) + REPLACEMENT;
			taken = next;
		}
		at = next;
	}
	return drawable + text.slice(taken);
}

/** Letters with accents, dashes, arrows, mathematics, lines and blocks are all one column wide. */
const BEYOND_PLAIN = /[^\n\t -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u22ff\u2500-\u25fc]/;

function isDrawable(code: number): boolean {
	return code === LINE_FEED || code === TAB || agreedWidth(code) !== undefined;
}

const LINE_FEED = 10;
const TAB = 9;

/** Compiled at first use, and no literal with properties: V8 reads those with the file. */
let doubtful: { flags: RegExp; joining: RegExp } | undefined;

/** Terminals that know the dropped characters draw one picture, others several. */
function compileDoubtful() {
	return { flags: /[\u{1f1e6}-\u{1f1ff}]/gu, joining: new RegExp(droppedCharacters(), "gu") };
}

const REGIONAL_A = 0x1f1e6;

function letterOf(regional: string): string {
	return String.fromCharCode("A".charCodeAt(0) + (regional.codePointAt(0) ?? 0) - REGIONAL_A);
}
