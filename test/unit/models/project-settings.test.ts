import { expect, test } from "vitest";
import { parseProjectSettings } from "../../../src/models/user-configuration.ts";

test("a project asks and denies, and what else it says has no effect", () => {
	const text =
		'permissions:\n  ask: ["Bash(make *)"]\n  deny: [rm]\n  allow: [ls]\nsandbox: { mode: off }\nask: never\n';
	expect(parseProjectSettings(text, "c.yaml")).toEqual({
		...{ ask: ["Bash(make *)"], deny: ["rm"] },
		notices: [
			"c.yaml: its allow rules are ignored: a project can only ask and deny",
			"c.yaml: only permissions are used, not sandbox, ask",
		],
	});
});

test.each(["", "# nothing\n"])("of %j there is nothing", (text) => {
	expect(parseProjectSettings(text, "c.yaml")).toEqual({ ask: [], deny: [], notices: [] });
});

test.each([
	["permissions:\n  deny: ['Read(x)']\n", "c.yaml:2:10: the rule Read(x)"],
	["permissions:\n  denied: [rm]\n", "c.yaml:2:3"],
	["permissions: [", "c.yaml:1:"],
	["- x\n", "c.yaml:1:1"],
])("%j is an error that says where it stands", (text, expected) => {
	expect(() => parseProjectSettings(text, "c.yaml")).toThrow(expected);
});
