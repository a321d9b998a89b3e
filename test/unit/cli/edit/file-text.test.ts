import { expect, test } from "vitest";
import { fileTextOf } from "../../../../src/cli/edit/file-text.ts";

test.each([
	["UTF-8", Buffer.from("grün\n")],
	["UTF-8 with a mark", Buffer.from("\ufeffgrün\n")],
	["UTF-16, little end first", Buffer.from("\ufeffgrün\n", "utf16le")],
	["UTF-16, big end first", Buffer.from("\ufeffgrün\n", "utf16le").swap16()],
	["Latin-1", Buffer.from("gr\u00fcn\n", "latin1")],
	["nothing", Buffer.alloc(0)],
])("%s comes back as it was", (_, bytes) => {
	const file = fileTextOf(bytes);
	expect(file?.bytesOf(file.text)).toEqual(bytes);
});

test("a mark at the beginning is no text, and stays in front of changed text", () => {
	const file = fileTextOf(Buffer.from("\ufeffa"));
	expect(file?.text).toBe("a");
	expect(file?.bytesOf("b")).toEqual(Buffer.from("\ufeffb"));
});

test("text from outside gets into a file that is not UTF-8 as the bytes of UTF-8", () => {
	const file = fileTextOf(Buffer.from([0xe4, 0x0a]));
	expect(file?.bytesOf(`${file.text}${file.own("ä")}`)).toEqual(Buffer.from([0xe4, 0x0a, 0xc3, 0xa4]));
});

test.each([
	["a NUL", Buffer.from("a\0b")],
	["half a character of UTF-16", Buffer.from([0xff, 0xfe, 0x61])],
])("bytes with %s are no text", (_, bytes) => {
	expect(fileTextOf(bytes)).toBeUndefined();
});
