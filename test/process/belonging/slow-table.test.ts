/** Where a look at the process table starts a process, only the topmost of the agents that are stopped looks. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { hasEnded, procTable } from "../../../src/processes/table/process-table.ts";
import { WAIT } from "../../wait.ts";
import { start } from "../bash/bash-command.ts";

function slowTable() {
	const looks = { made: 0 };
	const freshLook = async () => {
		looks.made++;
		return procTable.look();
	};
	return { table: { ...procTable, newestPid: () => undefined, freshLook, isCostly: true }, looks };
}

const livingIn = (session: number) =>
	procTable.list().filter((info) => info.session === session && !hasEnded(info)).length;

test("a stop that an agent above has carried out ends the shell's group by SIGTERM, or after the grace, without a look", async () => {
	// Seen to fail with `endStopped` going to `endAll`: two looks at least, by each agent of a tree at once.
	for (const [command, graceMs, living] of [
		["sleep 61 & sleep 62", 5_000, 3],
		["trap '' TERM; echo ready; while :; do sleep 0.05; done", 100, 2],
	] as const) {
		const { table, looks } = slowTable();
		const above = { agent: "1.2", waitForParentKill: async () => true };
		const running = start(command, { table, limits: { graceMs }, ...above });
		const { pid } = await running.started;
		await vi.waitFor(() => expect(livingIn(pid)).toBe(living), WAIT);
		running.stop("enough");
		const { end, leftRunning } = await running.ended;
		expect([end, leftRunning, looks.made]).toEqual([{ by: "stopped", reason: "enough" }, [], 0]);
		await vi.waitFor(() => expect(livingIn(pid)).toBe(0), WAIT);
	}
});

test.each(["1", "1.2"])(
	"a stop of agent %s that no agent above has carried out also ends processes that have left the group",
	async (agent) => {
		const { table } = slowTable();
		const { directory, ...running } = start("env -i setsid sleep 65 & echo $! > pid; sleep 66", {
			...{ table, agent, waitForParentKill: async () => agent === "1" },
		});
		const escapee = () => Number(readFileSync(join(directory, "pid"), "utf8"));
		await vi.waitFor(() => expect(procTable.read(escapee())?.name).toBe("sleep"), WAIT);
		running.stop("enough");
		await running.ended;
		const info = procTable.read(escapee());
		expect(info === undefined || hasEnded(info)).toBe(true);
	},
);

test("a timeout looks for processes that have left the shell's group, and does not look again for what it has ended", async () => {
	const { table, looks } = slowTable();
	const { end, leftRunning } = await start("setsid sleep 63 & sleep 64", { table, timeoutMs: 300 }).ended;
	expect([end.by, leftRunning]).toEqual(["timeout", []]);
	expect(looks.made).toBeGreaterThanOrEqual(2);
});
