import { expect, test } from "vitest";
import type { RunEvent } from "../../../../src/core/run-event.ts";
import type { Look, ProcessInfo } from "../../../../src/processes/process-table.ts";
import type { Join } from "../../../../src/protocol/agent-messages.ts";
import { type ResolveParentDeps, resolveParent } from "../../../../src/supervisor/processes/resolve-parent.ts";
import { RunProcesses } from "../../../../src/supervisor/processes/run-processes.ts";
import { ended, joined, runOf } from "../../core/run-of.ts";

const NAMESPACE = "pid:[7]";

type Row = Partial<ProcessInfo> & { pid: number; environment?: Record<string, string> };

function lookOf(rows: Row[]): Look {
	const infos = rows.map(
		({ environment: _, ...row }): ProcessInfo => ({
			...{ startTime: "100", parent: 1, group: row.pid, session: 1, state: "S", name: `p${row.pid}` },
			...row,
		}),
	);
	return {
		list: () => infos,
		read: (pid) => infos.find((info) => info.pid === pid),
		environment: (pid) => rows.find((row) => row.pid === pid)?.environment,
	};
}

function agent(id: string, pid: number, startTime = "100"): RunEvent {
	return { ...joined(id), pid, startTime } as RunEvent;
}

function running(id: string, command: number, pid: number): RunEvent {
	const log = `out/000${command}.log`;
	return { event: "command_started", at: 1, agent: id, command, text: "x", pid, startTime: "100", log };
}

/** Agent 1 (pid 10) runs command 1 (bash 11), in which agent 1.1 (pid 12) runs its command 4 (bash 13). */
const AGENTS = [agent("1", 10), running("1", 1, 11), agent("1.1", 12), running("1.1", 4, 13)];
const ROWS: Row[] = [
	{ pid: 10, parent: 5 },
	{ pid: 11, parent: 10, session: 11 },
	{ pid: 12, parent: 11, session: 11 },
	{ pid: 13, parent: 12, session: 13 },
];
const COMMANDS = [
	{ agent: "1", command: 1, pid: 11, startTime: "100" },
	{ agent: "1.1", command: 4, pid: 13, startTime: "100" },
];
const TOKENS = new Map([
	["token of 1", "1"],
	["token of 1.1", "1.1"],
]);

type Known = Partial<Omit<ResolveParentDeps, "look" | "processes">> & { rows?: Row[]; commands?: typeof COMMANDS };

function resolved(row: Row, join: Partial<Join> = {}, known: Known = {}) {
	const { rows = ROWS, commands = COMMANDS, run = runOf(...AGENTS), ...others } = known;
	const processes = new RunProcesses(() => run);
	for (const { agent, ...command } of commands) processes.addCommand(agent, command);
	const request = { say: "join", pid: row.pid, pidNamespace: NAMESPACE, cwd: "/", limits: {}, ...join } as const;
	return resolveParent(request, {
		...{ look: lookOf([...rows, row]), run, processes, pidNamespace: NAMESPACE, rootPid: 10 },
		...{ agentOfToken: (token) => TOKENS.get(token), cgroupOf: () => undefined },
		...others,
	});
}

const child = (parent: string, command?: number) => ({
	...{ is: "child", parent, startTime: "100" },
	...(command === undefined ? {} : { command }),
});

test("the process that the supervisor has started is the root, once", () => {
	expect(resolved({ pid: 10 }, {}, { run: runOf(), rows: [] })).toEqual({ is: "root", startTime: "100" });
	expect(resolved({ pid: 10, parent: 5 }, {}, { rows: ROWS.slice(1) })).toMatchObject({ is: "unknown" });
});

test("another process is never the root, however early it joins", () => {
	expect(resolved({ pid: 20 }, {}, { run: runOf(), rows: [], commands: [] })).toMatchObject({
		is: "unknown",
	});
});

test("a child belongs to the nearest agent above it, through any number of other processes", () => {
	const rows = [...ROWS, { pid: 14, parent: 13, session: 13 }, { pid: 15, parent: 14, session: 13 }];
	expect(resolved({ pid: 20, parent: 15, session: 13 }, {}, { rows })).toEqual(child("1.1", 4));
	expect(resolved({ pid: 20, parent: 11, session: 11 })).toEqual(child("1", 1));
});

test("a process with the pid of an agent and another start time is no agent", () => {
	const rows = ROWS.map((row) => (row.pid === 12 ? { ...row, startTime: "900" } : row));
	const place12 = resolved({ pid: 20, parent: 12, session: 11 }, {}, { rows });
	expect(place12).toEqual(child("1", 1));
});

test("a process without any environment is found by its ancestors", () => {
	expect(resolved({ pid: 20, parent: 13, session: 13, environment: {} })).toEqual(child("1.1", 4));
});

test("a token of another agent does not outweigh the ancestors", () => {
	expect(resolved({ pid: 20, parent: 13, session: 13 }, { token: "token of 1" })).toEqual(child("1.1", 4));
});

test("a process in a session of its own still has its ancestors; one without ancestors has the session of the command", () => {
	expect(resolved({ pid: 20, parent: 13, session: 20 })).toEqual(child("1.1", 4));
	expect(resolved({ pid: 20, parent: 1, session: 13 })).toEqual(child("1.1", 4));
});

test("a process that has left its ancestors and its session is found by its token, then by its cookie", () => {
	const lost = { pid: 20, parent: 1, session: 20 };
	expect(resolved(lost, { token: "token of 1.1" })).toEqual(child("1.1"));
	expect(resolved({ ...lost, environment: { AGENTREE_AGENT: "r1/1.1" } })).toEqual(child("1.1"));
	expect(resolved(lost, { token: "token of 1.1", command: 4 })).toEqual(child("1.1", 4));
});

test("a token that no agent has, and a cookie of another run or of no agent, lead to no parent", () => {
	const unknown = { is: "unknown", reason: "it is not below any agent of this run" };
	const lost = { pid: 20, parent: 1, session: 20 };
	expect(resolved(lost, { token: "guessed" })).toEqual(unknown);
	for (const cookie of ["r2/1.1", "r1/7", "r1", "r1/", ""])
		expect(resolved({ ...lost, environment: { AGENTREE_AGENT: cookie } })).toEqual(unknown);
});

test("a cookie of an unknown agent leads to the nearest known one above, so that all of the run is counted", () => {
	const lost = { pid: 20, parent: 1, session: 20, environment: { AGENTREE_AGENT: "r1/1.7.2" } };
	expect(resolved(lost)).toEqual(child("1"));
});

test("an agent does not join twice", () => {
	expect(resolved({ pid: 12, parent: 11, session: 11 }, {}, { rows: ROWS.filter(({ pid }) => pid !== 12) })).toEqual({
		is: "unknown",
		reason: "it is an agent of this run already",
	});
});

test("the command that a process claims is not believed against its ancestors, nor when that command does not run", () => {
	expect(resolved({ pid: 20, parent: 13, session: 13 }, { command: 7 })).toEqual(child("1.1", 4));
	expect(resolved({ pid: 20, parent: 1, session: 20 }, { token: "token of 1.1", command: 7 })).toEqual(child("1.1"));
	const over = runOf(...AGENTS, ended("1.1"));
	const lost = resolved({ pid: 20, parent: 1, session: 20 }, { token: "token of 1.1", command: 4 }, { run: over });
	expect(lost).toEqual(child("1.1"));
});

test("a later process with the pid of a command's shell is not that command", () => {
	const rows = ROWS.map((row) => (row.pid === 13 ? { ...row, startTime: "900", parent: 12, session: 12 } : row));
	expect(resolved({ pid: 20, parent: 13, session: 12 }, {}, { rows })).toEqual(child("1.1"));
});

test("a session whose leader's pid belongs to a later process is not the command's session", () => {
	const rows = [...ROWS.filter(({ pid }) => pid !== 13), { pid: 13, parent: 1, session: 13, startTime: "900" }];
	expect(resolved({ pid: 20, parent: 13, session: 13 }, {}, { rows })).toMatchObject({ is: "unknown" });
});

test("the session of a command whose shell has ended is still the command's", () => {
	const rows = ROWS.filter(({ pid }) => pid !== 13);
	expect(resolved({ pid: 20, parent: 1, session: 13 }, {}, { rows })).toEqual(child("1.1", 4));
});

test("a process that the table does not show is unknown, and the reason says what to do", () => {
	expect(resolved({ pid: 20 }, { pid: 99, token: "token of 1" })).toEqual({
		is: "unknown",
		reason: "its process (pid 99) is not visible to the supervisor; start agents in the supervisor's pid namespace",
	});
});

test("a circle of ancestors comes to an end", () => {
	const rows = [
		{ pid: 30, parent: 31 },
		{ pid: 31, parent: 30 },
	];
	expect(resolved({ pid: 20, parent: 30 }, {}, { rows })).toMatchObject({ is: "unknown" });
});

test("a process that has lost all but its cgroup is a child of the agent in whose cgroup it is", () => {
	const lost = { pid: 20, parent: 1, session: 20 };
	const cgroupOf = (agent: string) => (pid: number) => (pid === 20 ? { run: "r1", agent } : undefined);
	expect(resolved(lost, {}, { cgroupOf: cgroupOf("1") })).toEqual(child("1"));
	expect(resolved(lost, {}, { cgroupOf: cgroupOf("1.1") })).toEqual(child("1.1"));
	expect(resolved(lost, {}, { cgroupOf: cgroupOf("1.1.7") })).toEqual(child("1.1"));
	expect(resolved(lost, {}, { cgroupOf: cgroupOf("1"), run: runOf(), commands: [] })).toMatchObject({
		is: "unknown",
	});
});

test("a token leads to an agent below the one in whose cgroup the process is, never above or beside it", () => {
	// Seen to fail with the cgroup asked last: with 1's token a child of 1, one level higher.
	const lost = { pid: 20, parent: 1, session: 20 };
	const cgroupOf = (agent: string) => () => ({ run: "r1", agent });
	expect(resolved(lost, { token: "token of 1.1" }, { cgroupOf: cgroupOf("1") })).toEqual(child("1.1"));
	expect(resolved(lost, { token: "token of 1" }, { cgroupOf: cgroupOf("1.1") })).toEqual(child("1.1"));
});

test("a process in another run's cgroup is refused, whatever token it has got hold of", () => {
	// Seen to fail without the question: a child of 1.1.
	const stranger = { pid: 20, parent: 1, session: 20 };
	const cgroupOf = () => ({ run: "r2", agent: "1" });
	const refused = { is: "unknown", reason: "it belongs to run r2" };
	expect(resolved(stranger, { token: "token of 1.1" }, { cgroupOf })).toEqual(refused);
	expect(resolved(stranger, {}, { cgroupOf })).toEqual(refused);
});

test("a start time of the other reader of the process table is no agent's", () => {
	const run = runOf(agent("1", 10, "ps:100"));
	expect(resolved({ pid: 20, parent: 10 }, {}, { run, commands: [] })).toMatchObject({ is: "unknown" });
});

test("a process of another pid namespace is refused, whatever its pid and its token: here that pid is a stranger's", () => {
	// Seen to fail without the question: a child of 1.1 with the stranger's pid, which the supervisor would then kill.
	const stranger = { pid: 20, parent: 1, session: 20 };
	const refused = { is: "unknown", reason: expect.stringContaining("in another pid namespace than its run") };
	for (const pidNamespace of ["pid:[8]", null])
		expect(resolved(stranger, { token: "token of 1.1", pidNamespace })).toEqual(refused);
	const unseen = { pidNamespace: null }; // macOS has only one
	expect(resolved(stranger, { token: "token of 1.1", pidNamespace: null }, unseen)).toEqual(child("1.1"));
	expect(resolved({ ...stranger, parent: 13 }, { pidNamespace: "pid:[8]" }, unseen)).toEqual(refused);
});

test("pid 1 is never an agent", () => {
	// Seen to fail without the question: every orphan of the system would be below it.
	const init = { pid: 1, parent: 0, session: 1 };
	expect(resolved(init, { token: "token of 1.1" })).toMatchObject({ is: "unknown" });
	expect(resolved(init, {}, { rootPid: 1, run: runOf(), rows: [] })).toMatchObject({ is: "unknown" });
});

test("a pid whose process started at another time than the joining one tells is refused, if one reader told both", () => {
	// Seen to fail without the question: a child of 1.1.
	const at = (startTime: string, read: string) =>
		resolved({ pid: 20, parent: 13, startTime: read }, { startTime }).is === "child";
	expect(at("100", "100")).toBe(true);
	expect(at("101", "100")).toBe(false);
	expect(at("ps:100", "ps:101")).toBe(true);
	expect(at("ps:100", "ps:102")).toBe(false);
	expect(at("100", "ps:1700000000")).toBe(true);
});
