import { expect, test } from "vitest";
import { readBlocks } from "../../../../src/cli/edit/blocks.ts";

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
