import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BUILT_IN_RULES } from "../../../../src/core/rules/built-in-rules.ts";
import { decideCommand, type Policy } from "../../../../src/core/rules/decide-command.ts";
import { ruleSet } from "../../../../src/core/rules/rule.ts";

const deletes = { directory: "/w/tree/src", home: "/home/me", within: ["/w/tree", "/tmp", "/var/tmp", "/dev/shm"] };
const edge: Policy = { mode: "edge", rules: [BUILT_IN_RULES], deletes };
const lines = readFileSync(new URL("at-the-edge.txt", import.meta.url), "utf8")
	.trimEnd()
	.split("\n");
const commands = lines.flatMap((line) => {
	const [, is = "", command = ""] = /^(asks|runs): (.*)$/.exec(line) ?? [];
	return is === ""
		? []
		: [{ is: is === "asks" ? "asks" : "run", command: command.replaceAll("\\n", "\n").replaceAll("\\\\", "\\") }];
});

// Seen to run without a question: `rm -rf "$HOME/x"`, `find /etc -exec rm {} +`, `git submodule foreach git push`, `python -m twine upload`.
test("what others would see, or deletes outside of the work tree, is asked about in all spellings, and daily work is not", () => {
	const others = commands.filter(({ is, command }) => decideCommand(command, edge).is !== is);
	expect(others).toEqual([]);
	expect(commands.length).toBeGreaterThan(400);
});

test("a rule that denies counts for what git and the tools of packages run", () => {
	const rules = [ruleSet({ source: "you", allow: ["Bash"], ask: [], deny: ["git push", "npm publish"] })];
	for (const mode of ["edge", "always", "never", "skipped"] as const)
		for (const command of ["git rebase -x 'git push' main", "pnpm dlx npm publish", "git bisect run git push"])
			expect([command, decideCommand(command, { mode, rules })]).toMatchObject([command, { is: "refused" }]);
});

const allowing = ruleSet({ source: "you", allow: ["go test", "git push", "ls"], ask: [], deny: ["docker run"] });
const shut: Policy = { mode: "always", rules: [BUILT_IN_RULES, allowing] };

test.each([
	["FOO=bar go test", "no rule allows FOO=bar go test; a rule would allow it if FOO=bar were left out"],
	[
		"CI=1 FOO='a b' go test ./...",
		"no rule allows CI=1 FOO='a b' go test ./...; a rule would allow it if FOO='a b' were left out",
	],
	['FOO="$x" go test', 'no rule allows FOO="$x" go test; a rule would allow it if FOO="$x" were left out'],
	["FOO=bar go build", "no rule allows FOO=bar go build"],
	[
		"cd x && go test -v > out.txt 2>&1; ls",
		"no rule allows go test -v > out.txt 2>&1; a rule would allow it if > out.txt were left out",
	],
	["go test >> 'a b'", "no rule allows go test >> 'a b'; a rule would allow it if >> 'a b' were left out"],
	["go test && rm -rf x", "no rule allows rm -rf x"],
	["timeout 60 go test", undefined],
	["timeout 60 go build", "no rule allows go build"],
	["timeout 60 env A=1 go test", "no rule allows A=1 go test; a rule would allow it if A=1 were left out"],
	["sudo go test", "no rule allows sudo go test"],
	["bash -c 'go test && rm y'", "no rule allows rm y"],
	["cat <<EOF\n$(rm z)\nEOF", "no rule allows rm z"],
	["PATH=/x", "no rule allows PATH=/x"],
	["> x", "no rule allows > x"],
	[
		"git push 2> log",
		'the built-in rule "git push" matches git push 2> log; another rule would allow it if 2> log were left out',
	],
	["ls; docker  run x", "the rule docker run of you denies docker run x"],
])("what is not allowed names its cause: %s: %s", (command, because) => {
	const decided = decideCommand(command, shut);
	expect(decided.is === "run" ? undefined : decided.because).toBe(because);
});

test.each([
	['ls; eval "$x" y', 'commands known only at run time: eval "$x" y'],
	["ls; $x y | ls", "a program name known only at run time: $x y"],
	["ls; echo a | sh -s", "commands read from a shell's input: sh -s"],
	["ls; go test 'x", "a quote is never closed: go test 'x"],
	["ls $(go test; cat 'x)", "a quote is never closed: cat 'x)"],
	["ls; cat <<$(x)\nls", "a here-document end word that is not plain text: cat <<$(x)"],
	["timeout 5 $x", "a program name known only at run time: timeout 5 $x"],
])("what cannot be read is named with the part: %s: %s", (command, unread) => {
	const decided = decideCommand(command, { mode: "always", rules: [BUILT_IN_RULES] });
	expect(decided).toMatchObject({
		is: "asks",
		because: expect.stringContaining(`; part of it cannot be parsed: ${unread}`),
	});
});

test.each([
	["FOO=bar go test", "FOO=bar go test -v", true],
	["FOO=bar go test", "FOO=baz go test", false],
	["FOO=bar go test", "go test", false],
	["FOO=bar go test", "FOO=bar LD_PRELOAD=x go test", false],
	["FOO=bar go test", "CI=1 FOO=bar go test", true],
	["CI=1 go test", "CI=1 go test", true],
	["Bash(* test)", "LD_PRELOAD=x go test", false],
	["FOO=bar go test", "env FOO=bar go test", true],
	["FOO=a b go test", "FOO='a b' go test", false],
	["FOO=bar go test", "FOO=bar go test > x", false],
])("a rule %s for %s: %s", (rule, command, isAllowed) => {
	const rules = [ruleSet({ source: "you", allow: [rule], ask: [], deny: [] })];
	expect(decideCommand(command, { mode: "always", rules }).is).toBe(isAllowed ? "run" : "asks");
});

test("a rule that denies a command with a variable names it, too", () => {
	const rules = [ruleSet({ source: "you", allow: [], ask: [], deny: ["P=prod terraform apply"] })];
	expect(decideCommand("P=prod terraform apply -x", { mode: "edge", rules }).is).toBe("refused");
	expect(decideCommand("P=test terraform apply -x", { mode: "edge", rules }).is).toBe("run");
});
