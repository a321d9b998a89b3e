/** How many columns of a terminal a text takes, and text that takes a given number of them. */

/** Columns that one line takes: wide characters 2, marks that join the one before them 0. Exact for text of drawableText. */
export function displayWidth(text: string): number {
	if (PLAIN.test(text)) return text.length;
	let width = 0;
	for (const character of text) width += widthOf(character);
	return width;
}

/** The displayWidth of one character, without a search for nearly all of them. */
export function characterWidth(character: string): number {
	return character < "\u0300" ? 1 : displayWidth(character);
}

/** Cut to at most `columns`, the last of them `…` when something was cut. */
export function fitWidth(text: string, columns: number): string {
	if (displayWidth(text) <= columns) return text;
	if (columns <= 0) return "";
	let kept = "";
	let width = 0;
	for (const character of text) {
		width += widthOf(character);
		if (width > columns - 1) break;
		kept += character;
	}
	return `${kept.replace(/[\u200d…]+$/, "")}…`;
}

/** Exactly `columns` wide: cut, or filled with spaces behind (before, when `toRight`). */
export function padWidth(text: string, columns: number, toRight = false): string {
	const fitted = fitWidth(text, columns);
	const spaces = " ".repeat(Math.max(0, columns - displayWidth(fitted)));
	return toRight ? spaces + fitted : fitted + spaces;
}

/** Cut at its beginning: the end of a path tells more. */
export function fitEnd(path: string, columns: number): string {
	return displayWidth(path) <= columns ? path : `…${endWithin(path, columns - 1).replace(/^…+/, "")}`;
}

/**
 * The text in at most `columns`, cut behind a word with `…`; a path that is too long loses its beginning: `…/parser/expr.ts`.
 * A single long word is cut where the room ends.
 */
export function fitWords(text: string, columns: number): string {
	if (displayWidth(text) <= columns) return text;
	const cut = fitWidth(text, columns);
	const blank = cut.lastIndexOf(" ");
	if (blank > cut.length / 3) return `${cut.slice(0, blank).replace(/[\s,:;.…]+$/, "")}…`;
	if (!text.includes("/") || text.includes(" ")) return cut;
	const end = endWithin(text, columns - 1);
	const slash = end.indexOf("/");
	return slash < 0 || slash === end.length - 1 ? `…${end}` : `…${end.slice(slash)}`;
}

function endWithin(text: string, columns: number): string {
	const characters = [...text];
	let width = 0;
	let from = characters.length;
	while (from > 0) {
		width += characterWidth(characters[from - 1] ?? "");
		if (width > columns) break;
		from--;
	}
	return characters.slice(from).join("");
}

const PLAIN = /^[ -~]*$/;
/**
 * What drawableText drops, and what terminals do not show, as the source of an expression: fillers, joiners, variation selectors, tags,
 * skin tones, keycaps. No literal with properties of characters: V8 reads those with the file.
 */
export function droppedCharacters(): string {
	const ignored = ["Default_Ignorable_Code_Point", "Emoji_Modifier"];
	return `[${ignored.map((property) => `\\p{${property}}`).join("")}\ufff9-\ufffb]|\u20e3`;
}

let dropped: RegExp | undefined;

/** A character without an agreed width is counted as what drawableText puts in its place. */
function widthOf(character: string): number {
	const code = character.codePointAt(0) ?? 0;
	if (code < 0x300) return 1;
	dropped ??= new RegExp(`^(?:${droppedCharacters()})$`, "u");
	return agreedWidth(code) ?? (dropped.test(character) ? 0 : 1);
}

/**
 * Of which characters terminals agree how wide they are: what wcwidth of glibc 2.36, of Python's wcwidth (Unicode 17), of
 * xterm.js (Unicode 11) and of ICU 15 say alike. Left out is also what may join the character before it or behind it:
 * regional indicators, skin tones, the keycap, variation selectors. A test holds this table against theirs.
 * 0 for a mark that joins the character before it. Undefined: terminals do not agree, or the code point means no character.
 */
export function agreedWidth(code: number): 0 | 1 | 2 | undefined {
	table ??= decodeTable();
	const kind = table[code] ?? 0;
	return kind === 0 ? undefined : ((kind - 1) as 0 | 1 | 2);
}

/** Decoded at first use: most processes never meet a character beyond Latin. */
let table: Uint8Array | undefined;

const CODE_POINTS = 0x31400; // beyond them no character is in the table

function decodeTable(): Uint8Array {
	const kinds = new Uint8Array(CODE_POINTS);
	for (const [width, ranges] of RANGES.entries()) {
		let at = 0;
		for (const range of ranges.split(" ")) {
			const [ahead = 0, more = 0] = range.split("-").map((number) => Number.parseInt(number, 36));
			kinds.fill(width + 1, at + ahead, at + ahead + more + 1);
			at += ahead + more;
		}
	}
	return kinds;
}

/** By width: ranges of code points, in base 36. Each is how far its first is behind the last before it, then how many more. */
const RANGES: readonly string[] = [
	"lc-26 2-v 7o-6 7c-18 2 2-1 2-1 2 21-a 1d-k h 2u-6 3-5 3-1 2-3 10 v-q 2k-a 1n-8 a p-3 2-8 2-2 2-4 18-2 3c-e " +
		"2-v 1k 2 5-7 5 4-6 b-1 u 1n 5-3 9 l-1 r 3-1 1m 5-1 5-1 3-2 4 v-1 4 c-1 1m 5-4 2-1 5 l-1 n-5 2 1n 3 2-3 9 9 " +
		"c-1 v 1q d 1f 4 1m-2 6-2 2-3 8-1 c-1 u 1n 3 7 6-1 l-1 t-1 1m-1 5-3 9 l-1 2v 8-2 2 2j 3-6 d-7 2r 3-8 c-5 23-1 " +
		"s 2 2 1k-d 2-4 2-1 6-a 2-z a 2v-3 2-5 2-1 3-1 q-1 5-2 h-3 e 3-1 7 g jk-2 qb-2 u-1 v-1 v-1 1w-6 9 3-a a 4o-1 " +
		"z 3b-2 5-1 a 7-2 64-1 3 1n 2-6 2 2 3-7 7-9 3 1d-e 1u-3 1d 2-4 2 6 15-8 d-1 x-3 3-1 2-2 1l 2-1 4 2-2 1n-7 3-1 " +
		"49-2 2-c 2-6 5 7 4-1 5j-1l 2-4 k1-i 2-c 2db-2 3y 2p-v nsg-3 2-9 x-1 29-1 7l 4 5 q-1 4e-1 r-h e 13-7 q-a 1b-2 " +
		"1d 3-3 3-1 14 1w-5 3-1 3-1 d 9 1c 1g 2-2 3-1 6-1 2 17-1 9 6n 3 5 fn5 le-f r2 6b 46-4 1af-2 2-1 6-3 15-2 5 " +
		"4m-1 fy-3 f3-a 4x 1j-e 1l-2 1e-3 3-1 1y-2 11-4 2-7 1r d-1 1h-8 b-3 2r-2 3 2-1 7 4h 4-7 m-1 1m-1 4 12-6 4-4 " +
		"5g-7 3-2 2 o 2d-5 2 5-1 2-1 6n-3 7-1 2-1 s-1 2e-7 3 2-1 2z 2 3-5 2 2u 2 3-3 2-4 78-8 2-1 be-3 3-1 5 x-9 15-5 " +
		"3-3 9 a-5 3-2 1b-c 2-1 bb-6 2-5 2 2b-l 3-6 2-1 2-1 3f-5 4 2-1 2-6 2 21-1 4 2 9o-1 f0c-4 1o-6 t5 1s-3 f7v-1 " +
		"43t-2 i-7 3-6 v-3 45-2 1j0-1i 5-1d 9 f n-4 2-e 11t-6 2-g 3-6 2-1 2-4 7a-6 c6-3 15t-6 32-6",
	"w-2m y-c 2-gh 35-7 3-5 5-6 2 2-j 2-67 8-4l 2-11 3-1d 3-2 1b 2 3 3 a-q 5-5 i-9 c 2-19 m-f 2-2s 9 7-1 3 5-v 3 " +
		"2-t u-2g c f-16 a-6 4-n 5 a 4 8-e 2-o 6 2-a 6-u i-15 1n-1h 4 j 8-9 3-s 5-7 3-1 3-l 2-6 2 4-3 4 h e-1 2-2 5-n " +
		"8-5 5-1 3-l 2-6 2-1 2-1 2-1 w-3 2 8-9 3-2 2 f-8 2-2 2-l 2-6 2-1 2-4 4 j g-1 5-b 8 c-7 3-1 3-l 2-6 2-1 2-4 4 " +
		"v-1 2-2 5-h c 2-5 4-2 2-3 4-1 2 2-1 4-1 4-2 4-b n m-k b-7 2-2 2-m 2-f 4 r-2 3 3-1 5-9 8-9 4-8 2-2 2-m 2-9 " +
		"2-4 4 w-1 2-1 5-9 2-1 i-8 2-2 2-14 3 h-1 5-2 2-9 5-p 6-h 4-n 2-8 2 3-6 w-9 5 d-1b 2-1 c-7 9-c 12-1 2 2-4 2-n " +
		"2 2-9 2-1 a 3-4 2 a-9 3-3 x-n 3-q 2 2 2-3 3-7 2-z p 3-4 1e-7 2-5 2-c 12-16 l-m 5-3 4 4-1 8-2 5-c d 2-9 5-13 " +
		"2 6 3-1b 75-20 2-3 3-6 2 2-3 3-14 2-3 3-w 2-3 3-6 2 2-3 3-e 2-1k 2-3 3-1u 6-s 4-p 7-2d 3-5 3-ik 4-2g 8-h e-i " +
		"4-1 a-h f-c 2-2 g-1f x-8 4-9 7-9 7-a 6-9 7-2g 8-4 3-x 2 6-1x b-u y 4-15 3-4 c-17 5-p 7-a 4-1k 8-1i 18-9 7-9 " +
		"7-d 2g-1a i-7 4-q a-a 5-t e-1j n-13 o-e 4-1n 8-16 3-a c m-3 2-5 2-1 4 6-5b 1t-7p 3-5 3-11 3-5 3-7 2 2 2 2-u " +
		"3-1g 2-e 2-d 3-5 2-i 3-2 2-8 2-a 6-n 8-1c h-1 3-q 2-c 4-w 1s-3v 5-ax 3-c 3-59 5-2 2-1 2-1e q-a m-bg 3-k 3-p " +
		"9-f d-16 2-9 7-2 2-c 2-7 3-g 3-4 3-7 2-4 2-k 2-6 3 2-3 2-1 2-6 2-3 3-r 2-y 2 2-3 4 2-1o 4-n 2-d 2-nu 3-1e " +
		"2-3 2-t 3-v 2-9j 4-1 6-18 2 6 3-1j 8-1 g-m a-6 2-6 2-6 2-6 2-6 2-6 2-6 2-6 y-2l de n0x-9n l-1a 5 b-v 3-27 " +
		"3-5 9-5m 6-1 2 2-4 p-f 2-2 2-3 2-m 6-3 5-9 7-1j b-1d r-b p-c 2-11 9-o p 11-1a f-c 2-a 5-6 2-o 2-14 o-2 2-7 " +
		"5-9 3-u 4-1d 2 4-1 3-4 3 2 p-f 6-4 d-5 3-5 3-5 a-6 2-6 2-1n 5-36 9 5-9 flz-6 d-4 6 2-n 2-4 2 2-1 2-1 2-3g " +
		"h-cc 3-1h 8 x-f 35-4 2-3q 2t-1q 2-t 4-5 3-5 3-5 3-2 c-6 e-1 3-b 2-p 2-i 2-1 2-e 3-d z-3e 6-2 5-18 4-2f 2-c 4 " +
		"1c-18 3o-s 4-1c h-q 5-z a-t 6-11 b-t 2-10 5-d 17-4d 3-9 7-z 5-z 5-13 9-1f c-b 2-e 2-6 2-1 2-a 2-e 2-6 2-1 " +
		"1w-8m a-l b-7 p-5 2-15 2-8 1y-5 3 2-17 2-1 4 3-m 2-1z 9-8 1d-i 2-1 6-w 4-q 6 1t-1j 5-j 3-1a g-3 2-2 2-s b-8 " +
		"8-8 8-1r x-10 7-b a-1h 4-s 3-q 6-p 8-3 d-6 29-20 1k-1e e-1e 8-15 d-9 87-u 2-15 4 3-1 27-13 9-l c-8 n-h 5-3 " +
		"13-r l-m d-1g g-6 5-t 2-1 3 e-18 c-1 2-3 f-o 8-9 a-z g-e 3 9-y 2-2 d-1b f-7 5 3-f 2-j c-h 2-o d-5 1v-6 2 2-3 " +
		"2-e 2-a 7-1a i-9 c-7 3-1 3-l 2-6 2-1 2-4 4 j d-4 4f-1g j-k 2 2-2 v-1b l-3 9-9 4n-1a j-q 11-1b i-3 c-9 7-c " +
		"k-16 e-1 7-9 1j-q m-m 56-17 g 2t-2a d-7 3 3-7 2-1 2-n g 2 3-2 a-9 1z-7 3-12 h-2 t b-13 8 5-7 a c-19 h-8 e-20 " +
		"7c-8 2-10 i-5 b-s 4-v 35-6 2-1 2-11 m a-9 7-5 2-1 2-v f 8-9 8n-i 5-1 54 g-1d e-pm 2v-32 2-4 c-5f 219-2q e-tq " +
		"34i-g6 6nu-fs 8-u 2-9 5-28 2-9 7-t 8 b-1b 8-e b-9 2-6 2-k 6-i j5-2i 2u-22 6 1v-c f35-2y 6-c 4-8 8-9 3 3 " +
		"3ox-37 1p-6t b-12 3-1g d-2 n-1 8-t 5-c 7-15 m-1t 4 4b-j 3o-1 3s-2c 2-1y 2-1 3 3-1 3-3 2-b 2 2-6 2-1s 2-3 3-7 " +
		"2-6 2-r 2-3 2-4 2 4-6 2-9f 3-83 3-fl 1k-3 1f-7 2-d 2-6 vp-u de-18 b-6 3-9 5-1 8x-t j-17 5-9 6 yp-6 2-3 2-1 " +
		"2-e 2-5g 3-8 1d-1v 8 5-9 5-1 lu-1v 25-1o 5f-3 2-q 2-1 2 3 2-9 2-3 2 2 7 5 2 2 2-2 2-1 2 3 2 2 2 2 2-1 2 3-3 " +
		"2-6 2-3 2-3 2 2-9 2-g 6-2 2-4 2-g 1h-1 7j-3 2-12 5-2r d-e 3-e 2-d 3-10 b-3x 2-1 b-i ac-b a 1z n-b 18-3 6-b " +
		"i-2 2-2 20 2 58-1 1s-c 5 p-h 2-p 3-c 2-2d 2e-1b 1z-5 2-2 4-1 c-a 6-3 d-37 d-2g 14-b 5-1j 9-9 7-13 9-t 3-1 " +
		"27-b 6t-2b d-d 43-42 2-1i 12-9",
	"3cw-2m 3i4-1 e-1 5b-3 4 3 ei-1 m-1 1f-b 18 k e 9-1 i-1 6-1 9 6 m 8-1 2 5 3 8 5-1 t 10 2 5-2 2 1q-2 p f nw-1 " +
		"1g 5 mj-p 2-2g d-5x r-b 5-15 7-e 3-2d 5-2s 6-16 2-1e 2-15 2-16 6-z d-1a 2-13 9-5f3 1t-h3g 4-1i wq-s hw-8mb " +
		"6l9-a5 3-2x mv-9 n-y 2-i 2-3 46-2n 3k-6 m4a-3 t-4qf 9-ky 7bi-7y 1e-2 i-3 9-az c21 5n 5b 3-9 2u-2 e-17 5-8 " +
		"8-1 f-5 4b-w d-8 2-1x 2-l d-16 5-4 d-g 4 4-2 6-1q 2 2-56 3-1q e-3 2-n j r-1 e 2f-2c 1d-1x 7 4-2 3 m-1 8-6 " +
		"6e-b 82-19 2-9 2-16 2-3 4-14 3-5 4-s 3-1e 35-3 5-2 6-2 e-5 12j-wyn x-37c 8-65 3-4g1 f-5rk 2e8-f1 15v-3t6",
];
