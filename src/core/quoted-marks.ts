/**
 * Texts of the supervisor that tell a model who speaks begin with marks in brackets. A text of anybody else that has one, or what looks like one
 * (other letters, other brackets, with characters between that nothing shows), has it quoted. Pure.
 */

const BRACKETS =
	/[[\u2045\u207d\u208d\u23a1\u2768-\u2775\u27e6\u298b\u298d\u298f\u2997\u3010\u3014\u3016\u3018\u301a\ufe47\ufe5d\uff3b]/g;
const SPACE = /[\t-\r\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
/** Nothing shows them by themselves. Compiled at first use: properties of characters are large. */
let unseen: RegExp | undefined;

/** `marks`: each with its bracket before it. */
export function quotedMarks(text: string, marks: readonly string[]): string {
	const begins = marks.map((mark) => mark.slice(1, TELLING).trim().toLowerCase());
	return text.replace(BRACKETS, (bracket, at: number) =>
		isMark(text.slice(at + 1), begins) ? `> ${bracket}` : bracket,
	);
}

/** So many characters of a mark are enough to look like it. */
const TELLING = 15;

function isMark(words: string, begins: readonly string[]): boolean {
	unseen ??= compileUnseen();
	let left = begins;
	let at = 0;
	let isSpace = true;
	for (const character of words) {
		const wasSpace: boolean = isSpace;
		isSpace = SPACE.test(character);
		if (isSpace ? wasSpace : unseen.test(character)) {
			isSpace = wasSpace;
			continue;
		}
		for (const one of isSpace ? " " : character.normalize("NFKC").toLowerCase()) {
			left = left.filter((begin) => looksLike(one, begin.charAt(at)));
			at += 1;
			if (left.some((begin) => begin.length === at)) return true;
		}
		if (left.length === 0) return false;
	}
	return false;
}

function compileUnseen(): RegExp {
	const properties = ["Cc", "Cf", "M", "Default_Ignorable_Code_Point"].map((name) => `\\p{${name}}`);
	return new RegExp(`[${properties.join("")}]`, "u");
}

/** A letter of another script may look like any letter. */
function looksLike(one: string, letter: string): boolean {
	return one === letter || (one > "\x7f" && /[a-z]/.test(letter));
}
