import { expect, test } from "vitest";
import { isHarmlessChange } from "../../../src/sandbox/git/git-configuration.ts";

const BEFORE = '[core]\n\tbare = false\n[remote "origin"]\n\turl = https://example.org/a\n';
const added = (text: string) => isHarmlessChange(BEFORE, `${BEFORE}${text}`);

test("a new remote, a branch's upstream and an identity are harmless", () => {
	const remote = '[remote "b"]\n\turl = git@example.org:b.git\n\tfetch = +refs/heads/*:refs/remotes/b/*\n';
	const branch = '[branch "a.b"]\n\tremote = b\n\tmerge = refs/heads/a.b\n';
	expect(added(`${remote}# why\n\n${branch}[user]\n\tname = A B\n\temail = a@example.org\n`)).toBe(true);
	expect(isHarmlessChange(BEFORE, BEFORE)).toBe(true);
});

test.each([
	["[core]\n\tfsmonitor = ./evil\n"],
	['[remote "b"]\n\tuploadpack = ./evil\n'],
	['[remote "b"]\n\turl = ext::sh -c evil\n'],
	['[remote "origin"]\n\turl = https://example.com/evil\n'],
	['[url "https://example.com/"]\n\tinsteadOf = https://example.org/\n'],
	['[branch "a"]\n\tmergeOptions = -s evil\n'],
	["[include]\n\tpath = evil\n"],
	["[user]\n\tname = a\\\n[core]\n\tpager = evil\n"],
	["[user] name = a\n"],
	['[branch "a"]\n\tremote = b\r\n[core]\r\n\tpager = evil\n'],
])("nothing else is: %j", (text) => {
	expect(added(text)).toBe(false);
});

test("what is taken away counts as well", () => {
	expect(isHarmlessChange(`${BEFORE}[core]\n\tfsmonitor = false\n`, BEFORE)).toBe(false);
});
