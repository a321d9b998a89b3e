import { expect, test } from "vitest";
import { formatBytes } from "../../../src/core/bytes.ts";
import { foldedMiddle, preview } from "../../../src/core/preview.ts";

test("a text is one line, its white space collapsed", () => {
	expect(preview("\n \t\n  read the files  \r\nthen count", 100)).toBe("read the files then count");
});

test("a line that fits is whole, a longer one is cut to exactly the bound with an ellipsis as its last character", () => {
	expect(preview("1234567890", 10)).toBe("1234567890");
	expect(preview("12345678901", 10)).toBe("123456789…");
});

test("a cut never leaves half an emoji", () => {
	for (let most = 2; most < 12; most++) {
		const cut = preview("😀".repeat(20), most);
		expect(cut.isWellFormed()).toBe(true);
		expect(cut.length).toBeLessThanOrEqual(most);
	}
});

test("a text that is folded keeps its beginning and its end, and says how much is left out", () => {
	expect(foldedMiddle("short", 30)).toBe("short");
	expect(foldedMiddle(`${"a".repeat(40)}THE END`, 21)).toBe(`${"a".repeat(14)} [… 26 characters omitted …] THE END`);
	for (let most = 2; most < 12; most++) expect(foldedMiddle("😀".repeat(20), most).isWellFormed()).toBe(true);
});

test.each([
	[0, "0 bytes"],
	[1, "1 byte"],
	[1023, "1023 bytes"],
	[1024, "1 KiB"],
	[1590, "1.5 KiB"],
	[999_999, "976 KiB"],
	[1024 ** 2 - 1, "1023 KiB"],
	[16 * 1024 ** 2, "16 MiB"],
	[2 * 1024 ** 3, "2 GiB"],
	[1024 ** 6, "1024 PiB"],
])("%d bytes read %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
