import { expect, test } from "vitest";
import { cheapTable, type ProcessInfo, type ProcessTable } from "../../../../src/processes/process-table.ts";
import { mayBeShell } from "../../../../src/supervisor/processes/shell-of.ts";

const AGENT = { pid: 10, startTime: "100" };
const SHELL = { pid: 11, startTime: "120" };

function tableOf(...infos: (Partial<ProcessInfo> & { pid: number })[]): ProcessTable {
	const rows = infos.map((row) => ({
		...{ startTime: "100", parent: 1, group: row.pid, session: row.pid, state: "S", name: "p" },
		...row,
	}));
	return cheapTable({
		...{ list: () => rows, read: (pid) => rows.find((row) => row.pid === pid), environment: () => undefined },
	});
}

const shellOf = (parent: number, startTime = "120") => ({ ...SHELL, parent, startTime });

test("an agent's child is its shell, also as a zombie, and when it has ended already", () => {
	expect(mayBeShell(SHELL, AGENT, tableOf(AGENT, shellOf(10)))).toBe(true);
	expect(mayBeShell(SHELL, AGENT, tableOf(AGENT, { ...shellOf(10), state: "Z" }))).toBe(true);
	expect(mayBeShell(SHELL, AGENT, tableOf(AGENT))).toBe(true);
});

test("a stranger's process, or a later one with the shell's pid, is no shell of the agent", () => {
	// Seen to fail with every pid believed: what is in the session of that pid would be ended with the agent.
	expect(mayBeShell(SHELL, AGENT, tableOf(AGENT, shellOf(1)))).toBe(false);
	expect(mayBeShell(SHELL, AGENT, tableOf(AGENT, shellOf(10, "121")))).toBe(false);
	expect(mayBeShell(SHELL, AGENT, tableOf({ ...AGENT, startTime: "99" }, shellOf(1, "119")))).toBe(false);
});

test("a shell whose agent has ended has another parent, and is still its shell", () => {
	expect(mayBeShell(SHELL, AGENT, tableOf(shellOf(1)))).toBe(true);
	expect(mayBeShell(SHELL, AGENT, tableOf({ ...AGENT, state: "Z" }, shellOf(1)))).toBe(true);
});

test("pid 0, pid 1 and the agent itself are never a shell", () => {
	const pids = [0, 1, 10].map((pid) => mayBeShell({ pid, startTime: "100" }, AGENT, tableOf(AGENT)));
	expect(pids).toEqual([false, false, false]);
});

test("where a look starts a process the agent is believed without one", () => {
	const table = { ...tableOf(AGENT, shellOf(1)), isCostly: true };
	expect(mayBeShell(SHELL, AGENT, table)).toBe(true);
});
