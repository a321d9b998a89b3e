import { expect, test } from "vitest";
import {
	hasStartedBefore,
	isAlive,
	isSameStart,
	listInSlices,
	type ProcessInfo,
	type ProcessTable,
	parseEnvironment,
	parseNewestPid,
	parseStat,
	procTable,
	secondsAsStartTime,
	shareLooks,
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

test("two starts in ticks are the same only when all their digits are", () => {
	expect(isSameStart("8861", "8861")).toBe(true);
	expect(isSameStart("8861", "8862")).toBe(false);
});

test("starts in seconds are the same when a second apart: the clock may have been set between two looks", () => {
	const at = secondsAsStartTime(1_795_822_342);
	expect(at).toBe("ps:1795822342");
	expect([-2, -1, 0, 1, 2].map((s) => isSameStart(at, secondsAsStartTime(1_795_822_342 + s)))).toEqual([
		...[false, true, true, true, false],
	]);
});

test("starts of two readers are never the same, and neither is before the other", () => {
	for (const [ticks, seconds] of [
		["8861", "ps:8861"],
		["0", "ps:0"],
	] as const) {
		expect([isSameStart(ticks, seconds), isSameStart(seconds, ticks)]).toEqual([false, false]);
		expect([hasStartedBefore(ticks, "ps:99999"), hasStartedBefore(seconds, "99999")]).toEqual([false, false]);
	}
});

test("starts of one reader are ordered by number, those in seconds only when more than a second apart", () => {
	expect([hasStartedBefore("999", "1000"), hasStartedBefore("1000", "1000"), hasStartedBefore("1001", "1000")]).toEqual(
		[true, false, false],
	);
	expect(["ps:97", "ps:98", "ps:99", "ps:100"].map((start) => hasStartedBefore(start, "ps:99"))).toEqual([
		...[true, false, false, false],
	]);
});

test("it finds this process and its parent, and lets the event loop go on between two slices", async () => {
	let rounds = 0;
	const count = () => {
		rounds += 1;
		timer = setImmediate(count);
	};
	let timer = setImmediate(count);
	const pids = (await listInSlices(procTable)).map(({ pid }) => pid);
	clearImmediate(timer);
	expect(pids).toEqual(expect.arrayContaining([process.pid, process.ppid]));
	expect(new Set(pids).size).toBe(pids.length);
	expect(rounds).toBeGreaterThanOrEqual(Math.floor(pids.length / 100));
});

test("a table of which a look is costly is asked for one look, and no process by itself", async () => {
	const info = { pid: 7, parent: 1, group: 7, session: 7, startTime: "ps:1", state: "S", name: "sleep" };
	const look = { list: () => [info], read: () => expect.unreachable(), environment: () => undefined };
	const table: ProcessTable = {
		...look,
		newestPid: () => undefined,
		look: () => look,
		freshLook: async () => look,
		isCostly: true,
	};
	expect(await listInSlices(table)).toEqual([info]);
});

test("a call during the rest gets the one look that begins when the rest is over", async () => {
	let looks = 0;
	let endRest = () => {};
	const rest = () =>
		new Promise<void>((resolve) => {
			endRest = resolve;
		});
	const look = shareLooks(async () => ++looks, rest);
	expect(await Promise.all([look(), look()])).toEqual([1, 1]);
	const later = [look(), look()];
	await new Promise((resolve) => void setTimeout(resolve, 0));
	expect(looks).toBe(1);
	endRest();
	expect(await Promise.all(later)).toEqual([2, 2]);
});

test("a look that fails rejects for all its callers, and the next is made at once", async () => {
	let looks = 0;
	const look = shareLooks(
		async () => {
			if (looks++ === 0) throw new Error("EAGAIN");
			return looks;
		},
		() => new Promise(() => {}),
	);
	const outcomes = await Promise.allSettled([look(), look()]);
	expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
	expect(await look()).toBe(2);
});
