import { expect, test } from "vitest";
import { startFailureOf } from "../../../src/processes/child-process.ts";

const failed = (code: string) => Object.assign(new Error(code), { code });

test("the program is not there when the directory is", () => {
	expect(startFailureOf(failed("ENOENT"), "/")).toBe("no_program");
});

test.each(["/nowhere/at/all", "/etc/passwd"])("nothing can be started in %s", (cwd) => {
	expect(["ENOENT", "ENOTDIR"].map((code) => startFailureOf(failed(code), cwd))).toEqual([
		"no_directory",
		"no_directory",
	]);
});

test("what may not be run, or entered, is one thing; all else is another", () => {
	expect(["EACCES", "EAGAIN"].map((code) => startFailureOf(failed(code), "/"))).toEqual(["not_permitted", "other"]);
});
