/** What braces that are not quoted make of a word: `{git,push}` is two. Pure. */
import { ANY } from "./pattern.ts";

/** They stand for the characters where these were not quoted. No character of Unicode is one of them. */
const [OPEN, COMMA, CLOSE] = ["\ufdd0", "\ufdd1", "\ufdd2"];
const MARKS: Readonly<Record<string, string>> = { "{": OPEN, ",": COMMA, "}": CLOSE };
const PLAIN: Readonly<Record<string, string>> = { [OPEN]: "{", [COMMA]: ",", [CLOSE]: "}" };
const MAX_WORDS = 64;
const MAX_OPENED = 100;

/** The character as one that was not quoted. */
export function bareChar(char: string): string {
	return MARKS[char] ?? char;
}

/** The text without marks. */
export function withoutMarks(text: string): string {
	return text.replace(/[\ufdd0-\ufdd2]/g, (mark) => PLAIN[mark] ?? mark);
}

/** The words that bash makes of it, without empty ones; one with `ANY` where it makes many, or counts: `{1..9}`. */
export function expandBraces(text: string): readonly string[] {
	const opened = text.split(OPEN).length - 1;
	if (opened === 0) return [withoutMarks(text)];
	if (opened > MAX_OPENED) return [ANY];
	const words = expand(text).filter((word) => word !== "");
	return words.length > MAX_WORDS
		? [ANY]
		: words.map((word) => withoutMarks(word).replace(/\{[^{}\s]+\}/g, (braced) => (counts(braced) ? ANY : braced)));
}

/** `{1..9}`, `{a..f..2}`. */
function counts(braced: string): boolean {
	const dots = braced.indexOf("..", 2);
	return dots > 0 && dots < braced.length - "..}".length;
}

function expand(text: string): string[] {
	for (let start = text.indexOf(OPEN); start >= 0; start = text.indexOf(OPEN, start + 1)) {
		const found = alternatives(text, start);
		if (found === undefined) continue;
		const heads = found.pieces.flatMap(expand).slice(0, MAX_WORDS + 1);
		const tails = expand(text.slice(found.end)).slice(0, MAX_WORDS + 1);
		const before = text.slice(0, start);
		return heads.flatMap((head) => tails.map((tail) => before + head + tail)).slice(0, MAX_WORDS + 1);
	}
	return [text];
}

/** Those between the brace that opens at `start` and the one that closes it; undefined where there are not two. */
function alternatives(text: string, start: number): { pieces: string[]; end: number } | undefined {
	const pieces: string[] = [];
	let from = start + 1;
	for (let depth = 0, at = start; at < text.length; at++) {
		const char = text[at];
		if (char === OPEN) depth += 1;
		if (char === CLOSE) depth -= 1;
		const isOver = char === CLOSE && depth === 0;
		if (isOver || (char === COMMA && depth === 1)) {
			pieces.push(text.slice(from, at));
			from = at + 1;
		}
		if (isOver) return pieces.length > 1 ? { pieces, end: from } : undefined;
	}
	return undefined;
}
