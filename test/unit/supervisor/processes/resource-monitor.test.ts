/** The watch with time, process table and machine moved by hand. */
import { expect, test } from "vitest";
import { AgentreeError } from "../../../../src/core/errors.ts";
import { type RunState, reduce } from "../../../../src/core/run-state.ts";
import { DEFAULT_BOUNDS } from "../../../../src/core/shortage.ts";
import type { ProcessInfo } from "../../../../src/processes/process-table.ts";
import type { Input } from "../../../../src/supervisor/decide/input.ts";
import { findBreach, groupsBelow, ownProcesses } from "../../../../src/supervisor/processes/own-processes.ts";
import { ResourceMonitor } from "../../../../src/supervisor/processes/resource-monitor.ts";
import { commandStarted, ended, joined, runOf } from "../../core/run-of.ts";

/** Agent 1 (pid 100) with its command's bash (201); agent 1.1 (pid 111), in the session of that bash, with its own (202). */
function twoAgents(maxProcesses: number): RunState {
	const at = (agent: string, pid: number) => ({ ...joined(agent, { maxProcesses }), pid }) as ReturnType<typeof joined>;
	return runOf(at("1", 100), at("1.1", 111), commandStarted("1", 1), commandStarted("1.1", 2));
}

const COMMANDS = new Map([
	[201, { agent: "1", command: 1, startTime: "9" }],
	[202, { agent: "1.1", command: 2, startTime: "9" }],
]);

function info(pid: number, parent: number, session: number, more: Partial<ProcessInfo> = {}): ProcessInfo {
	return { pid, parent, session, group: session, startTime: "9", state: "S", name: "x", ...more };
}

const TREE = [
	info(1, 0, 1),
	info(50, 1, 50),
	info(100, 50, 100),
	info(201, 100, 201),
	info(111, 201, 201),
	info(202, 111, 202),
];
/** Its parents are dead, the session is left. */
const bomb = (count: number) => Array.from({ length: count }, (_, i) => info(1000 + i, 1, 202));

function table(processes: ProcessInfo[], cookies: Record<number, string> = {}) {
	return {
		list: () => processes,
		read: (pid: number) => processes.find((other) => other.pid === pid),
		environment: (pid: number) => (cookies[pid] === undefined ? undefined : { AGENTREE_AGENT: cookies[pid] }),
	};
}

function owners(processes: ProcessInfo[], cookies?: Record<number, string>) {
	const owned = ownProcesses({
		table: table(processes, cookies),
		run: twoAgents(10),
		commandByPid: COMMANDS,
		members: new Map(),
	});
	return Object.fromEntries(owned.map(({ info: { pid }, owner }) => [pid, owner]));
}

test("a process belongs to the nearest agent: by itself, its session, its descent, or its cookie", () => {
	const strays = [info(300, 202, 300), info(301, 300, 301), info(400, 1, 400), info(401, 1, 401), info(402, 1, 402)];
	expect(owners([...TREE, ...strays, ...bomb(1)], { 400: "r1/1.1", 401: "r1/7", 402: "r2/1" })).toEqual({
		...{ 1: undefined, 50: undefined, 100: "1", 201: "1", 111: "1.1", 202: "1.1" },
		...{ 300: "1.1", 301: "1.1", 400: "1.1", 401: undefined, 402: undefined, 1000: "1.1" },
	});
});

test("what is in an agent's cgroup is its own, or that of an agent below it that has no group", () => {
	const lost = [info(600, 1, 600), info(601, 1, 601), info(602, 202, 602), info(603, 1, 201), info(604, 603, 604)];
	const facts = { table: table([...TREE, ...lost]), run: twoAgents(10), commandByPid: COMMANDS };
	const members = new Map([
		...([100, 201, 111, 202, 602].map((pid) => [pid, "1"]) as [number, string][]), // as if 1.1 had no group
		...([600, 603, 604].map((pid) => [pid, "1.1"]) as [number, string][]),
	]);
	const owned = Object.fromEntries(ownProcesses({ ...facts, members }).map(({ info: { pid }, owner }) => [pid, owner]));
	expect(owned).toEqual({
		...{ 1: undefined, 50: undefined, 100: "1", 201: "1", 111: "1.1", 202: "1.1" },
		...{ 600: "1.1", 601: undefined, 602: "1.1", 603: "1.1", 604: "1.1" },
	});
});

test("pid 1 owns nothing, whatever is said of it, nor is session 0 or 1 a command's", () => {
	// Seen to fail without the question in ownProcesses: every orphan was agent 1.1's, and its group to be killed.
	const run = runOf(joined("1"), { ...joined("1.1"), pid: 1, startTime: "9" } as ReturnType<typeof joined>);
	const commandByPid = new Map([0, 1].map((pid) => [pid, { agent: "1.1", command: 1, startTime: "9" }]));
	const strangers = [info(1, 0, 1), info(2, 0, 0), info(60, 1, 60), info(61, 1, 0), info(62, 61, 1)];
	const facts = { table: table(strangers, { 1: "r1/1.1" }), run, commandByPid, members: new Map([[1, "1.1"]]) };
	const owned = ownProcesses(facts);
	expect([owned.map(({ owner }) => owner), groupsBelow(owned, run, "1.1")]).toEqual([Array(5).fill(undefined), []]);
});

test("a session whose number was given to a later leader is not the command's, and a zombie is nobody's", () => {
	const later = [info(202, 1, 202, { startTime: "77" }), info(500, 202, 202), info(501, 201, 201, { state: "Z" })];
	expect(owners(later)).toEqual({ 202: undefined, 500: undefined });
});

test("whose limit is exceeded is told, and who has most of the processes; the agent above it is not ended for it", () => {
	const run = twoAgents(10);
	const owned = ownProcesses({ table: table([...TREE, ...bomb(20)]), run, commandByPid: COMMANDS, members: new Map() });
	expect(findBreach(owned, run)).toEqual({
		holder: "1.1",
		agent: "1.1",
		reason:
			"process limit reached (max-processes 10 for agent 1.1 and all below it): 22 processes, 22 of them of agent 1.1",
	});
	expect(findBreach(owned, twoAgents(22))).toMatchObject({ holder: "1", agent: "1.1" });
	expect(findBreach(owned, twoAgents(24))).toBeUndefined();
});

test("what an agent that is over has left counts for the nearest above it that lives", () => {
	const run = reduce(twoAgents(10), ended("1.1"));
	const owned = ownProcesses({ table: table([...TREE, ...bomb(20)]), run, commandByPid: COMMANDS, members: new Map() });
	expect(findBreach(owned, run)).toMatchObject({ holder: "1", agent: "1" });
});

test("a whole group is ended only when all in it is the agent's: neither its own nor that of the bash above it", () => {
	const run = twoAgents(10);
	const owned = ownProcesses({
		table: table([...TREE, ...bomb(5), info(300, 202, 300)]),
		run,
		commandByPid: COMMANDS,
		members: new Map(),
	});
	expect(groupsBelow(owned, run, "1.1").sort()).toEqual([202, 300]);
	expect(groupsBelow(owned, run, "1").sort()).toEqual([201, 202, 300]);
});

function watched(
	run: RunState,
	processes: () => ProcessInfo[],
	supply: { count?: number; memory?: number } = {},
	cookies: Record<number, string> = {},
) {
	const seen = {
		happened: [] as Input[],
		killed: [] as number[],
		stopped: [] as number[],
		struck: [] as string[],
		endedAgent: [] as string[],
		asked: [] as number[],
		waits: [] as number[],
		lists: 0,
	};
	let then = () => {};
	const watch = new ResourceMonitor({
		table: {
			environment: (pid) => {
				seen.asked.push(pid);
				return table([], cookies).environment(pid);
			},
			read: (pid) => processes().find((other) => other.pid === pid),
			list: () => {
				seen.lists += 1;
				return processes();
			},
		},
		run: () => run,
		commandByPid: COMMANDS,
		directory: "/nowhere",
		bounds: DEFAULT_BOUNDS,
		clocks: {
			after: (ms, next) => {
				seen.waits.push(ms);
				then = next;
			},
		},
		dispatch: (input) => seen.happened.push(input),
		terminator: {
			end: async (agent) => {
				seen.endedAgent.push(agent);
				return [];
			},
			members: () => new Map(),
			killNow: (agent) => void seen.struck.push(agent),
		},
		supply: {
			freeDiskBytes: () => undefined,
			freeMemoryPercent: () => supply.memory,
			processCount: () => supply.count ?? processes().length,
		},
		kill: (pid, signal) => (signal === "SIGKILL" ? seen.killed : seen.stopped).push(pid),
	});
	watch.start();
	return { seen, tick: () => then() };
}

test("while there are few processes on the machine the table is not read", () => {
	// Seen to fail without the look at the narrowest limit.
	const { seen, tick } = watched(twoAgents(10), () => TREE);
	for (let i = 0; i < 50; i++) tick();
	expect([seen.lists, seen.happened, new Set(seen.waits)]).toEqual([0, [], new Set([250])]);
});

test("a sudden crowd is looked at at once again; the agent that makes it is told, then its groups are killed", () => {
	let processes = TREE;
	const { seen, tick } = watched(twoAgents(100), () => processes);
	tick();
	processes = [...TREE, ...bomb(60)];
	tick();
	expect([seen.waits.at(-1), seen.killed]).toEqual([20, []]);
	processes = [...TREE, ...bomb(120)];
	tick();
	const ending = { by: "limit", limit: "max-processes", reason: expect.stringContaining("122 of them of agent 1.1") };
	expect(seen.happened).toEqual([{ is: "stop_asked", agent: "1.1", ending }]);
	expect([seen.stopped, seen.struck, seen.killed, seen.endedAgent]).toEqual([[-202], ["1.1"], [-202], ["1.1"]]);
	expect(seen.asked).toEqual([50]); // a stranger, and only once the crowd was frozen
});

test("a machine with more processes than the limit costs a look at the table, and ends nobody", () => {
	const { seen, tick } = watched(twoAgents(10), () => TREE, { count: 5000 });
	tick();
	expect([seen.lists, seen.happened, seen.killed]).toEqual([1, [], []]);
});

test("a shortage is told when it begins", () => {
	const { seen, tick } = watched(twoAgents(10), () => TREE, { memory: 3 });
	tick();
	expect(
		seen.happened.map((happened) => happened.is === "shortages" && happened.shortages.map(({ what }) => what)),
	).toEqual([["memory"]]);
});

test("a root that has said its last word and is then stopped for good is killed; one that waits for its reader never is", () => {
	// Seen to fail without `lookAtRoot`.
	const run = reduce(twoAgents(10), ended("1"));
	let state = "S";
	const { seen, tick } = watched(run, () => [info(100, 50, 100, { state })]);
	for (let i = 0; i < 100; i++) tick();
	expect(seen.killed).toEqual([]);
	state = "T";
	for (let i = 0; i < 100; i++) tick();
	expect(seen.killed).toEqual([100]);
});

test("of a crowd that only cookies tell, no more environments are read than the limit needs, and none twice", () => {
	// Seen to fail without `enough`: all are read; and without `known`: the first ones again in the second look.
	const strays = Array.from({ length: 4000 }, (_, i) => info(1000 + i, 1, 1000 + i));
	const cookies = Object.fromEntries(strays.map(({ pid }) => [pid, "r1/1.1"]));
	const few = strays.slice(0, 90);
	let processes = [...TREE, ...few];
	const { seen, tick } = watched(twoAgents(100), () => processes, { count: 5000 }, cookies);
	tick();
	const isStray = (pid: number) => pid >= 1000;
	expect([seen.asked.filter(isStray).length, seen.happened]).toEqual([90, []]);
	seen.asked.length = 0;
	processes = [...TREE, ...strays];
	tick();
	expect(seen.happened).toMatchObject([{ is: "stop_asked", agent: "1.1" }]);
	const asked = seen.asked.filter(isStray);
	expect(asked.some((pid) => pid < 1090)).toBe(false);
	expect(new Set(asked).size).toBe(asked.length);
	expect(asked.length).toBeLessThan(1500);
});

test("what the frozen had started before they stood is frozen before any is killed", () => {
	// Seen to fail without `freezeNew`.
	let looks = 0;
	const processes = () => [...TREE, ...bomb(20), ...(looks++ > 1 ? [info(3000, 1000, 3000)] : [])];
	const { seen, tick } = watched(twoAgents(10), processes, { count: 5000 });
	looks = 1;
	tick();
	expect([seen.stopped, seen.killed]).toEqual([
		[-202, -3000],
		[-202, -3000],
	]);
});

test("when it cannot look, who has begun a command last is ended unseen, then the next, and the watch goes on", () => {
	// Seen to fail without the catch in `lookAtCrowdOrUnseen`: the error ends the supervisor.
	const blind = () => {
		throw new AgentreeError("not_started", "cannot look at the processes of this system: spawnSync /bin/ps EAGAIN");
	};
	const { seen, tick } = watched(twoAgents(10), blind, { count: 5000 });
	for (let i = 0; i < 2; i++) tick();
	expect(seen.happened).toEqual([]);
	tick();
	const reason =
		"process limit reached: cannot look at the processes of this system: spawnSync /bin/ps EAGAIN; agent 1.1 has begun a command last";
	const ending = { by: "limit", limit: "max-processes", reason };
	expect([seen.happened, seen.struck, seen.endedAgent]).toEqual([
		[{ is: "stop_asked", agent: "1.1", ending }],
		["1.1"],
		["1.1"],
	]);
	for (let i = 0; i < 3; i++) tick();
	expect(seen.struck).toEqual(["1.1", "1"]);
	expect(seen.waits).toEqual(Array(7).fill(250));
});

test("without open files it cannot look either, which ends nobody", () => {
	const blind = () => {
		throw Object.assign(new Error("EMFILE: too many open files, scandir '/proc'"), { errno: -24, code: "EMFILE" });
	};
	const { seen, tick } = watched(twoAgents(10), blind, { count: 5000 });
	for (let i = 0; i < 20; i++) tick();
	expect([seen.happened, seen.struck]).toEqual([[], []]);
});
