import * as v from "valibot";
import { expect, test } from "vitest";
import { exitStatus, logPath, signal } from "../../../../src/core/schemas/values.ts";

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

test("signals and exit statuses are numbers that the system takes", () => {
	// Seen to end the run as a bug: process.exit throws on 130.5.
	const numbers = [-1, 0, 1, 2.5, 64, 65, 255, 256, 1e300, "2"];
	expect(numbers.filter((number) => v.is(signal, number))).toEqual([1, 64]);
	expect(numbers.filter((number) => v.is(exitStatus, number))).toEqual([0, 1, 64, 65, 255]);
});
