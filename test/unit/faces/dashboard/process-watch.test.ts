import { expect, test } from "vitest";
import type { RunState } from "../../../../src/core/run/run-state.ts";
import { ProcessWatch } from "../../../../src/faces/dashboard/command-watch.ts";
import type { ProcessInfo, ProcessTable } from "../../../../src/processes/table/process-table.ts";
import { RecordedRun } from "../../../../src/record/run-source.ts";
import { commandStarted, joined, runOf } from "../../core/run-of.ts";
import { temporaryHome } from "../../record/fabricate.ts";

/** Its supervisor has pid 50, its agent pid 100, whose command has the shell 201. */
const RUN: RunState = runOf(joined("1"), commandStarted("1", 1));

const info = (pid: number, parent: number, changes: Partial<ProcessInfo> = {}): ProcessInfo => ({
	...{ pid, parent, group: pid, session: pid, startTime: "20", state: "S", name: `p${pid}`, cpuMs: 10 },
	...changes,
});
const PROCESSES = [
	info(50, 1, { startTime: "5" }),
	info(100, 50, { startTime: "9" }),
	info(201, 100, { name: "bash" }),
	info(300, 201, { session: 201, group: 201, name: "make", cpuMs: 70 }),
];

function watching(processes: readonly ProcessInfo[] = PROCESSES, { isBroken = false } = {}) {
	const clock = { now: 1_000_000 };
	let looks = 0;
	const look = { list: () => [...processes], read: () => undefined, environment: () => undefined };
	const freshLook = async () => {
		looks += 1;
		if (isBroken) throw new Error("spawn ps EAGAIN");
		return look;
	};
	const table: ProcessTable = { ...look, newestPid: () => undefined, look: () => look, freshLook, isCostly: true };
	const deps = { record: new RecordedRun(temporaryHome()), now: () => clock.now, tableOf: () => table };
	return { watch: new ProcessWatch(deps), clock, looks: () => looks };
}

test("it tells what a command's processes have computed, and which they are", async () => {
	const { watch } = watching();
	expect(await watch.look(RUN, ["1"])).toEqual([
		{
			...{ agent: "1", command: 1, silentSince: undefined, cpuMs: 80 },
			processes: [
				{ pid: 201, name: "bash" },
				{ pid: 300, name: "make" },
			],
		},
	]);
});

// Seen to fail (the processes of strangers are shown) without the look for the supervisor.
test("where the supervisor is not to be seen the run's pids are those of strangers: nothing is told", async () => {
	const [, ...others] = PROCESSES;
	expect(await watching(others).watch.look(RUN, ["1"])).toEqual([]);
	expect(await watching([info(50, 1, { startTime: "6" }), ...others]).watch.look(RUN, ["1"])).toEqual([]);
});

test("it looks only for somebody, one look at a time, and not again too soon", async () => {
	const { watch, clock, looks } = watching();
	expect(await watch.look(RUN, [])).toEqual([]);
	expect(looks()).toBe(0);
	const both = await Promise.all([watch.look(RUN, ["1"]), watch.look(RUN, ["1"])]);
	expect([both.map((found) => found.length), looks()]).toEqual([[1, 0], 1]);
	for (const [now, count] of [
		[1_014_999, 1],
		[1_015_000, 2],
		[500_000, 3], // the time was set back
	] as const) {
		clock.now = now;
		await watch.look(RUN, ["1"]);
		expect(looks()).toBe(count);
	}
});

test("the more processes there are, the rarer it looks", async () => {
	const { watch, clock, looks } = watching(Array.from({ length: 6_000 }, (_, n) => info(1_000 + n, 1)));
	await watch.look(RUN, ["1"]);
	clock.now += 59_000;
	await watch.look(RUN, ["1"]);
	expect(looks()).toBe(1);
	clock.now += 1_000;
	await watch.look(RUN, ["1"]);
	expect(looks()).toBe(2);
});

test("a look that fails tells nothing, and is made again later", async () => {
	const { watch, clock, looks } = watching(PROCESSES, { isBroken: true });
	expect(await watch.look(RUN, ["1"])).toEqual([]);
	clock.now += 20_000;
	expect(await watch.look(RUN, ["1"])).toEqual([]);
	expect(looks()).toBe(2);
});
