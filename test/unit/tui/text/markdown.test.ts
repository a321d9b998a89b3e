import { describe, expect, test } from "vitest";
import { rowsOf } from "../../../../src/tui/text/line.ts";
import { markdownLines } from "../../../../src/tui/text/markdown.ts";

/** Each line with marks around what has a style: `<b:…>`. */
function marked(text: string, isOpen = false): string[] {
	return markdownLines(text, { isOpen }).map(({ parts }) =>
		parts.map((part) => (part.style === "plain" ? part.text : `<${part.style}:${part.text}>`)).join(""),
	);
}

describe("inline", () => {
	test.each([
		["a **bold** word", "a <strong:bold> word"],
		["**bold**: yes", "<strong:bold>: yes"],
		["***both***", "<strong:both>"],
		["这是**重要**的", "这是<strong:重要>的"],
		["run `npm test` now", "run <code:npm test> now"],
		["``a ` b``", "<code:a ` b>"],
		["`**not bold**` **`code`**", "<code:**not bold**> <code:code>"],
		["see [the docs](https://x.y/z) there", "see the docs<dim: (https://x.y/z)> there"],
		["[a (b)](https://x.y/(z))", "a (b)<dim: (https://x.y/(z))>"],
		["[https://x.y](https://x.y)", "https://x.y"],
		["[**bold**](u)", "<strong:bold><dim: (u)>"],
		["## The `head`", "<heading:The ><code:head>"],
	])("%s", (text, expected) => expect(marked(text)).toEqual([expected]));

	test.each([
		"src/**/*.ts and test/**/*.ts",
		"**/*.ts and **/*.js",
		"2 ** 3 ** 4",
		"a**b**c",
		"__init__ and snake_case_name and *x*",
		"an open **word",
		"an open `tick",
		"a [bracket] and a [link](with a blank)",
		"](x)",
		"x[0](y",
		"#!/bin/sh",
		"#hash",
		"x ** ** y",
		"\\*\\*",
	])("%s is shown as it stands", (text) => expect(marked(text)).toEqual([text]));
});

describe("while text streams", () => {
	test.each([
		["an open **wor", "an open <strong:wor>"],
		["an open **", "an open "],
		["**bold**", "<strong:bold>"],
		["an open `tick", "an open <code:tick>"],
	])("%s looks as if it were closed", (text, expected) => expect(marked(text, true)).toEqual([expected]));
});

describe("blocks", () => {
	test("code keeps its lines, its indents and its marks, and an unclosed fence goes to the end", () => {
		expect(marked("so:\n```ts\nif (a) {\n\treturn **b**;\n}\n```\ndone")).toEqual([
			...["so:", "  <code:if (a) {>", "  <code:\treturn **b**;>", "  <code:}>", "done"],
		]);
		expect(marked("~~~\n```\n~~~\n```\nx")).toEqual(["  <code:```>", "  <code:x>"]);
	});
});

// A parser that looks for the other half of each mark anew takes minutes here.
test.each(["[", "](", "[](", "**a ", "`", "`a``b", "> ", "![x](", "```\n", "|", "* * ", "[a](b", "***"])(
	"256 KiB of %j take time in proportion to them",
	(piece) => {
		const text = piece.repeat(Math.ceil((256 * 1024) / piece.length));
		const before = performance.now();
		for (const isOpen of [false, true]) for (const line of markdownLines(text, { isOpen })) rowsOf(line, 80);
		expect(performance.now() - before).toBeLessThan(20_000);
	},
);
