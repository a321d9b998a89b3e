import { expect, test } from "vitest";
import { cheapTable, type ProcessInfo } from "../../../src/processes/process-table.ts";
import { endWithGroup, type RunCgroup } from "../../../src/processes/run-cgroup.ts";

const AGENT = { agent: "1.2", spared: 100 };

/** A group in which `pidsNow` is, until it is killed. */
function groupOf(pidsNow: () => number[], mayKill = true) {
	const kills: [string, number | undefined][] = [];
	const group: Pick<RunCgroup, "pids" | "kill"> = {
		pids: (agent) => (agent !== "1.2" ? [] : kills.length > 0 && mayKill ? [100] : [100, ...pidsNow()]),
		kill: (agent, spared) => {
			kills.push([agent, spared]);
			return mayKill;
		},
	};
	return { kills, group: group as RunCgroup };
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

test("what is in the agent's group is ended one by one, the agent itself is spared, and the kernel is not asked", async () => {
	const { sent, request } = requestOf(new Map([100, 200].map((pid) => [pid, info(pid)])), "SIGTERM");
	const { kills, group } = groupOf(() => (sent.length === 0 ? [200] : []));
	expect(await endWithGroup(request, { group, ...AGENT })).toEqual([]);
	expect([sent, kills]).toEqual([[[200, "SIGTERM"]], []]);
});

test("what forks faster than one can look, so that no signal meets it, the kernel ends", async () => {
	// Seen to fail with only what `endProcesses` left counted: never killed, and told to be gone.
	let newest = 200;
	const { sent, request } = requestOf(new Map(), "nothing");
	const { kills, group } = groupOf(() => [newest++]);
	expect(await endWithGroup(request, { group, ...AGENT })).toEqual([]);
	expect([sent, kills]).toEqual([[], [["1.2", 100]]]);
});

test("where the kernel cannot, what survives is told", async () => {
	const { request } = requestOf(new Map([[200, info(200)]]), "nothing");
	const { kills, group } = groupOf(() => [200], false);
	expect(await endWithGroup(request, { group, ...AGENT })).toEqual([{ pid: 200, startTime: "9" }]);
	expect(kills).toEqual([["1.2", 100]]);
});

test("without any group nothing but what was found is ended", async () => {
	const { sent, request } = requestOf(new Map([[200, info(200)]]), "SIGTERM");
	expect(await endWithGroup(request, { group: undefined, ...AGENT })).toEqual([]);
	expect(sent).toEqual([]);
});
