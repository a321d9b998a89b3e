import { expect, test } from "vitest";
import { displayWidth } from "../../../../src/text/width/width.ts";
import { agentNames } from "../../../../src/view/agents/agent-names.ts";
import { cpuMs } from "../../cpu-ms.ts";

const namesOf = (...tasks: string[]): string[] => [
	...agentNames(tasks.map((task, at) => ({ id: `1.${at + 1}`, task }))).values(),
];

test("a name is the words in which a task differs from its siblings'", () => {
	const piece = (n: number) => `piece ${n} of area linker: split it and fix`;
	expect(namesOf(piece(3), piece(7), piece(8))).toEqual(["piece 3", "piece 7", "piece 8"]);
	expect(namesOf("area parser: split the grammar", "area linker: fix symbols")).toEqual(["parser", "linker"]);
	expect(namesOf("Review src/a.ts for bugs", "Review src/b.ts for bugs")).toEqual(["src/a.ts", "src/b.ts"]);
	expect(namesOf("Fix the failing test in parser/expr_test.go", "Fix the failing test in lexer_test.go")).toEqual([
		"parser/expr_test.go",
		"lexer_test.go",
	]);
	expect(namesOf("Summarize chapter 3 in 5 bullet points", "Summarize chapter 14 in 6 bullet points")).toEqual([
		"chapter 3",
		"chapter 14",
	]);
	expect(namesOf("Translate README.md into French", "Translate README.md into German")).toEqual(["French", "German"]);
	expect(namesOf("You are the security reviewer. Look at the diff.", "You are the API reviewer. Look.")).toEqual([
		"security",
		"API",
	]);
});

test("what is done to it belongs to the name where the tasks differ in their first word", () => {
	expect(
		namesOf("Find the largest files in the directory", "Count the lines of code", "Show the git history of today"),
	).toEqual(["Find the largest files", "Count the lines", "Show the git history"]);
});

test("a task alone is named by its beginning, up to the first colon, cut at a word", () => {
	expect(namesOf("Fix the compiler: parser, lexer and linker")).toEqual(["Fix the compiler"]);
	expect(namesOf("Look at this directory and say what is in it")).toEqual(["Look at this directory and…"]);
	expect(namesOf("\n  Do it.  \nAnd more")).toEqual(["Do it"]);
	expect(namesOf("folder: what does src hold?")).toEqual(["folder: what does src hold"]);
	expect(namesOf("Go!")).toEqual(["Go"]);
});

test("where only some share a beginning, each is compared with those that begin alike", () => {
	expect(
		namesOf(
			"Review src/a.ts for bugs",
			"Review src/b.ts for bugs",
			"Summarize the findings of the reviewers in one page",
			"Review everything",
		),
	).toEqual(["src/a.ts", "src/b.ts", "Summarize the findings", "everything"]);
});

test("names that would be equal get more words, in front or behind", () => {
	expect(namesOf("Review src/a.ts", "Review src/b.ts", "Fix src/a.ts", "Fix src/b.ts")).toEqual([
		"Review src/a.ts",
		"Review src/b.ts",
		"Fix src/a.ts",
		"Fix src/b.ts",
	]);
	expect(namesOf("Run the tests with cache", "Run the tests without cache")).toEqual(["with cache", "without cache"]);
	expect(namesOf("piece 3 of area linker: a", "piece 7 of area linker: a", "piece 7 of area parser: a")).toEqual([
		"piece 3",
		"piece 7 of area linker",
		"piece 7 of area parser",
	]);
	expect(
		namesOf("Fix the failing test in a.ts", "Fix the failing test in b.ts", "Review all of a.ts", "Review all of b.ts"),
	).toEqual(["Fix … a.ts", "Fix … b.ts", "Review … a.ts", "Review … b.ts"]);
});

test("words that only join others do not make a name, and a number has the word before it", () => {
	expect(namesOf("Explain how TCP works", "Explain how UDP works", "Explain what a socket is")).toEqual([
		"TCP",
		"UDP",
		"socket",
	]);
	expect(namesOf("Compare option A with the budget", "Compare option B with the budget")).toEqual([
		"option A",
		"option B",
	]);
	expect(namesOf("7: do x", "8: do y")).toEqual(["7: do x", "8: do y"]);
	expect(namesOf("第3章を要約", "第4章を要約")).toEqual(["第3", "第4"]);
});

test("equal tasks have equal names, and a task that another one begins with is whole", () => {
	expect(namesOf("do it", "do it", " do  it")).toEqual(["do it", "do it", "do it"]);
	expect(namesOf("do it", "do it now")).toEqual(["do it", "now"]);
	expect(namesOf("", " \n", "x")).toEqual(["", "", "x"]);
	expect(namesOf()).toEqual([]);
});

test("a name is safe for a terminal and fits 30 columns", () => {
	const names = namesOf(
		"Read \u001b[31m한글\u001b[0m",
		`Read ${"日本語".repeat(100)}`,
		"Read /home/project/src/compiler/frontend/parser/expr_test.go",
		"Read \u202eevil\u0007 \u2028end and the rest of all the things that are there",
	);
	expect(names).toEqual(["한글", "日本語日本語日本語日本語日本…", "…/frontend/parser/expr_test.go", "evil"]);
	expect(Math.max(...names.map(displayWidth))).toBeLessThanOrEqual(30);
});

test("names of 5,000 siblings cost little, also when their tasks are alike up to the end", () => {
	const ends = Array.from({ length: 5_000 }, (_, n) => `${"word ".repeat(35)}${n}`);
	const siblings = ends.map((task, at) => ({ id: `1.${at + 1}`, task }));
	const ms = cpuMs(() => expect(agentNames(siblings).get("1.5000")).toBe("word 4999"));
	expect(ms).toBeLessThan(10_000); // about 100 when nothing else runs
});
