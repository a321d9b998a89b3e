import { expect, test } from "vitest";
import { barePhrase } from "../../../../src/view/agents/agent-names.ts";

test.each([
	[`agent "sleep 631";`, `agent "sleep 631"`],
	["`make test`:", "make test"],
	["make test`", "make test"],
	["(first of all", "first of all"],
	["(first) of all", "(first) of all"],
	['"Fix it."', "Fix it"],
	["**Fix** it!", "Fix** it"],
	["f(x):", "f(x)"],
	["the user's", "the user's"],
	["--", "--"],
	["", ""],
])("%s without what surrounds it is %s", (phrase, bare) => expect(barePhrase(phrase)).toBe(bare));
