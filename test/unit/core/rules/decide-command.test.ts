import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { BUILT_IN_RULES } from "../../../../src/core/rules/built-in-rules.ts";
import { decideCommand, type Policy } from "../../../../src/core/rules/decide-command.ts";
import { ruleSet } from "../../../../src/core/rules/rule-set.ts";

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

test("a rule that denies counts for what a variable says, and for what git and the tools of packages run", () => {
	const rules = [ruleSet({ source: "you", allow: ["Bash"], ask: [], deny: ["git push", "npm publish"] })];
	for (const mode of ["edge", "always", "never", "skipped"] as const)
		for (const command of [
			"G=git; $G push",
			"git rebase -x 'git push' main",
			"pnpm dlx npm publish",
			"git bisect run git push",
		])
			expect([command, decideCommand(command, { mode, rules })]).toMatchObject([command, { is: "refused" }]);
});
