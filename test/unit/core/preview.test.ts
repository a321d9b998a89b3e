import { expect, test } from "vitest";
import { foldedMiddle, preview } from "../../../src/core/preview.ts";

test("a text is one line, its white space collapsed", () => {
	expect(preview("\n \t\n  read the files  \r\nthen count", 100)).toBe("read the files then count");
});

test("nothing of nothing", () => {
	expect(preview("", 10)).toBe("");
	expect(preview(" \n\t\n", 10)).toBe("");
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

test("half a surrogate pair that was there before becomes a replacement character", () => {
	expect(preview("a\ud83d", 10)).toBe("a\ufffd");
});

test("a text that is folded keeps its beginning and its end, and says how much is left out", () => {
	expect(foldedMiddle("short", 30)).toBe("short");
	expect(foldedMiddle(`${"a".repeat(40)}THE END`, 21)).toBe(`${"a".repeat(14)} [… 26 characters omitted …] THE END`);
	for (let most = 2; most < 12; most++) expect(foldedMiddle("😀".repeat(20), most).isWellFormed()).toBe(true);
});
