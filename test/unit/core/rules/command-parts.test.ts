/** Many spellings of one command: what rules deny is found in all of them, and nothing is allowed that was not read. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { BUILT_IN_RULES } from "../../../../src/core/rules/built-in-rules.ts";
import { commandParts } from "../../../../src/core/rules/command-parts.ts";
import { judgeCommand } from "../../../../src/core/rules/judge-command.ts";
import { ruleSet } from "../../../../src/core/rules/rule-set.ts";

const DENYING = ruleSet({ source: "you", allow: [], ask: [], deny: ["git push"] });
const ALLOWING = ruleSet({ source: "you", allow: ["echo", "git status", "npm run test"], ask: [], deny: [] });

const lines = readFileSync(new URL("odd-commands.txt", import.meta.url), "utf8").split("\n");
const commandsOf = (word: string) =>
	lines
		.filter((line) => line.startsWith(`${word}: `))
		.map((line) => JSON.parse(`"${line.slice(word.length + 2).replaceAll('"', '\\"')}"`) as string);

describe.each([
	["denied", DENYING],
	["asks", DENYING],
] as const)("what is %s", (expected, rules) => {
	test.each(commandsOf(expected))("%j", (command) =>
		expect(judgeCommand(commandParts(command), [BUILT_IN_RULES, rules]).is).toBe(expected),
	);
});

describe("what is not allowed", () => {
	test.each(commandsOf("not allowed"))("%j", (command) =>
		expect(judgeCommand(commandParts(command), [BUILT_IN_RULES, ALLOWING]).is).not.toBe("allowed"),
	);
});

test("what is built in asks about trivial spellings, too", () => {
	const spellings = [
		"\\git push",
		'g""it push',
		"{git,push}",
		"$'\\x67it' push",
		"bash <<< 'git push'",
		"coproc git push",
	];
	for (const command of spellings) expect(judgeCommand(commandParts(command), [BUILT_IN_RULES]).is).toBe("asks");
});

test("reading takes no time that grows with the square of a command", () => {
	const odd = [
		`find . ${"-exec git push \\; ".repeat(20_000)}`,
		`x ${"{a,".repeat(20_000)}`,
		`${"xargs ".repeat(20_000)} git push`,
		Array.from({ length: 299 }, () => `echo ${"a".repeat(1_600)}`).join(";"),
	];
	const begun = process.cpuUsage();
	for (const command of odd) judgeCommand(commandParts(command), [BUILT_IN_RULES, DENYING]);
	expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(5_000);
});
