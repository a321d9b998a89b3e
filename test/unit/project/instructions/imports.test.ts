import { expect, test } from "vitest";
import { importsIn } from "../../../../src/project/instructions/instruction-files.ts";
import { cpuMs } from "../../cpu-ms.ts";

test.each([
	["see @docs/style.md, and @README", ["docs/style.md,", "README"]],
	["- @a.md\n- @b.md\n- @a.md", ["a.md", "b.md"]],
	["(@a.md)", ["a.md)"]],
	["@with\\ blank.md", ["with blank.md"]],
	["me@example.org, a@b, `@x` and ``a ` @y`` @z", ["z"]],
	["`open @a.md", ["a.md"]],
	["```\n@a.md\n```\n@b.md", ["b.md"]],
	["~~~ts\n@a.md\n```\n@b.md\n~~~~\n@c.md", ["c.md"]],
	["```\n@never.md", []],
	["text\n\n    @code.md\n\ntext\n    @own.md", ["own.md"]],
	["- item\n\n    @in-list.md", ["in-list.md"]],
	["\t@code.md", []],
	["- a\n  - b\n    ```\n    @code.md\n    ```\n> @quoted.md\n> ```\n> @code.md", ["quoted.md"]],
	["a `span\n@code.md` @own.md", ["own.md"]],
	["@", []],
])("%j imports %j", (text, names) => {
	expect(importsIn(text)).toEqual(names);
});

test("at most 50 are taken, and hostile text costs no more than its length", () => {
	const many = Array.from({ length: 60 }, (_, n) => `@f${n}.md`).join(" ");
	expect(importsIn(many)).toHaveLength(50);
	const ticks = Array.from({ length: 250 }, (_, n) => "`".repeat(n + 1)).join(" ");
	const hostile = [
		ticks,
		"@".repeat(32_000),
		" @\\".repeat(10_000),
		"`".repeat(32_000),
		"    \n".repeat(6_000),
		"<code>".repeat(6_000),
	];
	for (const text of hostile) expect(cpuMs(() => importsIn(text))).toBeLessThan(5_000);
});
