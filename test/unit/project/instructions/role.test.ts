import { expect, test } from "vitest";
import { readFrontMatter } from "../../../../src/project/instructions/front-matter.ts";
import { readRole } from "../../../../src/project/instructions/role.ts";
import { cpuMs } from "../../cpu-ms.ts";

const role = (lines: string, body = "You test.") => readRole(`---\n${lines}\n---\n\n${body}\n`, "file");

test("a role is its name, its description, its text, and what it narrows", () => {
	const lines = ["name: tester", "description: Runs the tests.", "model: haiku", "effort: LOW", "sandbox: read-only"];
	const limits = ["maxTurns: 5", "max-budget-usd: 0.50", "max_time: 10m"];
	expect(role([...lines, ...limits].join("\n"))).toEqual({
		is: "defined",
		what: {
			...{ name: "tester", description: "Runs the tests.", text: "You test.", model: "haiku", effort: "low" },
			...{ sandbox: "read-only", limits: { maxTurns: 5, maxBudgetUsd: 0.5, maxTimeMs: 600_000 } },
			notices: [],
		},
	});
});

test("what has no effect is told in a line each, the unknown keys in one", () => {
	const read = role("name: a\ntools: Read, Grep\ncolor: red\nhooks:\n  x: y\neffort: hard");
	expect(read).toMatchObject({
		what: {
			notices: [
				"tools (Read, Grep): every agent has only bash",
				"effort (hard): not one of low, medium, high, xhigh, max",
				"unknown keys: color, hooks",
			],
		},
	});
});

test.each([
	["name: ../../x", '"../../x" is not a valid name for a role'],
	["name: a/b", '"a/b" is not a valid name for a role'],
	["name: a..b", '"a..b" is not a valid name for a role'],
	["name: '-m'", '"-m" is not a valid name for a role'],
	["name: a b", '"a b" is not a valid name for a role'],
	["name: a\nmaxTurns: many", 'max-turns must be a whole number of 1 or more, not "many"'],
	[`name: a\nmax-time: ${"9".repeat(500)}`, expect.stringContaining("max-time must be a time")],
	["color: red", "it has no front matter with a name or a description"],
])("%j is no role", (lines, why) => {
	expect(role(lines)).toEqual({ is: "refused", why });
});

test("a limit that is wrong is never left out, and a description is kept short", () => {
	expect(readRole("---\nname: a", "file")).toEqual({ is: "refused", why: "its front matter is not closed" });
	const long = role(`name: a\ndescription: ${"x".repeat(30_000)}`);
	expect(long.is === "defined" && long.what.description.length).toBe(1_000);
});

const values = (lines: string) => Object.fromEntries(readFrontMatter(`---\n${lines}\n---\nbody`)?.values ?? []);

test("what stands between two lines of --- is the front matter, and the rest is the body", () => {
	const read = readFrontMatter("---\nname: a\n---  \n\n# Title\n---\ntext\n");
	expect([...(read?.values ?? [])]).toEqual([["name", "a"]]);
	expect(read?.body).toBe("# Title\n---\ntext");
	expect(readFrontMatter("# No\n---\na: b\n---")).toEqual({ values: new Map(), body: "# No\n---\na: b\n---" });
	expect(readFrontMatter("---\nname: a\n")).toBeUndefined();
});

test.each([
	["a: one two # comment", { a: "one two" }],
	["a: 'it''s' # c", { a: "it's" }],
	['a: "x \\"y\\"\\nz\\u"', { a: 'x "y"\nz\\u' }],
	["a: Use it when: things break, e.g. http://x#y", { a: "Use it when: things break, e.g. http://x#y" }],
	["a: [Read, 'Grep', \"b\"]\nb: []", { a: ["Read", "Grep", "b"], b: [] }],
	["a:\n  - one\n  - 'two'\nb: c", { a: ["one", "two"], b: "c" }],
	["a:\n- one\n- two", { a: ["one", "two"] }],
	["a: first\n  second\n\n  third", { a: "first second third" }],
	["a: |\n  one\n    two\n\n  three\nb: c", { a: "one\n  two\n\nthree", b: "c" }],
	["a: >-\n  one\n  two\n\n  three", { a: "one two\n\nthree" }],
	["a:\n  b: c\nd: e", { a: "b: c", d: "e" }],
	["# comment\n\na: b", { a: "b" }],
	["a: b\na: c", { a: "c" }],
	["maxTurns: 5\nmax-turns: 6", { maxTurns: "5", "max-turns": "6" }],
	["a: &x 1\nb: *x\nc: !!python/x y", { a: "&x 1", b: "*x", c: "!!python/x y" }],
	["__proto__: x", Object.fromEntries([["__proto__", "x"]])],
	["no key here", {}],
])("%j", (lines, expected) => {
	expect(values(lines)).toEqual(expected);
});

test("hostile front matter costs no more than its length", () => {
	const bombs = [
		`a: &a [${"*a,".repeat(10_000)}]`,
		"[".repeat(32_000),
		`a: ${"[".repeat(32_000)}`,
		`a: "${"\\".repeat(32_000)}`,
		"a:\n".repeat(10_000),
		"- \n".repeat(10_000),
		`a: ${" #".repeat(16_000)}`,
		`${"a".repeat(32_000)}: b`,
		`a: |\n${" ".repeat(32_000)}`,
		`a: ${"\t ".repeat(16_000)}x`,
	];
	for (const bomb of bombs) expect(cpuMs(() => void values(bomb))).toBeLessThan(5_000);
});
