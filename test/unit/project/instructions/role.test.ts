import { expect, test } from "vitest";
import { readRole } from "../../../../src/project/instructions/role.ts";

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

test("without a name it has that of its file, and a model that is inherited is none", () => {
	const read = role("description: d\nmodel: inherit");
	expect(read).toEqual({
		is: "defined",
		what: { name: "file", description: "d", text: "You test.", limits: {}, notices: [] },
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
