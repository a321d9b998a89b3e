import { expect, test } from "vitest";
import { findProcesses, type Subtree } from "../../../src/processes/find-processes.ts";
import type { ProcessInfo, ProcessTable } from "../../../src/processes/process-table.ts";

type Row = Partial<ProcessInfo> & { pid: number; environment?: Record<string, string> };

function tableOf(rows: Row[]): ProcessTable & { asked: number[] } {
	const asked: number[] = [];
	const infos = rows.map(
		({ environment: _, ...row }): ProcessInfo => ({
			startTime: "100",
			parent: 1,
			group: row.session ?? 1,
			session: 1,
			state: "S",
			name: `p${row.pid}`,
			uid: 1000,
			...row,
		}),
	);
	return {
		asked,
		list: () => infos,
		read: (pid) => infos.find((info) => info.pid === pid),
		environment: (pid) => {
			asked.push(pid);
			return rows.find((row) => row.pid === pid)?.environment;
		},
	};
}

const NOBODY: Subtree = { roots: [], sessions: [], except: [], self: 9999, uid: 1000 };

function find(rows: Row[], subtree: Partial<Subtree>): number[] {
	return findProcesses(tableOf(rows), { ...NOBODY, ...subtree }).map(({ pid }) => pid);
}

const root = (pid: number) => ({ pid, startTime: "100" });

test("a root and all its descendants are found, in whatever order the table lists them", () => {
	const rows = [{ pid: 30, parent: 20 }, { pid: 20, parent: 10 }, { pid: 10 }, { pid: 11 }];
	expect(find(rows, { roots: [root(10)] })).toEqual([30, 20, 10]);
});

test("a root whose pid belongs to a later process is not found, nor what that one started", () => {
	expect(
		find(
			[
				{ pid: 10, startTime: "200" },
				{ pid: 20, parent: 10 },
			],
			{ roots: [root(10)] },
		),
	).toEqual([]);
});

test("the members of a session are found after its leader has ended, and so are groups", () => {
	const rows = [
		{ pid: 20, session: 10 },
		{ pid: 21, session: 11 },
		{ pid: 22, session: 1, group: 10 },
	];
	expect(find(rows, { roots: [root(10)], sessions: [10] })).toEqual([20, 22]);
});

test("a session whose number has been given again is not taken for the old one", () => {
	const rows = [
		{ pid: 10, session: 10, startTime: "200" },
		{ pid: 20, parent: 10, session: 10 },
	];
	expect(find(rows, { roots: [root(10)], sessions: [10] })).toEqual([]);
});

test("what carries the cookie is found, with its descendants, wherever it hangs", () => {
	const rows = [
		{ pid: 20, session: 20, environment: { COOKIE: "ours" } },
		{ pid: 21, parent: 20, session: 20, environment: {} },
		{ pid: 22, session: 22, environment: { COOKIE: "theirs" } },
		{ pid: 23, session: 23 },
	];
	expect(find(rows, { cookie: (environment) => environment.COOKIE === "ours" })).toEqual([20, 21]);
});

test("a session that was opened inside the subtree belongs to it, also its orphans without a cookie", () => {
	const rows = [{ pid: 10 }, { pid: 20, parent: 10, session: 20 }, { pid: 30, parent: 1, session: 20 }];
	expect(find(rows, { roots: [root(10)] })).toEqual([10, 20, 30]);
});

test("the session that a root itself only shares with others is left alone", () => {
	const rows = [
		{ pid: 5, session: 5 },
		{ pid: 10, parent: 5, session: 5 },
		{ pid: 11, parent: 5, session: 5 },
	];
	expect(find(rows, { roots: [root(10)] })).toEqual([10]);
});

test("environments are read only of processes of our user, young enough, alive, and not found yet", () => {
	const table = tableOf([
		{ pid: 10, startTime: "100" },
		{ pid: 11, parent: 10 },
		{ pid: 20, startTime: "99" },
		{ pid: 21, startTime: "1000", environment: { COOKIE: "ours" } },
		{ pid: 22, uid: 0, environment: { COOKIE: "ours" } },
		{ pid: 23, state: "Z", environment: { COOKIE: "ours" } },
	]);
	const cookie = (environment: Record<string, string>) => environment.COOKIE === "ours";
	const found = findProcesses(table, { ...NOBODY, roots: [root(10)], cookie, startedSince: "100" });
	expect(found.map(({ pid }) => pid)).toEqual([10, 11, 21]);
	expect(table.asked).toEqual([21]);
});

test("pid 1, the asker, the excepted, zombies and other users' processes are never found", () => {
	const rows = [
		{ pid: 1, parent: 0, session: 10 },
		{ pid: 9999, parent: 10, session: 10 },
		{ pid: 12, parent: 10, session: 10 },
		{ pid: 13, parent: 10, session: 10, state: "Z" },
		{ pid: 14, parent: 10, session: 10, uid: 0 },
		{ pid: 15, parent: 10, session: 10 },
	];
	const everything = { roots: rows.map(({ pid }) => root(pid)), sessions: [10], cookie: () => true, except: [12] };
	expect(find(rows, everything)).toEqual([15]);
});

test("session 1 and 0 are nobody's: a subtree never takes the system's own", () => {
	expect(
		find(
			[
				{ pid: 20, session: 1 },
				{ pid: 21, session: 0, group: 0 },
			],
			{ sessions: [0, 1] },
		),
	).toEqual([]);
});
