import * as v from "valibot";
import { expect, test } from "vitest";
import { compareAgentIds, isAgentId, isWithin } from "../../../../src/core/model/agent.ts";
import { exitStatus, logPath, signal } from "../../../../src/core/schemas/values.ts";
import { diceOf } from "../../dice.ts";

test("an agent is within itself and those above it, never within one whose number only begins alike", () => {
	expect(isWithin("1.2", "1.2")).toBe(true);
	expect(isWithin("1.2.1", "1")).toBe(true);
	expect(isWithin("1.20", "1.2")).toBe(false);
	expect(isWithin("1", "1.2")).toBe(false);
});

test("parents come before children and siblings by number, from any order", () => {
	const inOrder = ["1", "1.1", "1.1.1", "1.2", "1.2.3", "1.2.11", "1.10", "1.10.1"];
	const dice = diceOf(7);
	for (let round = 0; round < 50; round++) {
		const shuffled = [...inOrder];
		for (let i = shuffled.length - 1; i > 0; i--) {
			const j = dice.roll(i + 1);
			[shuffled[i], shuffled[j]] = [shuffled[j] as string, shuffled[i] as string];
		}
		expect(shuffled.sort(compareAgentIds)).toEqual(inOrder);
	}
});

test.each(["1", "1.2", "1.2.30", "2"])("%j is an agent's id", (text) => {
	expect(isAgentId(text)).toBe(true);
});

test.each(["", "0", "01", "1.", ".1", "1..2", "1.0", "1.02", "1.2\n", " 1", "1/2", "-1", "1.x"])(
	"%j is no agent's id",
	(text) => {
		expect(isAgentId(text)).toBe(false);
	},
);

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
