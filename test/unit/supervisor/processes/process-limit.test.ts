import { expect, test } from "vitest";
import { type RunState, reduce } from "../../../../src/core/run/run-state.ts";
import type { ProcessInfo } from "../../../../src/processes/table/process-table.ts";
import { findBreach, groupsBelow, roomLeft } from "../../../../src/supervisor/processes/process-limit.ts";
import { RunProcesses } from "../../../../src/supervisor/processes/run-processes.ts";
import { ended } from "../../core/run-of.ts";
import { bomb, info, TREE, table, twoAgents } from "../two-agents.ts";

function ownedIn(
	processes: ProcessInfo[],
	run: RunState,
	cookies: Record<number, string> = {},
	members?: Map<number, string>,
) {
	const known = new RunProcesses(
		() => run,
		() => undefined,
	);
	known.addCommand({ agent: "1", command: 1, pid: 201, startTime: "9" }, table(TREE));
	known.addCommand({ agent: "1.1", command: 2, pid: 202, startTime: "9" }, table(TREE));
	return known.ownersIn(table(processes, cookies), (pid) => members?.get(pid));
}

function owners(processes: ProcessInfo[], cookies?: Record<number, string>) {
	const owned = ownedIn(processes, twoAgents(10), cookies);
	return Object.fromEntries(owned.map(({ info: { pid }, owner }) => [pid, owner]));
}

test("a process belongs to an agent by descent, by session or by cookie", () => {
	const strays = [info(300, 202, 300), info(301, 300, 301), info(400, 1, 400), info(401, 1, 401), info(402, 1, 402)];
	expect(owners([...TREE, ...strays, ...bomb(1)], { 400: "r1/1.1", 401: "r1/7", 402: "r2/1" })).toEqual({
		...{ 1: undefined, 50: undefined, 100: "1", 201: "1", 111: "1.1", 202: "1.1" },
		...{ 300: "1.1", 301: "1.1", 400: "1.1", 401: undefined, 402: undefined, 1000: "1.1" },
	});
});

test("a process in an agent's cgroup is its own, or that of an agent below without a cgroup", () => {
	const lost = [info(600, 1, 600), info(601, 1, 601), info(602, 202, 602), info(603, 1, 201), info(604, 603, 604)];
	const members = new Map([
		...([100, 201, 111, 202, 602].map((pid) => [pid, "1"]) as [number, string][]), // as if 1.1 had no cgroup
		...([600, 603, 604].map((pid) => [pid, "1.1"]) as [number, string][]),
	]);
	const owned = Object.fromEntries(
		ownedIn([...TREE, ...lost], twoAgents(10), {}, members).map(({ info: { pid }, owner }) => [pid, owner]),
	);
	expect(owned).toEqual({
		...{ 1: undefined, 50: undefined, 100: "1", 201: "1", 111: "1.1", 202: "1.1" },
		...{ 600: "1.1", 601: undefined, 602: "1.1", 603: "1.1", 604: "1.1" },
	});
});

test("a session whose number a later leader has is not the command's, and a zombie is no agent's", () => {
	const later = [info(202, 1, 202, { startTime: "77" }), info(500, 202, 202), info(501, 201, 201, { state: "Z" })];
	expect(owners(later)).toEqual({ 202: undefined, 500: undefined });
});

test("a breach names the agent whose limit it is and the one with most processes; the agent above is not ended", () => {
	const run = twoAgents(10);
	const owned = ownedIn([...TREE, ...bomb(20)], run);
	expect(findBreach(owned, run)).toEqual({
		holder: "1.1",
		agent: "1.1",
		groups: [202],
		reason:
			"process limit reached (max-processes 10 for agent 1.1 and all below it): 22 processes, 22 of them of agent 1.1",
	});
	expect(findBreach(owned, twoAgents(22))).toMatchObject({ holder: "1", agent: "1.1" });
	expect(findBreach(owned, twoAgents(24))).toBeUndefined();
});

test("what a sandbox consists of is not counted; a process that takes its name is", () => {
	const sandboxed = [
		...TREE.slice(0, 3),
		info(201, 100, 201, { name: "bwrap" }),
		info(210, 201, 210),
		...[211, 212, 213].map((pid) => info(pid, 210, 210, { name: "bwrap" })),
	];
	expect(roomLeft(ownedIn(sandboxed, twoAgents(10)), twoAgents(10))).toBe(10 - 4); // agent 1's own and three
});

test("processes that an ended agent left count for the nearest living agent above", () => {
	const run = reduce(twoAgents(10), ended("1.1"));
	const owned = ownedIn([...TREE, ...bomb(20)], run);
	expect(findBreach(owned, run)).toMatchObject({ holder: "1", agent: "1" });
});

test("only groups that hold nothing but the agent's processes are ended: not its own, not that of the bash above", () => {
	const run = twoAgents(10);
	const owned = ownedIn([...TREE, ...bomb(5), info(300, 202, 300)], run);
	expect(groupsBelow(owned, run, "1.1").sort()).toEqual([202, 300]);
	expect(groupsBelow(owned, run, "1").sort()).toEqual([201, 202, 300]);
});

test("the room for more processes is what the narrowest limit of a living agent leaves", () => {
	const owned = ownedIn([...TREE, ...bomb(2)], twoAgents(10));
	expect(roomLeft(owned, twoAgents(10))).toBe(4);
	expect(roomLeft(owned, reduce(twoAgents(10), ended("1.1")))).toBe(4);
	expect(roomLeft([], twoAgents(10))).toBe(10);
});
