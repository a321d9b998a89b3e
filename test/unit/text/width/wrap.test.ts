import { expect, test } from "vitest";
import { wrapText } from "../../../../src/text/width/wrap.ts";

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
