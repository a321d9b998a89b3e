import { expect, test } from "vitest";
import { findSupervisor } from "../../../../src/agent/start/find-supervisor.ts";
import type { ProcessInfo, ProcessTable } from "../../../../src/processes/process-table.ts";

type Row = { pid: number; parent: number; environment?: Record<string, string> };

function tableOf(rows: Row[]): ProcessTable {
	const info = ({ pid, parent }: Row): ProcessInfo => ({
		...{ pid, parent, startTime: "1", group: pid, session: pid, state: "S", name: "p" },
	});
	return {
		list: () => rows.map(info),
		read: (pid) => rows.filter((row) => row.pid === pid).map(info)[0],
		environment: (pid) => rows.find((row) => row.pid === pid)?.environment,
	};
}

const place = (socket: string, token: string, command: string) => ({
	AGENTREE_SOCKET: socket,
	AGENTREE_TOKEN: token,
	AGENTREE_COMMAND: command,
});

const OUTSIDE: Row[] = [
	{ pid: 1, parent: 0, environment: {} },
	{ pid: 5, parent: 1, environment: { HOME: "/root" } },
];
const INSIDE: Row[] = [
	...OUTSIDE,
	{ pid: 11, parent: 5, environment: place("/run/s", "t", "3") },
	{ pid: 12, parent: 11, environment: {} },
];

test("outside any run there is no supervisor", () => {
	expect(findSupervisor({ HOME: "/root" }, 5, tableOf(OUTSIDE))).toBeUndefined();
	expect(findSupervisor({ AGENTREE_SOCKET: "" }, 5, tableOf(OUTSIDE))).toBeUndefined();
});

test("its own environment says where the supervisor is, and which token and command are its own", () => {
	expect(findSupervisor(place("/run/s", "own", "4"), 11, tableOf(INSIDE))).toEqual({
		...{ socket: "/run/s", token: "own", command: 4 },
	});
});

test("with a cleared environment the nearest ancestor that knows one is believed", () => {
	expect(findSupervisor({}, 12, tableOf(INSIDE))).toEqual({ socket: "/run/s", token: "t", command: 3 });
});

test("a variable that points to another run than its ancestors do is not believed", () => {
	expect(findSupervisor(place("/run/elsewhere", "x", "1"), 12, tableOf(INSIDE))).toEqual({
		...{ socket: "/run/s", token: "t", command: 3 },
	});
});

test("a process that was forked away from all ancestors believes its own environment", () => {
	expect(findSupervisor(place("/run/s", "t", "3"), 1, tableOf(OUTSIDE))).toEqual({
		...{ socket: "/run/s", token: "t", command: 3 },
	});
});

test("of two runs above the upper one is believed: a command's shell has sourced the other's environment", () => {
	// Seen to fail with the nearest ancestor's believed: the agent joined the other run, and counted there.
	const rows = [...INSIDE, { pid: 20, parent: 12, environment: place("/run/other", "u", "1") }];
	const inside = { socket: "/run/s", token: "t", command: 3 };
	expect(findSupervisor({}, 20, tableOf(rows))).toEqual(inside);
	expect(findSupervisor(place("/run/other", "u", "1"), 20, tableOf(rows))).toEqual(inside);
});

test("of two agents of one run above the nearer one's token and command are taken", () => {
	const rows = [...INSIDE, { pid: 20, parent: 12, environment: place("/run/s", "u", "1") }];
	expect(findSupervisor({}, 20, tableOf(rows))).toEqual({ socket: "/run/s", token: "u", command: 1 });
});

test.each(["", "x", "-1", "1.5", "1e3"])("a command that is no number (%j) is left out", (command) => {
	expect(findSupervisor({ AGENTREE_SOCKET: "/run/s", AGENTREE_COMMAND: command }, 1, tableOf(OUTSIDE))).toEqual({
		socket: "/run/s",
	});
});

test("ancestors that go in a circle, or whose environment may not be read, come to an end", () => {
	const circle = [
		{ pid: 30, parent: 31 },
		{ pid: 31, parent: 30 },
	];
	expect(findSupervisor({}, 30, tableOf(circle))).toBeUndefined();
});
