import { expect, test } from "vitest";
import { displayWidth, fitWidth, padWidth } from "../../../../src/text/width/width.ts";

test.each([
	["abc", 3],
	["日本", 4],
	["한글", 4],
	["é", 1],
	["e\u0301", 1],
	["😀", 2],
	["❤️", 1],
	["a\u200bb", 2],
	["…", 1],
	["ｆｕｌｌ", 8],
])("%s takes %d columns", (text, width) => expect(displayWidth(text)).toBe(width));

test.each([
	["abc", 3, "abc"],
	["abcd", 3, "ab…"],
	["日本語", 6, "日本語"],
	["日本語", 5, "日本…"],
	["日本語", 4, "日…"],
	["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
	["👩\u200d👩\u200d👧", 4, "👩…"],
	["abc", 1, "…"],
	["abc", 0, ""],
	["", 0, ""],
	["first name…/second", 12, "first name…"],
])("%s cut to %d columns is %s", (text, columns, cut) => expect(fitWidth(text, columns)).toBe(cut));

test("padding fills to the exact width on the side asked for", () => {
	expect(padWidth("日", 4)).toBe("日  ");
	expect(padWidth("12", 4, true)).toBe("  12");
	expect(padWidth("12345", 4, true)).toBe("123…");
});
