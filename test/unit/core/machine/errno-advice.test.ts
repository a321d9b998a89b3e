import { expect, test } from "vitest";
import { adviceToPerson, shortageOf } from "../../../../src/core/machine/errno-advice.ts";

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

test("of an error that is not in the table nothing is known", () => {
	expect(shortageOf(new Error("x"))).toBeUndefined();
	expect(adviceToPerson("EBUSY")).toBeUndefined();
});
