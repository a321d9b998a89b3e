import { expect, test } from "vitest";
import { applyBlocks, readBlocks } from "../../../../src/cli/edit/blocks.ts";

function apply(text: string, ...pairs: [old: string, now: string][]) {
	const blocks = pairs.map(([old, now], index) => ({
		old: old.split("\n"),
		new: now === "" ? [] : now.split("\n"),
		line: index + 1,
	}));
	return applyBlocks(text, blocks);
}

const changed = (text: string) => ({ is: "changed", text });

test("whole lines are replaced, and all else stays", () => {
	expect(apply("a\nb\nc\n", ["b", "B\nB"])).toEqual(changed("a\nB\nB\nc\n"));
	expect(apply("a\nb\nc\n", ["a\nb", "x"])).toEqual(changed("x\nc\n"));
	expect(apply("a\nb\nc\n", ["b", ""])).toEqual(changed("a\nc\n"));
});

test("whole lines come before the same text inside of another line", () => {
	expect(apply("foobar\nfoo\n", ["foo", "x"])).toEqual(changed("foobar\nx\n"));
});

test("a text that is no whole line is replaced inside of its line", () => {
	expect(apply("let a = 1; let b = 2;\n", ["a = 1", "a = 3"])).toEqual(changed("let a = 3; let b = 2;\n"));
	expect(apply("one two\nthree four\n", ["two\nthree", "2\n3"])).toEqual(changed("one 2\n3 four\n"));
});

test("line ends stay as they are, and new lines get the usual one", () => {
	expect(apply("a\r\nb\r\nc", ["b", "x\ny"])).toEqual(changed("a\r\nx\r\ny\r\nc"));
	expect(apply("a\r\nb\nc\r\n", ["c", "x\ny"])).toEqual(changed("a\r\nb\nx\r\ny\r\n"));
	expect(apply("a\r\nb c\r\n", ["a\nb", "x\ny"])).toEqual(changed("x\r\ny c\r\n"));
});

test("a return among other line ends is in its line, and is no end of a new one", () => {
	expect(apply("1\r2\r3\nx\n", ["x", "y\nz"])).toEqual(changed("1\r2\r3\ny\nz\n"));
	expect(apply("a\rb\r", ["b", "y\nz"])).toEqual(changed("a\ry\rz\r"));
});

test("blocks are applied one after the other, each to what the ones before made", () => {
	expect(apply("a\nb\n", ["a", "b2"], ["b2\nb", "c"])).toEqual(changed("c\n"));
});

test("a text that is there more than once is refused with its lines", () => {
	expect(apply("a\nb\na\n", ["a", "x"])).toEqual({
		...{ is: "refused", line: 1 },
		why: "its old text occurs more than once, at lines 1, 3: add surrounding lines to make it unique",
	});
	expect(apply("a b a\n", ["a ", "x"])).toMatchObject({ is: "changed" });
	expect(apply("ab ab\n", ["a", "x"])).toMatchObject({ is: "refused", why: expect.stringContaining("lines 1, 1:") });
});

test("when one block cannot be applied none is, and the block is named", () => {
	expect(apply("a\nb\n", ["a", "x"], ["nothing like it", "y"])).toEqual({
		...{ is: "refused", line: 2 },
		why: "its old text is not in the file, and nothing similar is",
	});
});

test("the nearest place is named with the first line that differs", () => {
	const file = "import a\n\nfunction f() {\n\treturn 1;\n}\n\nfunction g() {\n\treturn 2;\n}\n";
	expect(apply(file, ["function g() {\n    return 2;\n}", "x"])).toMatchObject({
		why: [
			"its old text is not in the file; the closest match is at line 7 and differs at line 8:",
			'  the file has  "\\treturn 2;"',
			'  you gave      "    return 2;"',
		].join("\n"),
	});
	expect(apply(file, ["function h() {", "x"])).toMatchObject({
		why: expect.stringContaining("the closest match is at line 3"),
	});
});

test("a hostile file and a hostile block are looked through in time", () => {
	const file = `${"a".repeat(20)}\n`.repeat(100_000);
	const started = performance.now();
	expect(apply(file, [Array.from({ length: 2_000 }, () => `${"a".repeat(20)} `).join("\n"), "x"]).is).toBe("refused");
	expect(performance.now() - started).toBeLessThan(20_000);
});

// Seen to fail: the second byte of a character of Shift_JIS is a backslash, or another character of ASCII.
test("a text that may be a part of a character is not replaced where characters are bytes", () => {
	const apply = (text: string, isByteForByte: boolean) =>
		applyBlocks(text, [{ old: ["\\"], new: ["/"], line: 1 }], isByteForByte);
	expect(apply("\x83\\ x", true)).toMatchObject({
		is: "refused",
		why: expect.stringContaining("may start inside a character"),
	});
	expect(apply("\x83 \\ x", true)).toMatchObject(changed("\x83 / x"));
	expect(apply("ü\\ x", false)).toMatchObject(changed("ü/ x"));
	expect(apply("ü\n\\\n", true)).toMatchObject(changed("ü\n/\n"));
});

const BLOCK = "<<<<<<< SEARCH\nold 1\nold 2\n=======\nnew\n>>>>>>> REPLACE\n";

test("blocks have old and new lines and know where they begin", () => {
	expect(readBlocks(`${BLOCK}\n${BLOCK}`)).toEqual({
		is: "blocks",
		blocks: [
			{ old: ["old 1", "old 2"], new: ["new"], line: 1 },
			{ old: ["old 1", "old 2"], new: ["new"], line: 8 },
		],
	});
});

test("a block without new lines deletes, and line ends of two characters are line ends", () => {
	expect(readBlocks("<<<<<<< SEARCH\r\nold\r\n=======\r\n>>>>>>> REPLACE")).toEqual({
		is: "blocks",
		blocks: [{ old: ["old"], new: [], line: 1 }],
	});
});

test("with longer marks a block holds the marks of another one as text", () => {
	const inner = BLOCK.trimEnd().split("\n");
	const outer = ["<<<<<<<< SEARCH", ...inner, "========", "x", ">>>>>>>> REPLACE"].join("\n");
	expect(readBlocks(outer)).toEqual({ is: "blocks", blocks: [{ old: inner, new: ["x"], line: 1 }] });
});

test.each([
	["", /no block on stdin: <<<<<<< SEARCH/],
	["```\n", /line 1 is outside any block: "```"/],
	[`${BLOCK}and so on`, /line 7 is outside any block: "and so on"/],
	["<<<<<<< SEARCH\na\n=======\nb\n", /block of line 1 has no end: >>>>>>> REPLACE/],
	["<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", /line 1 has no ======= between/],
	["<<<<<<< SEARCH\n=======\nb\n>>>>>>> REPLACE\n", /line 1 has no old text; to create a file: agent write FILE/],
	["<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE", /line 5 is a second divider .*; .* 8 characters/],
	[`<<<<<<< SEARCH\na\n${BLOCK}`, /line 3 starts a block inside the block of line 1/],
])("%j is refused with the reason", (input, why) => {
	expect(readBlocks(input)).toEqual({ is: "wrong", why: expect.stringMatching(why) });
});
