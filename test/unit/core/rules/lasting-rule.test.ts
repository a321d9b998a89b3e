import { expect, test } from "vitest";
import { BUILT_IN_RULES } from "../../../../src/core/rules/built-in-rules.ts";
import { commandParts } from "../../../../src/core/rules/command-parts.ts";
import { judgeCommand } from "../../../../src/core/rules/decide-command.ts";
import { allowingRules, lastingRule } from "../../../../src/core/rules/lasting-rule.ts";
import { ruleSet } from "../../../../src/core/rules/rule.ts";

test.each([
	["npm run test -- --watch", "Bash(npm run test *)"],
	["npm install x", "Bash(npm install *)"],
	["git push origin main", "Bash(git push *)"],
	["git -C x push", "Bash(git -C x push)"],
	["tsc --noEmit", "Bash(tsc *)"],
	["tsc", "Bash(tsc)"],
	["rm -rf build", "Bash(rm -rf build)"],
	["rm 'a*'", "Bash(rm a\\*)"],
	["python x.py", "Bash(python x.py)"],
	["cd x && make build | head -5", "Bash(make build *)"],
	["make a && npm b", undefined],
	["eval $x", undefined],
	["make > file", undefined],
	["A=1 make", "Bash(A=1 make)"],
	["A=1 npm test", "Bash(A=1 npm test *)"],
	["A='b c' make", undefined],
	["A=$x make", undefined],
	["timeout 5 make", "Bash(make)"],
	["timeout 5 make > x", undefined],
	["sudo make", "Bash(sudo make)"],
	["export A=1 && ls", "Bash(export A=1)"], // seen to fail: `export *` lets PATH be set
	["bash -c 'make a; npm b'", undefined],
	["rm $x", undefined],
	["ls", undefined],
])("always %s: %s", (command, rule) => {
	expect(lastingRule(command, { mode: "always", rules: [BUILT_IN_RULES] })).toBe(rule);
	if (rule === undefined) return;
	const granted = ruleSet({ source: "an answer", allow: [rule], ask: [], deny: [] });
	expect(judgeCommand(commandParts(command), [BUILT_IN_RULES, granted]).is).toBe("allowed");
});

test.each([
	["touch a; git push; touch b", "Bash(git push *)"],
	["git push && npm publish", undefined],
	["rm -rf /etc/x", "Bash(rm -rf /etc/x)"],
	["cd / && rm x", undefined],
	["git push > log", undefined],
])("at the edge it names what is asked about: %s: %s", (command, rule) => {
	const deletes = { directory: "/w", home: "/home/me", within: ["/w"] };
	expect(lastingRule(command, { mode: "edge", rules: [BUILT_IN_RULES], deletes })).toBe(rule);
});

test.each([
	["make a && FOO=bar npm b", ["Bash(make a *)", "Bash(FOO=bar npm b *)"]],
	["make a && make a", ["Bash(make a *)"]],
	["make > file", ["Bash"]],
	["eval $x", ["Bash"]],
	["a b; c d; e f; g h; i j", ["Bash"]],
	["curl x", []],
])("what would let it run where nobody is asked: %s: %j", (command, expected) => {
	const rules = [
		BUILT_IN_RULES,
		ruleSet({ source: "you", allow: [], ask: [], deny: command === "curl x" ? ["curl"] : [] }),
	];
	expect(allowingRules(command, { mode: "always", rules })).toEqual(expected);
});
