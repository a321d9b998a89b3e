/** The resource monitor, with time, process table and machine moved by hand. */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { AgentreeError } from "../../../../src/core/errors.ts";
import { type RunState, reduce } from "../../../../src/core/run/run-state.ts";
import { cheapTable, type ProcessInfo } from "../../../../src/processes/table/process-table.ts";
import { ResourceMonitor } from "../../../../src/supervisor/agents/resource-monitor.ts";
import type { Input } from "../../../../src/supervisor/decide/inputs-and-effects.ts";
import { initialState } from "../../../../src/supervisor/decide/supervisor-state.ts";
import { LocalMachine } from "../../../../src/supervisor/processes/local-machine.ts";
import { commandStarted, ended } from "../../core/run-of.ts";
import { fakeCore } from "../fake-core.ts";
import { bomb, info, TREE, table, twoAgents } from "../two-agents.ts";

function watched(
	run: RunState,
	processes: () => ProcessInfo[],
	resources: { count?: () => number; memory?: number; directory?: string } = {},
	cookies: Record<number, string> = {},
) {
	const seen = {
		happened: [] as Input[],
		killed: [] as number[],
		stopped: [] as number[],
		asked: [] as number[],
		waits: [] as number[],
		lists: 0,
		rootKills: 0,
	};
	let then = () => {};
	let source = () => TREE;
	const machine = new LocalMachine({
		table: cheapTable({
			environment: (pid) => {
				seen.asked.push(pid);
				return table([], cookies).environment(pid);
			},
			read: (pid) => source().find((other) => other.pid === pid),
			list: () => {
				seen.lists += 1;
				return source();
			},
		}),
		run: () => run,
		agentOfToken: () => undefined,
		timers: { after: () => {} },
		elapsed: () => 0,
		kill: (pid, signal) => void (signal === "SIGKILL" ? seen.killed : seen.stopped).push(pid),
	});
	for (const [agent, command, pid] of [
		["1", 1, 201],
		["1.1", 2, 202],
	] as const)
		machine.commandStarted(agent, { command, pid, startTime: "9", text: "" });
	source = processes;
	machine.killRoot = () => {
		seen.rootKills += 1;
	};
	machine.resources = () => ({
		freeDiskBytes: () => undefined,
		freeMemoryPercent: () => resources.memory,
		processCount: () => resources.count?.() ?? processes().length,
	});
	const { core } = fakeCore({
		state: initialState(run),
		machine,
		directory: resources.directory ?? "/nowhere",
		dispatch: (input) => void seen.happened.push(input),
	});
	core.timers.after = (ms, next) => {
		seen.waits.push(ms);
		then = next;
		return () => {};
	};
	const monitor = new ResourceMonitor({ ...core, machine });
	monitor.start();
	return { seen, monitor, tick: () => then() };
}

test("a log whose directory a command has replaced by a file has no size, and the watch goes on", () => {
	// Seen to fail: ENOTDIR was a bug that ended the run.
	const { seen, tick, monitor } = watched(twoAgents(10), () => TREE, { directory: fileURLToPath(import.meta.url) });
	monitor.event(commandStarted("1", 1));
	for (let i = 0; i < 4; i++) tick();
	expect(seen.happened).toEqual([]);
});

test("while there are few processes on the machine the table is not read", () => {
	// Seen to fail without the look at the narrowest limit.
	const { seen, tick } = watched(twoAgents(10), () => TREE);
	for (let i = 0; i < 50; i++) tick();
	expect([seen.lists, seen.happened, new Set(seen.waits)]).toEqual([0, [], new Set([250])]);
});

test("a sudden rise in processes is checked again at once; the agent that makes it is told, then its groups are killed", () => {
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
	expect([seen.stopped[0], [...new Set(seen.killed)]]).toEqual([-202, [-202]]);
	expect(seen.asked).toEqual([50]); // a stranger, and only once the groups were frozen
});

test("more processes on the machine than the limit cost a look at the table, and end no agent", () => {
	const { seen, tick } = watched(twoAgents(10), () => TREE, { count: () => 5000 });
	tick();
	expect([seen.lists, seen.happened, seen.killed]).toEqual([1, [], []]);
});

test("the table is read again when more processes have begun than there was room for, or after a while", () => {
	// Seen to fail with a look at each tick: with 2,000 agents alive that alone took a fifth of a core.
	let count = 5000;
	const { seen, tick } = watched(twoAgents(10), () => TREE, { count: () => count });
	for (let i = 0; i < 8; i++) tick();
	expect(seen.lists).toBe(1);
	tick();
	expect(seen.lists).toBe(2);
	count += 6; // 4 of 10 processes there are
	tick();
	expect(seen.lists).toBe(2);
	count += 1;
	tick();
	expect(seen.lists).toBe(3);
});

test("a shortage is told when it begins", () => {
	const { seen, tick } = watched(twoAgents(10), () => TREE, { memory: 3 });
	tick();
	expect(
		seen.happened.map((happened) => happened.is === "shortages" && happened.shortages.map(({ what }) => what)),
	).toEqual([["memory"]]);
});

test("a root that has finished and is then suspended for good is killed; one that waits for its reader never is", () => {
	// Seen to fail without `lookAtRoot`.
	const run = reduce(twoAgents(10), ended("1"));
	let state = "S";
	const { seen, tick } = watched(run, () => [info(100, 50, 100, { state })]);
	for (let i = 0; i < 100; i++) tick();
	expect(seen.rootKills).toBe(0);
	state = "T";
	for (let i = 0; i < 100; i++) tick();
	expect(seen.rootKills).toBe(1);
});

test("to count processes by cookie no more environments are read than the limit needs, and none twice", () => {
	// Seen to fail without `enough`: all are read; and without the owners remembered: the first ones again in the second look.
	const strays = Array.from({ length: 4000 }, (_, i) => info(1000 + i, 1, 1000 + i));
	const cookies = Object.fromEntries(strays.map(({ pid }) => [pid, "r1/1.1"]));
	const few = strays.slice(0, 90);
	let processes = [...TREE, ...few];
	const { seen, tick } = watched(twoAgents(100), () => processes, { count: () => 5000 + processes.length }, cookies);
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

test("what frozen processes had started before is frozen before any is killed", () => {
	// Seen to fail without `freezeRest`.
	let looks = 0;
	const processes = () => [...TREE, ...bomb(20), ...(looks++ > 1 ? [info(3000, 1000, 3000)] : [])];
	const { seen, tick } = watched(twoAgents(10), processes, { count: () => 5000 });
	looks = 1;
	tick();
	expect(seen.stopped.slice(0, 2)).toEqual([-202, -3000]);
	expect(new Set(seen.killed)).toEqual(new Set([-202, -3000]));
});

test("while looks fail, the agent that began a command last is ended, then the next, and the monitor goes on", () => {
	// Seen to fail without the catch in `checkProcessCount`: the error ends the supervisor.
	const blind = () => {
		throw new AgentreeError("not_started", "cannot read the process table: spawnSync /bin/ps EAGAIN");
	};
	const { seen, tick } = watched(twoAgents(10), blind, { count: () => 5000 });
	for (let i = 0; i < 2; i++) tick();
	expect(seen.happened).toEqual([]);
	tick();
	const reason =
		"process limit reached: cannot read the process table: spawnSync /bin/ps EAGAIN; agent 1.1 started the most recent command";
	const ending = { by: "limit", limit: "max-processes", reason };
	expect([seen.happened, new Set(seen.killed)]).toEqual([
		[{ is: "stop_asked", agent: "1.1", ending }],
		new Set([-202]),
	]);
	for (let i = 0; i < 3; i++) tick();
	expect(new Set(seen.killed)).toEqual(new Set([-201, -202]));
	expect(seen.waits).toEqual(Array(7).fill(250));
});

test("looks that fail for want of open files end no agent", () => {
	const blind = () => {
		throw Object.assign(new Error("EMFILE: too many open files, scandir '/proc'"), { errno: -24, code: "EMFILE" });
	};
	const { seen, tick } = watched(twoAgents(10), blind, { count: () => 5000 });
	for (let i = 0; i < 20; i++) tick();
	expect([seen.happened, seen.killed]).toEqual([[], []]);
});
