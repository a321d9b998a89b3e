/** Where characters and words begin and end, as a person sees them. Offsets are in UTF-16 units. Pure. */

/** A letter with its marks, an emoji with what joins it: longer ones are taken apart. The segmenter is slow, so it sees no more. */
const LONGEST = 128;

let segmenter: Intl.Segmenter | undefined;

function characterAt(text: string, at: number): { index: number; segment: string } | undefined {
	segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
	return segmenter.segment(text).containing(at);
}

/** Where the character at `at` ends. */
export function nextCharacter(text: string, at: number): number {
	if (at >= text.length) return text.length;
	if (isAlone(text, at) && isAlone(text, at + 1)) return at + 1;
	const end = at + (characterAt(text.slice(at, at + LONGEST), 0)?.segment.length ?? 1);
	return isWithinPair(text, end) ? end + 1 : end;
}

/** Where the character before `at` begins. */
export function previousCharacter(text: string, at: number): number {
	if (at <= 1) return 0;
	if (isAlone(text, at - 1) && isAlone(text, at - 2)) return at - 1;
	const from = Math.max(0, at - LONGEST);
	const begin = isWithinPair(text, from) ? from - 1 : from;
	const before = text.slice(begin, at);
	return begin + (characterAt(before, before.length - 1)?.index ?? 0);
}

/** ASCII joins nothing, and is joined by nothing. */
function isAlone(text: string, at: number): boolean {
	return at >= text.length || text.charCodeAt(at) < 0x80;
}

function isWithinPair(text: string, at: number): boolean {
	return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));
}

/** As readline's Alt-F: behind the end of the word at `at`, or of the next one. */
export function wordEnd(text: string, at: number): number {
	return pastAll(
		text,
		pastAll(text, at, (one) => !isOfWord(one)),
		isOfWord,
	);
}

/** As readline's Alt-B: the begin of the word before `at`. */
export function wordStart(text: string, at: number): number {
	return backOverAll(
		text,
		backOverAll(text, at, (one) => !isOfWord(one)),
		isOfWord,
	);
}

/** As readline's Ctrl-W: words are parted by white space. */
export function blankedWordStart(text: string, at: number): number {
	return backOverAll(text, backOverAll(text, at, isBlank), (one) => !isBlank(one));
}

export function lineStart(text: string, at: number): number {
	return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

export function lineEnd(text: string, at: number): number {
	const end = text.indexOf("\n", at);
	return end < 0 ? text.length : end;
}

const OF_WORD = /[\p{L}\p{N}\p{M}_]/u;

function isOfWord(character: string): boolean {
	return OF_WORD.test(character);
}

function isBlank(character: string): boolean {
	return /^\s/.test(character);
}

/** By code points: a mark is of the word that its letter is of. */
function pastAll(text: string, from: number, is: (character: string) => boolean): number {
	let at = from;
	while (at < text.length) {
		const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
		if (!is(character)) break;
		at += character.length;
	}
	return at;
}

function backOverAll(text: string, from: number, is: (character: string) => boolean): number {
	let at = from;
	while (at > 0) {
		const begin = isWithinPair(text, at - 1) ? at - 2 : at - 1;
		if (!is(text.slice(begin, at))) break;
		at = begin;
	}
	return at;
}
