import { expect, test } from "vitest";
import { filterSessions, type Session } from "../../../../src/cli/sessions/session.ts";
import { runFile, T0 } from "../../record/fabricate.ts";

const session = (run: string, task: string): Session => ({
	...{ run, directory: run, file: runFile({ run, task }), state: "answered", usedAt: T0, totals: {} },
});
const SESSIONS = [
	session("20261127-201530-aaaa", "Fix the PARSER\nof TOML"),
	session("20261127-201530-bbbb", "Über alles"),
];
const SAID: Readonly<Record<string, string>> = { "20261127-201530-bbbb": "and the tests" };

test.each([
	["", ["aaaa", "bbbb"]],
	["  ", ["aaaa", "bbbb"]],
	["toml parser", ["aaaa"]],
	["bbb", ["bbbb"]],
	["u\u0308BER", ["bbbb"]],
	["über tests", ["bbbb"]],
	["fix tests", []],
	["\u001b[31mfix", ["aaaa"]],
])("%j finds %j", (words, found) => {
	const filtered = filterSessions(SESSIONS, words, ({ run }) => SAID[run] ?? "");
	expect(filtered.map(({ run }) => run.slice(-4))).toEqual(found);
});

test("what was said is read only where the task has not all words", () => {
	const read: string[] = [];
	filterSessions(SESSIONS, "parser", ({ run }) => {
		read.push(run.slice(-4));
		return "";
	});
	expect(read).toEqual(["bbbb"]);
});
