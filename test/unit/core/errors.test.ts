import { expect, test } from "vitest";
import { exitCodeOf } from "../../../src/core/errors.ts";
import { adviceToPerson, shortageOf } from "../../../src/core/machine/errno-advice.ts";
import type { Ending } from "../../../src/core/model/agent.ts";

const TABLE: [Ending, number][] = [
	[{ by: "answer" }, 0],
	[{ by: "failure", reason: "an empty answer", exitCode: 1 }, 1],
	[{ by: "failure", reason: "a bug", exitCode: 70 }, 70],
	[{ by: "failure", reason: "out of reach", exitCode: 75 }, 75],
	[{ by: "failure", reason: "no key", exitCode: 77 }, 77],
	[{ by: "limit", limit: "max-turns", reason: "turn limit reached" }, 3],
	[{ by: "stopped", reason: "Ctrl-C", signal: 2 }, 130],
	[{ by: "stopped", reason: "terminated", signal: 15 }, 143],
	[{ by: "stopped", reason: "the terminal closed", signal: 1 }, 129],
	[{ by: "killed", signal: "SIGKILL" }, 137],
	[{ by: "killed", signal: "SIGSEGV" }, 139],
	[{ by: "crashed", reason: "its process died" }, 70],
];

test.each(TABLE)("the ending %j has exit code %i", (ending, code) => {
	expect(exitCodeOf(ending)).toBe(code);
});

test("no ending but an answer has exit code 0, also when its signal has no number here", () => {
	expect(exitCodeOf({ by: "killed", signal: "SIGUNHEARDOF" })).toBeGreaterThan(128);
});

const error = (code: string) => Object.assign(new Error(code), { code });

test("the model and a person are told the same of an error, and each what they can do about it", () => {
	expect(shortageOf(error("EMFILE"))).toBe(
		"too many files are open (EMFILE): run fewer commands at the same time, then try again",
	);
	expect(adviceToPerson("EMFILE")).toBe("too many files are open (EMFILE); raise ulimit -n");
});

test("what the model can do nothing about is no shortage", () => {
	expect(shortageOf(error("EACCES"))).toBeUndefined();
	expect(adviceToPerson("EACCES")).toBe("permission denied (EACCES); set AGENTREE_HOME to a directory you own");
});
