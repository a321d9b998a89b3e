import { expect, test } from "vitest";
import { fitWords } from "../../../../src/text/width/width.ts";

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
