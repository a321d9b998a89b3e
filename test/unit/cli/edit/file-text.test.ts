import { describe, expect, test } from "vitest";
import { type FileText, fileTextOf } from "../../../../src/cli/edit/file-text.ts";

function textIn(bytes: Buffer): FileText {
	const file = fileTextOf(bytes);
	if (file.is === "no_text") throw new Error(file.why);
	return file;
}

/** What the file is with the text behind it; why not. */
function withText(bytes: Buffer, given: string): Buffer | string {
	const file = textIn(bytes);
	const why = file.whyNot(given);
	return why ?? file.bytesOf(`${file.text}${given}`);
}

const latin1 = (text: string) => Buffer.from(text, "latin1");
const SHIFT_JIS = Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x83, 0x5c, 0x0a]); // 日本語ソ, of which the last byte is a backslash
const EUC_JP = Buffer.from([0xc6, 0xfc, 0xcb, 0xdc, 0xb8, 0xec, 0xa4, 0xce, 0x0a]);
const GBK = Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0xca, 0xc0, 0xbd, 0xe7, 0x0a]);
const BIG5 = Buffer.from([0xa7, 0x41, 0xa6, 0x6e, 0xa5, 0x40, 0xac, 0xc9, 0x0a]);
const CYRILLIC = Buffer.from([0xef, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x20, 0xec, 0xe8, 0xf0, 0x0a]); // Windows-1251
const POLISH = Buffer.from([0x62, 0x79, 0xb3, 0x61, 0x0a]); // ISO-8859-2
const DOS = Buffer.from([0x67, 0x72, 0x81, 0x6e, 0x0a]); // CP850
const BROKEN = Buffer.concat([Buffer.from("grün, schön, für\n"), Buffer.from([0xe4, 0x0a])]);

test.each([
	["UTF-8", Buffer.from("grün\r\n")],
	["UTF-8 with a mark", Buffer.from("\ufeffgrün\r\n")],
	["UTF-16, little end first", Buffer.from("\ufeffgrün\r\n", "utf16le")],
	["UTF-16, big end first", Buffer.from("\ufeffgrün\r\n", "utf16le").swap16()],
	["UTF-16 with half a pair", Buffer.from("\ufeffa\ud83d\n", "utf16le")],
	["Latin-1", latin1("gr\u00fcn\n")],
	["Windows-1252", Buffer.from([0x80, 0x93, 0x61, 0x94, 0x0a])],
	["all bytes but NUL", Buffer.from(Array.from({ length: 255 }, (_, index) => index + 1))],
	["Shift_JIS", SHIFT_JIS],
	["nothing", Buffer.alloc(0)],
])("%s comes back as it was", (_, bytes) => {
	const file = textIn(bytes);
	expect(file.bytesOf(file.text)).toEqual(bytes);
});

test("a mark at the beginning is no text, and stays in front of changed text", () => {
	const file = textIn(Buffer.from("\ufeffa"));
	expect([file.text, file.hasMark]).toEqual(["a", true]);
	expect(file.bytesOf("b")).toEqual(Buffer.from("\ufeffb"));
});

// Seen to fail: each of them got the bytes of UTF-8.
describe("text from outside is written in the encoding of the file", () => {
	test.each([
		["UTF-8", Buffer.from("ü\n"), "ä€字", Buffer.from("ü\nä€字")],
		["UTF-16", Buffer.from("\ufeffü\n", "utf16le"), "ä€字😀", Buffer.from("\ufeffü\nä€字😀", "utf16le")],
		["UTF-16, big", Buffer.from("\ufeffü\n", "utf16le").swap16(), "字", Buffer.from("\ufeffü\n字", "utf16le").swap16()],
		[
			"Latin-1",
			latin1("Gr\u00f6\u00dfe, f\u00fcr \u00dcbung\n"),
			"äÄé «»",
			latin1("Gr\u00f6\u00dfe, f\u00fcr \u00dcbung\näÄé «»"),
		],
		[
			"French",
			latin1("l\u00e9gende, cr\u00e9\u00e9e, \u00e0\n"),
			"ç",
			latin1("l\u00e9gende, cr\u00e9\u00e9e, \u00e0\nç"),
		],
		[
			"Windows-1252",
			Buffer.from([0x80, 0x20, 0x35, 0x0a]),
			"“ü” €",
			Buffer.from([0x80, 0x20, 0x35, 0x0a, 0x93, 0xfc, 0x94, 0x20, 0x80]),
		],
		["ASCII in another one", SHIFT_JIS, "x", Buffer.concat([SHIFT_JIS, Buffer.from("x")])],
	] as const)("%s", (_, before, given, after) => expect(withText(before, given)).toEqual(after));
});

describe("text that cannot be written in it is refused with its name", () => {
	test.each([
		["Latin-1", latin1("gr\u00fcn\n"), "5 €", /^it is Latin-1, which cannot represent "€".*iconv -f ISO-8859-1/],
		[
			"Latin-1, and what ISO-8859-15 has elsewhere",
			latin1("gr\u00fcn\n"),
			"½",
			/^it is Latin-1, which cannot represent "½"/,
		],
		[
			"Windows-1252",
			Buffer.from([0x80, 0x20, 0x35, 0x0a]),
			"字",
			/^it is Windows-1252, which cannot represent "字".*iconv -f WINDOWS-1252/,
		],
		["Shift_JIS", SHIFT_JIS, "語", /^it is not UTF-8 but perhaps Shift_JIS.*"語".*iconv -f SHIFT_JIS/],
		["Shift_JIS, and a letter of Latin-1", SHIFT_JIS, "é", /Shift_JIS/],
		["EUC-JP", EUC_JP, "語", /perhaps .*EUC-JP/],
		["GBK", GBK, "好", /perhaps .*GBK/],
		["Big5", BIG5, "好", /perhaps .*Big5/],
		["Windows-1251", CYRILLIC, "é", /^it is not UTF-8, and its encoding is unknown/],
		["ISO-8859-2", POLISH, "é", /^it is not UTF-8, and its encoding is unknown/],
		["CP850", DOS, "é", /^it is not UTF-8, and its encoding is unknown/],
		["UTF-8 with a broken line", BROKEN, "ä", /^it is UTF-8 except for line 2/],
	] as const)("%s", (_, before, given, why) => expect(withText(before, given)).toMatch(why));
});

test.each([
	["a NUL", Buffer.from("a\0b"), "it is not text: it has a NUL at byte 2"],
	["half a character of UTF-16", Buffer.from([0xff, 0xfe, 0x61]), "it is UTF-16 that ends inside a character"],
	["UTF-32, little end first", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), "it is UTF-32"],
	["UTF-32, big end first", Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x61]), "it is UTF-32"],
	["UTF-16LE without a mark", Buffer.from("abc\n", "utf16le"), "it is UTF-16 without a byte order mark"],
	["UTF-16BE without a mark", Buffer.from("abc\n", "utf16le").swap16(), "it is UTF-16 without a byte order mark"],
	["ISO-2022-JP", Buffer.from('\x1b$B$"\x1b(B\n'), "it is ISO-2022-JP"],
])("bytes with %s are not changed", (_, bytes, why) => {
	expect(fileTextOf(bytes)).toMatchObject({ is: "no_text", why: expect.stringContaining(why) });
});
