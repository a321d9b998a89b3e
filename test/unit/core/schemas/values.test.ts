import * as v from "valibot";
import { expect, test } from "vitest";
import { logPath } from "../../../../src/core/schemas/values.ts";

test("a command's log lies in out/ and has a name that every system takes", () => {
	// Seen to fail with any text, whose length a look at the file's size threw on.
	const names = [
		"out/0003.log",
		"out/12345.log",
		"../../x",
		"out/../x.log",
		"/etc/passwd",
		"out/a/b.log",
		"",
		"x".repeat(5_000),
	];
	expect(names.filter((name) => v.is(logPath, name))).toEqual(["out/0003.log", "out/12345.log"]);
	expect(v.is(logPath, `out/${"0".repeat(300)}.log`)).toBe(false);
});
