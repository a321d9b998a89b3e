import { expect, test } from "vitest";
import {
	isAlive,
	type ProcessInfo,
	parseEnvironment,
	parseNewestPid,
	parseStat,
} from "../../../../src/processes/table/process-table.ts";

const REST = "4194560 117 0 0 0 150 25 30 5 20 0 1 0 8861 4624384 875 18446744073709551615 0 0";

test("a stat line gives parent, group, session, state, start time, and what it and its ended children have computed", () => {
	expect(parseStat(`77 (bash) S 12 77 70 0 -1 ${REST}`, 1000)).toEqual({
		pid: 77,
		startTime: "8861",
		parent: 12,
		group: 77,
		session: 70,
		state: "S",
		name: "bash",
		uid: 1000,
		cpuMs: 2_100,
	});
});

test("a name with spaces, parentheses and newlines does not shift the fields", () => {
	for (const name of ["a b", ") R 1 1 1", "((", "x) (y", "line\nline", ""])
		expect(parseStat(`77 (${name}) Z 12 77 70 0 -1 ${REST}`)).toMatchObject({
			name,
			state: "Z",
			parent: 12,
			session: 70,
		});
});

test("a stat line that is cut or empty is no process", () => {
	expect(parseStat("")).toBeUndefined();
	expect(parseStat("77 (ba")).toBeUndefined();
	expect(parseStat("77 (bash) S 12 77")).toBeUndefined();
});

test("an environment keeps the first of two equal names, values with = and newlines, and skips what is no pair", () => {
	expect(parseEnvironment("A=1\0B=x=y\nz\0=odd\0none\0A=2\0EMPTY=\0")).toEqual({ A: "1", B: "x=y\nz", EMPTY: "" });
});

test("the newest pid is the last word of loadavg", () => {
	expect(parseNewestPid("0.20 0.18 0.12 1/80 11206\n")).toBe(11206);
	expect(parseNewestPid("0.00 0.00 0.00 0/0 0\n")).toBeUndefined();
	expect(parseNewestPid("")).toBeUndefined();
});

test("alive means: there, with the same start time, and no zombie", () => {
	const info: ProcessInfo = { pid: 7, startTime: "5", parent: 1, group: 7, session: 7, state: "S", name: "x" };
	const tableWith = (state: string) => ({ read: (pid: number) => (pid === 7 ? { ...info, state } : undefined) });
	for (const state of ["S", "R", "D", "T", "t", "I"])
		expect(isAlive(tableWith(state), { pid: 7, startTime: "5" })).toBe(true);
	for (const state of ["Z", "X", "x"]) expect(isAlive(tableWith(state), { pid: 7, startTime: "5" })).toBe(false);
	expect(isAlive(tableWith("S"), { pid: 7, startTime: "6" })).toBe(false);
	expect(isAlive(tableWith("S"), { pid: 8, startTime: "5" })).toBe(false);
});
