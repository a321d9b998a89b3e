import { expect, test } from "vitest";
import { listInSlices, type ProcessTable, procTable } from "../../../../src/processes/table/process-table.ts";

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
