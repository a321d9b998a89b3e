import { expect, test } from "vitest";
import type { Cause } from "../../../../src/view/causes/cause.ts";
import { causeLine, causeLines } from "../../../../src/view/causes/cause.ts";
import { T0 } from "../../record/fabricate.ts";

const waits = (agent: string, child: string): Cause => ({ is: "waits_for", at: T0, agent, child });
const runs = (agent: string, commandText: string): Cause => ({
	is: "runs",
	at: T0,
	agent,
	command: 1,
	pid: 7,
	commandText,
});
const now = T0 + 112_000;

// Seen to fail when the line of the parent came again before each of its children.
test("an agent that waits for several children says so once", () => {
	const chain = [waits("1", "1.1"), runs("1.1", "make"), waits("1", "1.2"), waits("1.2", "1.2.1"), runs("1.2.1", "ls")];
	expect(causeLines(chain, now)).toEqual([
		"1 is still running because it is waiting for 1.1, 1.2, the first started at 20:15:30.000",
		"1.1 is still running because it has been running `make` (process 7) since 20:15:30.000",
		"1.2 is still running because it is waiting for 1.2.1, which it started at 20:15:30.000",
		"1.2.1 is still running because it has been running `ls` (process 7) since 20:15:30.000",
	]);
	const many = Array.from({ length: 30 }, (_, i) => waits("1", `1.${i + 1}`));
	expect(causeLines(many, now)).toEqual([
		"1 is still running because it is waiting for 1.1, 1.2, 1.3, 1.4, 1.5 … (30 in all), the first started at 20:15:30.000",
	]);
});

test("an agent whose call is made again says when, and what broke it", () => {
	const retry = { attempt: 3, nextAt: T0 + 12_000, reason: "overloaded" };
	expect(causeLine({ is: "thinks", at: T0, agent: "1.2", turn: 4, retry }, now)).toBe(
		"1.2 is still running because it has been thinking since 20:15:30.000, in turn 4; its call broke off (overloaded), and the 3rd retry is at 20:15:42.000",
	);
});

test("a command of many lines is told by its first line, and a long one by its beginning", () => {
	const script = `for i in 1 2 3\ndo\n\techo $i\ndone\n${"true\n".repeat(50)}`;
	const line = causeLine(runs("1", script), now);
	expect(line).toMatch(/^1 is still running because it has been running `for i in 1 2 3 …` \(/);
	expect(causeLine(runs("1", "x".repeat(5000)), now).length).toBeLessThan(180);
});

test("a running command says how long it has been silent, and what it has computed", () => {
	const activity = {
		agent: "1",
		command: 1,
		silentSince: T0 + 2_000,
		cpuMs: 0,
		processes: [{ pid: 7, name: "flock" }],
	};
	expect(causeLine({ ...runs("1", "flock .lock"), activity } as Cause, now)).toBe(
		"1 is still running because it has been running `flock .lock` (process 7) since 20:15:30.000: no output for 1m50s, 0.0 s CPU time",
	);
});

test("an agent whose service takes no calls says until when, and why; after that it just thinks", () => {
	const thinks = {
		is: "thinks",
		at: T0,
		agent: "1",
		turn: 2,
		slowed: { reason: "too many", until: now + 5_000 },
	} as const;
	expect(causeLine(thinks, now)).toBe(
		"1 is still running because it has been thinking since 20:15:30.000, in turn 2; the service accepts no calls before 20:17:27.000 (too many)",
	);
	expect(causeLine(thinks, now + 5_000)).toMatch(/in turn 2$/);
});
