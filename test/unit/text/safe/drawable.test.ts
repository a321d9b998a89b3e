import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { drawableText, REPLACEMENT } from "../../../../src/text/safe/drawable.ts";
import { cleanText } from "../../../../src/text/safe/terminal-safe.ts";
import { agreedWidth, displayWidth } from "../../../../src/text/width/width.ts";

const MOST = 0x10ffff;
const CODE_POINTS = Array.from({ length: MOST + 1 }, (_, code) => code);
/** All of the planes 0, 1 and 14; of those that hold ideographs, nothing, or what is private, some. */
const TELLING_ONES = CODE_POINTS.filter((code) => code < 0x20000 || code >> 16 === 14 || code % 97 === 0);
const named = (code: number) => `U+${code.toString(16)}`;
const wrongOnes = (isWrong: (code: number, character: string) => boolean, among = CODE_POINTS) =>
	among.filter((code) => isWrong(code, String.fromCodePoint(code))).map(named);

/** What implementations of wcwidth say: by width, ranges of code points as in width-table.ts. */
const TABLES: Record<string, Record<string, string>> = JSON.parse(
	readFileSync(join(import.meta.dirname, "../../../fixtures/wcwidth-tables.json"), "utf8"),
);

function widthsOf(table: Record<string, string>): Int8Array {
	const widths = new Int8Array(MOST + 1).fill(-1);
	for (const [width, ranges] of Object.entries(table)) {
		let at = 0;
		for (const range of ranges.split(" ")) {
			const [ahead = 0, more = 0] = range.split("-").map((number) => Number.parseInt(number, 36));
			widths.fill(Number(width), at + ahead, at + ahead + more + 1);
			at += ahead + more;
		}
	}
	return widths;
}

describe("each code point of Unicode", () => {
	test.each(Object.keys(TABLES))("is kept with the width that it has for %s, or is replaced", (name) => {
		const theirs = widthsOf(TABLES[name] ?? {});
		expect(wrongOnes((code) => (agreedWidth(code) ?? theirs[code]) !== theirs[code])).toEqual([]);
	});

	test("that is kept is a character, and a mark exactly when it has no width", () => {
		const isNone = /^[\p{Cn}\p{Co}\p{Cs}\p{Cc}\p{Cf}\p{Zl}\p{Zp}]$/u;
		const isMark = /^\p{M}$/u;
		const isWrong = (width: number | undefined, character: string) =>
			width !== undefined && (isNone.test(character) || (width === 0) !== isMark.test(character));
		expect(wrongOnes((code, character) => isWrong(agreedWidth(code), character))).toEqual([]);
	});

	test("takes as many columns as are counted for it, before it is cleaned and after", () => {
		const columns = (text: string) =>
			[...text].reduce((sum, one) => sum + (agreedWidth(one.codePointAt(0) ?? 0) ?? 9), 0);
		const isObeyed = /[\0-\x1f\x7f-\x9f\xad\u2028\u2029]/;
		const isWrong = (text: string) => {
			const clean = cleanText(text);
			return columns(clean) !== displayWidth(clean) || displayWidth(text.normalize("NFC")) !== displayWidth(clean);
		};
		expect(wrongOnes((_, character) => !isObeyed.test(character) && isWrong(`a${character}`), TELLING_ONES)).toEqual(
			[],
		);
	});

	test("is the same when it is cleaned once more", () => {
		const isWrong = (text: string) => cleanText(cleanText(text)) !== cleanText(text);
		expect(wrongOnes((_, character) => isWrong(`e${character}\u0301${character}`), TELLING_ONES)).toEqual([]);
	});
});

test.each([
	["plain text and line ends", "a b\n\tc", "a b\n\tc"],
	["what the dashboard draws with", "┏━┓┃┗┛┌─┐│└┘├▸▾●◆○◌✓✗↻→↓↑…▓░═", "┏━┓┃┗┛┌─┐│└┘├▸▾●◆○◌✓✗↻→↓↑…▓░═"],
	["letters of many scripts", "Çà Ωλ Жя שלום عربي ไทย 漢字 かな 한글 𝕏", "Çà Ωλ Жя שלום عربي ไทย 漢字 かな 한글 𝕏"],
	["a letter and its accent", "e\u0301", "\u00e9"],
	["a syllable in parts, as names of files on a Mac", "\u1112\u1161\u11ab", "\ud55c"],
	["vowels of Hangul by themselves", "\u1161\u11ab", "\ufffd\ufffd"],
	["emoji", "😀🚀⌚✅", "😀🚀⌚✅"],
	["emoji of several parts", "👩🏽\u200d🚀❤\ufe0f1\ufe0f\u20e3", "👩🚀❤1"],
	["flags", "🇩🇪 🏴\u{e0067}\u{e0062}\u{e007f}", "DE 🏴"],
	["an emoji that only new terminals know", "\u{1fae0}", "\ufffd"],
	["private use, as in fonts with icons", "\ue0b0\u{f0001}", "\ufffd\ufffd"],
	["what is no character", "\u0378\ud800\uffff\u{1ffff}", "\ufffd\ufffd\ufffd\ufffd"],
	["signs around numbers", "\u0600\u06dd", "\ufffd\ufffd"],
	["marks with a width of their own", "\u0939\u093f", "\u0939\ufffd"],
])("%s", (_, text, drawn) => {
	expect(drawableText(text)).toBe(drawn);
	expect(cleanText(text)).toBe(drawn);
});

test("line separators are line ends, and the replacement itself can be drawn", () => {
	expect(cleanText("a\u2028b\u2029c")).toBe("a\nb\nc");
	expect(agreedWidth(REPLACEMENT.charCodeAt(0))).toBe(1);
});
