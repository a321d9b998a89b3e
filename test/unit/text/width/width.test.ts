import { expect, test } from "vitest";
import { displayWidth, fitEnd, fitWidth, fitWords, padWidth } from "../../../../src/text/width/width.ts";
import { wrapText, wrapWords } from "../../../../src/text/width/wrap.ts";

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

test.each([
	["/a/b", 4, "/a/b"],
	["/work/a/long/way", 8, "…ong/way"],
	["/日本語", 5, "…本語"],
	["/work/…/way", 6, "…/way"],
])("of %j %i columns show %j", (path, columns, shown) => expect(fitEnd(path, columns)).toBe(shown));

test.each([
	["", 5, ""],
	["fix it", 6, "fix it"],
	["fix the parser", 12, "fix the…"],
	["fix the: parser", 13, "fix the…"],
	["incomprehensibilities are long", 10, "incompreh…"],
	["a incomprehensibilities", 10, "a incompr…"],
	["/home/project/src/parser/expr.ts", 20, "…/src/parser/expr.ts"],
	["/home/project/src/parser/expr.ts", 19, "…/parser/expr.ts"],
	["/home/project/incomprehensibilities.ts", 10, "…lities.ts"],
	["日本語 日本語", 8, "日本語…"],
	["日本/日本語", 8, "…/日本語"],
])("%s in %d columns is %s", (text, columns, cut) => expect(fitWords(text, columns)).toBe(cut));

test("text is broken at words, and where there are none at the edge", () => {
	expect(wrapText("the quick brown fox jumps", 12)).toEqual(["the quick", "brown fox", "jumps"]);
	expect(wrapText("abcdefghijklmnop", 6)).toEqual(["abcdef", "ghijkl", "mnop"]);
	expect(wrapText("a 12345678901234", 8)).toEqual(["a 123456", "78901234"]);
});

test("a wide character is never split, and a tab goes to the next stop", () => {
	expect(wrapText("漢字漢字", 5)).toEqual(["漢字", "漢字"]);
	expect(wrapText("漢", 1)).toEqual(["漢"]);
	expect(wrapText("ab\tc", 10)).toEqual(["ab  c"]);
});

test("a line that is too long goes on below, indented, and is broken between words alone", () => {
	expect(wrapWords("agent: run k3f9 goes on: agent attach k3f9 watches", 26)).toBe(
		"agent: run k3f9 goes on:\n  agent attach k3f9\n  watches",
	);
	expect(wrapWords("short\n  a list's line, which is too long", 20)).toBe(
		"short\n  a list's line,\n    which is too\n    long",
	);
});

test("a word that is wider than the terminal stays whole, and no row is begun for it", () => {
	const path = `/${"x".repeat(30)}`;
	expect(wrapWords(`see ${path} for all of it`, 20)).toBe(`see ${path}\n  for all of it`);
});

test("a line that is painted stays as it is", () => {
	const line = `\u001b[2m${"word ".repeat(10)}\u001b[m`;
	expect(wrapWords(line, 20)).toBe(line);
});
