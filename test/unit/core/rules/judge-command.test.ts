// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are commands of bash
import { describe, expect, test } from "vitest";
import { BUILT_IN_RULES } from "../../../../src/core/rules/built-in-rules.ts";
import { commandParts } from "../../../../src/core/rules/command-parts.ts";
import { judgeCommand as judgeParts } from "../../../../src/core/rules/decide-command.ts";
import { parseRule, type Rule, type RuleSet } from "../../../../src/core/rules/rule.ts";

const judgeCommand = (command: string, sets: readonly RuleSet[]) => judgeParts(commandParts(command), sets);

function rule(text: string): Rule {
	const parsed = parseRule(text);
	if (parsed.is === "bad") throw new Error(parsed.reason);
	return parsed.rule;
}

interface Given {
	allow?: string[];
	ask?: string[];
	deny?: string[];
	source?: string;
}

function rules({ allow = [], ask = [], deny = [], source = "you" }: Given): RuleSet {
	return { source, allow: allow.map(rule), ask: ask.map(rule), deny: deny.map(rule) };
}

const judged = (command: string, given: Given) => judgeCommand(command, [rules(given)]).is;

test.each(["# git push", "a='git push'", "[[ git == push ]]", ""])("%j runs nothing, so nothing is asked", (command) =>
	expect(judged(command, { deny: ["git push"] })).toBe("allowed"),
);

describe("how a rule is written", () => {
	test.each([
		["Bash(npm run test *)", "npm run test", true],
		["Bash(npm run test *)", "npm run test x", true],
		["Bash(npm run test *)", "npm run testing", false],
		["Bash(npm run test:*)", "npm run test x", true],
		["Bash(npm run test:*)", "npm run testing", false],
		["Bash(npm run test*)", "npm run testing", true],
		["Bash(git push)", "git push", true],
		["Bash(git push)", "git push x", false],
		["Bash(git * main)", "git merge main", true],
		["Bash(git * main)", "git merge other", false],
		["Bash(* --version)", "node --version", true],
		["Bash", "anything at all", true],
		["Bash(*)", "anything at all", true],
		["Bash()", "anything at all", true],
		["git push", "git push x", true],
		["git push*", "git pushes", true],
		['Bash(git commit -m "a b")', "git commit -m 'a b'", true],
		["Bash(echo \\*)", "echo '*'", true],
		["Bash(echo \\*)", "echo 'a'", false],
	])("%s for %s: %s", (text, command, isNamed) => {
		expect(judged(command, { allow: [text] })).toBe(isNamed ? "allowed" : "unnamed");
		expect(judged(command, { deny: [text] })).toBe(isNamed ? "denied" : "unnamed");
	});

	test.each(["", "Read(./src/**)", "WebFetch", "mcp__x__y", "Bash(git push", "a\nb", "x".repeat(501)])(
		"%j is refused, with a reason",
		(text) => expect(parseRule(text)).toMatchObject({ is: "bad", reason: expect.stringMatching(/./) }),
	);
});

describe("of several sources", () => {
	const user = rules({ ask: ["git push"], allow: ["npm test", "make"], source: "user" });
	const project = rules({ ask: ["make"], deny: ["rm"], source: "project" });
	const line = rules({ allow: ["git push", "rm"], source: "line" });
	const all = [BUILT_IN_RULES, user, project, line];

	test("a rule that denies counts whoever allows", () =>
		expect(judgeCommand("rm x", all)).toEqual({ is: "denied", part: "rm x", rule: "rm", source: "project" }));
	test("the highest that names a command counts", () => {
		expect(judgeCommand("git push", all).is).toBe("allowed");
		expect(judgeCommand("git push", all.slice(0, 3))).toMatchObject({ is: "asks", source: "user" });
		expect(judgeCommand("make", all)).toMatchObject({ is: "asks", source: "project" });
		expect(judgeCommand("npm test", all).is).toBe("allowed");
	});
	test("one that asks counts before one that allows beside it", () =>
		expect(judged("git push x", { allow: ["git"], ask: ["git push"] })).toBe("asks"));
	test("every part of a command has to be allowed, and each is looked at", () => {
		expect(judgeCommand("npm test && curl x", all)).toEqual({ is: "unnamed", part: "curl x" });
		expect(judgeCommand("npm test && cargo publish", all)).toMatchObject({ is: "asks", part: "cargo publish" });
	});
	test("one for all commands allows what cannot be read, but not where another denies something", () => {
		expect(judged("eval $x", { allow: ["Bash"] })).toBe("allowed");
		expect(judged("eval $x", { allow: ["Bash"], deny: ["git push"] })).toBe("asks");
	});
	test("what cannot be read is asked about for no rule that comes with the program", () =>
		expect(judgeCommand("git $x", [BUILT_IN_RULES])).toMatchObject({ is: "unnamed" }));
});

describe("the rules that come with the program", () => {
	test.each(["ls -la", "cat x | head -5", "grep -r x . | wc -l", "git status && pwd", "command -v git", "cd x; ls"])(
		"allow what only reads: %s",
		(command) => expect(judgeCommand(command, [BUILT_IN_RULES]).is).toBe("allowed"),
	);
	test.each(["cat x > y", "echo x >> y", "cat $(rm x)", "ls; rm x", "git -c core.pager=x status"])(
		"do not allow what may write: %s",
		(command) => expect(judgeCommand(command, [BUILT_IN_RULES]).is).toBe("unnamed"),
	);
	test.each(["git push", "git -C x push --force", "npm --prefix x publish", "cargo +nightly publish", "docker push x"])(
		"ask about what others see: %s",
		(command) => expect(judgeCommand(command, [BUILT_IN_RULES]).is).toBe("asks"),
	);
});

test("odd input of any kind is judged in bounded time, and never throws", () => {
	const signs = "' \" ` $( ${ $(( ) )) } { ( < > & | ; ;; [[ ]] \\ # = * $' \uffff é \u{1f600} \r";
	const words = "git push <<EOF EOF case in esac for do done if then fi function xargs eval";
	const pieces = [...signs.split(" "), ...words.split(" "), " ", "\n", "bash -c"];
	let seed = 7;
	const next = () => {
		seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
		return seed;
	};
	const sets = [BUILT_IN_RULES, rules({ deny: ["git push"], allow: ["git * x", "* a * b * c"] })];
	for (let n = 0; n < 3_000; n++) {
		const command = Array.from({ length: 1 + (next() % 25) }, () => pieces[(next() >> 8) % pieces.length]).join(
			next() % 2 ? "" : " ",
		);
		expect(judgeCommand(command, sets).is, command).toMatch(/^(denied|asks|allowed|unnamed)$/);
	}
	for (const long of [
		"$(".repeat(50_000),
		"(".repeat(50_000),
		"a ".repeat(100_000),
		"`".repeat(50_001),
		"a;".repeat(50_000),
		"bash -c ".repeat(10_000),
		"x=$((".repeat(9_000),
	])
		expect(judgeCommand(long, sets).is).toMatch(/^(asks|unnamed)$/);
}, 20_000);
