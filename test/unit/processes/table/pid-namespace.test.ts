import { expect, test } from "vitest";
import {
	hostPid,
	isNamespaceOver,
	type NamespaceFacts,
	ownPidNamespace,
	parseInnermostPid,
	procNamespaces,
	withMemory,
} from "../../../../src/processes/table/pid-namespace.ts";

test("the last of the pids in /proc/PID/status is the one in the process's own namespace", () => {
	expect(parseInnermostPid("Name:\tx\nNSpid:\t7417\t12\t1\nNSpgid:\t7417\t12\t1\n")).toBe(1);
	expect(parseInnermostPid("Name:\tNSpid:\\n\nNSpid:\t42\n")).toBe(42);
	expect(parseInnermostPid("Name:\tx\n")).toBeUndefined(); // before Linux 4.1
});

test.skipIf(ownPidNamespace() === null)("this process is found in its own namespace by /proc", () => {
	const { pid } = process;
	expect([procNamespaces.namespaceOf(pid), procNamespaces.innermostPid(pid)]).toEqual([ownPidNamespace(), pid]);
	expect(hostPid({ pid, pidNamespace: ownPidNamespace() }, { own: "pid:[8]", pids: () => [1, pid] })).toBe(pid);
	expect(hostPid({ pid, pidNamespace: "pid:[1]" }, { own: "pid:[8]", pids: () => [1, pid] })).toBeUndefined();
});

/** Processes in a namespace of their own, whose pids there are 1, 2, 3 …; every fifth pid here is one of them. Counts what is read of them. */
function aSandbox() {
	const state = { newest: 0, reads: 0, lists: 0, over: new Set<number>() };
	const isThere = (pid: number) => pid <= state.newest && pid % 5 === 0 && !state.over.has(pid);
	const facts: NamespaceFacts = {
		pids: () => {
			state.lists += 1;
			return Array.from({ length: state.newest }, (_, at) => state.newest - at).filter(isThere);
		},
		newestPid: () => state.newest,
		namespaceOf: (pid) => {
			state.reads += 1;
			return isThere(pid) ? "pid:[8]" : undefined;
		},
		innermostPid: (pid) => (isThere(pid) ? pid / 5 : undefined),
	};
	return { state, facts: withMemory(facts, "pid:[1]") };
}
const find = (pid: number, facts: NamespaceFacts) =>
	hostPid({ pid, pidNamespace: "pid:[8]" }, { own: "pid:[1]", pids: () => [], facts, mayBeOver: true });

// Seen to fail: all processes alive were looked into for each that joined, so that an agent cost the more the more there were.
test("what is read to find a process does not grow with how many there are", () => {
	const { state, facts } = aSandbox();
	const ROUNDS = 1_000;
	state.newest = ROUNDS * 25; // all of them have started before the first one joins
	for (let round = 1; round <= ROUNDS; round++) {
		const pids = [1, 2, 3, 4, 5].map((n) => (round - 1) * 5 + n);
		expect(pids.map((pid) => find(pid, facts))).toEqual(pids.map((pid) => pid * 5));
		state.newest += 25;
		state.over.add(state.newest);
		expect(find(state.newest / 5, facts)).toBeUndefined(); // a command that was short
	}
	expect(state.lists).toBe(1);
	expect(state.reads).toBeLessThan(ROUNDS * 40);
});

test("a process whose pid was another's before is found, and one that is over is not", () => {
	const { state, facts } = aSandbox();
	state.newest = 100;
	expect([find(4, facts), find(99, facts)]).toEqual([20, undefined]);
	state.newest = 200;
	expect(find(40, facts)).toBe(200);
	state.over.add(200);
	expect(find(40, facts)).toBeUndefined();
	state.newest = 50; // the numbers have begun again
	expect(find(8, facts)).toBe(40);
	state.newest = 100_000; // far too many to look into each
	expect(find(12_000, facts)).toBe(60_000);
	expect(state.reads).toBeLessThan(40_100);
});

test("a namespace is over when it is known that no process is in it", () => {
	expect(isNamespaceOver(ownPidNamespace())).toBe(false);
	expect(isNamespaceOver(null)).toBe(false);
	const seesAll = ownPidNamespace() === "pid:[4026531836]";
	expect(isNamespaceOver("pid:[1]")).toBe(seesAll);
});
