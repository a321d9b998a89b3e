/** Many spellings of one command: what rules deny is found in all of them, and nothing is allowed that was not read. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { BUILT_IN_RULES } from "../../../../src/core/rules/built-in-rules.ts";
import { commandParts } from "../../../../src/core/rules/command-parts.ts";
import { judgeCommand } from "../../../../src/core/rules/decide-command.ts";
import { ruleSet } from "../../../../src/core/rules/rule.ts";

const DENYING = ruleSet({ source: "you", allow: [], ask: [], deny: ["git push"] });
const ALLOWING = ruleSet({
	source: "you",
	allow: ["echo", "git status", "npm run test", "npm test"],
	ask: [],
	deny: [],
});

const lines = readFileSync(new URL("odd-commands.txt", import.meta.url), "utf8").split("\n");
const commandsOf = (word: string) =>
	lines
		.filter((line) => line.startsWith(`${word}: `))
		.map((line) => JSON.parse(`"${line.slice(word.length + 2).replaceAll('"', '\\"')}"`) as string);

describe.each([
	["denied", [BUILT_IN_RULES, DENYING], ["denied"]],
	["asks", [DENYING], ["asks"]],
	["found", [DENYING], ["denied", "asks"]],
	["not found", [DENYING], ["unnamed"]],
	["allowed", [ALLOWING], ["allowed"]],
	["not allowed", [BUILT_IN_RULES, ALLOWING], ["denied", "asks", "unnamed"]],
] as const)("what is %s", (word, rules, expected) => {
	test.each(commandsOf(word))("%j", (command) =>
		expect(expected).toContain(judgeCommand(commandParts(command), rules).is),
	);
});

test("what is built in asks about trivial spellings, too", () => {
	const spellings = [
		"\\git push",
		'g""it push',
		"$'\\x67it' push",
		"bash <<< 'git push'",
		"coproc git push",
		"git send-pack x",
	];
	for (const command of spellings) expect(judgeCommand(commandParts(command), [BUILT_IN_RULES]).is).toBe("asks");
});

// Each of them took seconds to hours. The bounds are counts, not a clock: a busy machine decides the same.
test("a command is read and held against rules in bounded time, however it is made", () => {
	const heavy = Array.from({ length: 10 }, (_, at) => `Bash(${"*a".repeat(230)}${at}*b)`);
	const rules = ruleSet({ source: "you", allow: [], ask: heavy, deny: ["git push", ...heavy] });
	const times = (text: string, chars = 60_000) => text.repeat(Math.floor(chars / text.length));
	const twice = (script: string): string => `((echo $(${script}); b) ; c)`;
	const odd = [
		`find . ${times("-exec git push \\; ")}`,
		times("find . -exec "),
		times("find . -exec ", 2_000),
		`x ${times("{a,")}`,
		times("xargs "),
		times("eval '"),
		times("git rebase -x "),
		Array.from({ length: 299 }, () => `echo ${"a".repeat(200)}`).join(";"),
		times(`${"a".repeat(200)};`),
		times(`a $x${"a".repeat(200)};`),
		`echo {${times("../")}`,
		`bash -${times("c")}1`,
		`cat <<E\n${times("a\\\n")}`,
		twice(twice(twice(twice(twice(twice(times("a "))))))),
	];
	const begun = process.cpuUsage();
	for (const command of odd) judgeCommand(commandParts(command), [BUILT_IN_RULES, rules]);
	expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(20_000);
});

test("what is more than can be read is not allowed, and is asked about where a rule asks or denies", () => {
	for (const command of [
		`echo ${"a".repeat(70_000)}`,
		`${"xargs ".repeat(10_000)} echo`,
		"find . -exec ".repeat(1_000),
	]) {
		expect(commandParts(command).unread).toMatch(/^(?:more than can be parsed|commands nested too deeply)/);
		expect(judgeCommand(commandParts(command), [ALLOWING])).toMatchObject({ is: "unnamed" });
		expect(judgeCommand(commandParts(command), [DENYING])).toMatchObject({ is: "asks", mayBe: true });
	}
});
