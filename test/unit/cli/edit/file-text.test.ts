import { expect, test } from "vitest";
import { fileTextOf } from "../../../../src/cli/edit/file-text.ts";

/** What the file is with the text behind it; else why not. */
function withText(bytes: Buffer, given: string): Buffer | string {
	const file = fileTextOf(bytes);
	if (file.is === "no_text") return file.why;
	return file.whyNot(given) ?? file.bytesOf(`${file.text}${given}`);
}

const SHIFT_JIS = Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x83, 0x5c, 0x0a]); // 日本語ソ, of which the last byte is a backslash
const LATIN_1 = Buffer.from("a\ngr\u00fcn\n", "latin1");

test.each([
	["UTF-8", Buffer.from("grün\r\n"), "ä€字"],
	["UTF-8 with a mark", Buffer.from("\ufeffgrün\r\n"), "字"],
	["Latin-1", LATIN_1, "x"],
	["all bytes but NUL", Buffer.from(Array.from({ length: 255 }, (_, index) => index + 1)), "x"],
	["Shift_JIS", SHIFT_JIS, "x"],
	["nothing", Buffer.alloc(0), "ü"],
])("%s stays as it was, and takes more text", (_, bytes, given) => {
	expect(withText(bytes, given)).toEqual(Buffer.concat([bytes, Buffer.from(given)]));
});

test("a mark at the beginning is no text", () => {
	expect(fileTextOf(Buffer.from("\ufeffa"))).toMatchObject({ text: "a", hasMark: true });
});

// Seen to fail: each of them got the bytes of UTF-8.
test.each([
	["Latin-1", LATIN_1, "ä", /^it is not UTF-8, first at line 2: "ä" cannot be written to it, only ASCII.*iconv/],
	["Shift_JIS", SHIFT_JIS, "語", /^it is not UTF-8, first at line 1: "語" cannot/],
	["a NUL", Buffer.from("a\0b"), "x", /^it is not text, or UTF-16: it has a NUL at byte 2/],
	["UTF-16", Buffer.from("\ufeff字", "utf16le"), "x", /^it is UTF-16/],
	["UTF-16, big end first", Buffer.from("\ufeff字", "utf16le").swap16(), "x", /^it is UTF-16/],
	["UTF-32, big end first", Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x61]), "x", /a NUL at byte 1/],
	["ISO-2022-JP", Buffer.from('\x1b$B$"\x1b(B\n'), "x", /^it is ISO-2022-JP/],
])("text that would be a second encoding in a file with %s is refused", (_, bytes, given, why) => {
	expect(withText(bytes, given)).toMatch(why);
});
