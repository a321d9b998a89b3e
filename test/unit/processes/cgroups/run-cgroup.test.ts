import { expect, test } from "vitest";
import { endWithCgroup, type RunCgroup } from "../../../../src/processes/cgroups/run-cgroup.ts";
import { cheapTable, type ProcessInfo } from "../../../../src/processes/table/process-table.ts";

const AGENT = { agent: "1.2", exceptPid: 100 };

/** A cgroup in which the processes `pidsNow` are, until it is killed. */
function cgroupOf(pidsNow: () => number[], mayKill = true) {
	const kills: [string, number | undefined][] = [];
	const cgroup: Pick<RunCgroup, "pids" | "kill"> = {
		pids: (agent) => (agent !== "1.2" ? [] : kills.length > 0 && mayKill ? [100] : [100, ...pidsNow()]),
		kill: (agent, exceptPid) => {
			kills.push([agent, exceptPid]);
			return mayKill;
		},
	};
	return { kills, cgroup: cgroup as RunCgroup };
}

function requestOf(alive: ReadonlyMap<number, ProcessInfo>, deadBy: "SIGTERM" | "nothing") {
	const sent: [number, string][] = [];
	const living = new Map(alive);
	const kill = (pid: number, signal: string) => {
		sent.push([pid, signal]);
		if (signal === deadBy) living.delete(pid);
	};
	const table = cheapTable({ list: () => [], read: (pid) => living.get(pid), environment: () => undefined });
	const request = { table, find: () => [], graceMs: 1000, kill };
	return { sent, request: { ...request, wait: async () => {} } };
}

const info = (pid: number): ProcessInfo => ({
	...{ pid, startTime: "9", parent: 1, group: pid, session: pid, state: "T", name: "x" },
});

test("processes in the agent's cgroup are ended one by one, the agent's own is left alone, and the kernel is not asked", async () => {
	const { sent, request } = requestOf(new Map([100, 200].map((pid) => [pid, info(pid)])), "SIGTERM");
	const { kills, cgroup } = cgroupOf(() => (sent.length === 0 ? [200] : []));
	expect(await endWithCgroup(request, { cgroup, ...AGENT })).toEqual([]);
	expect([sent, kills]).toEqual([[[200, "SIGTERM"]], []]);
});

test("the kernel kills what forks faster than it can be looked for and signaled", async () => {
	// Seen to fail when only the survivors of `endProcesses` counted: it was never killed, and said to be gone.
	let newest = 200;
	const { sent, request } = requestOf(new Map(), "nothing");
	const { kills, cgroup } = cgroupOf(() => [newest++]);
	expect(await endWithCgroup(request, { cgroup, ...AGENT })).toEqual([]);
	expect([sent, kills]).toEqual([[], [["1.2", 100]]]);
});

test("where the kernel cannot kill a cgroup, the survivors are told", async () => {
	const { request } = requestOf(new Map([[200, info(200)]]), "nothing");
	const { kills, cgroup } = cgroupOf(() => [200], false);
	expect(await endWithCgroup(request, { cgroup, ...AGENT })).toEqual([{ pid: 200, startTime: "9" }]);
	expect(kills).toEqual([["1.2", 100]]);
});

test("without a cgroup only the processes that were found are ended", async () => {
	const { sent, request } = requestOf(new Map([[200, info(200)]]), "SIGTERM");
	expect(await endWithCgroup(request, { cgroup: undefined, ...AGENT })).toEqual([]);
	expect(sent).toEqual([]);
});
