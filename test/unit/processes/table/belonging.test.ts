import { expect, test } from "vitest";
import {
	belongingTo,
	type Claim,
	type Claims,
	createOwnerOf,
	ownersIn,
} from "../../../../src/processes/table/belonging.ts";
import type { Look, ProcessInfo } from "../../../../src/processes/table/process-table.ts";

type Row = Partial<ProcessInfo> & { pid: number; environment?: Record<string, string> };

function lookOf(rows: Row[]): Look & { asked: number[] } {
	const asked: number[] = [];
	const infos = rows.map(
		({ environment: _, ...row }): ProcessInfo => ({
			...{ startTime: "100", parent: 1, group: row.session ?? 1, session: 1, state: "S", name: `p${row.pid}` },
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

const ASKER = { pid: 9999, uid: 1000 };
const at = (claims: Record<number, Claim>) => (pid: number) => claims[pid];
/** Agent 1 has pid 10. */
const AGENT: Claims = { agentAt: at({ 10: { agent: "1", startTime: "100" } }) };
/** A command of agent 1 has session 11. */
const COMMAND: Claims = { commandAt: at({ 11: { agent: "1", startTime: "100" } }) };
const COOKIE: Claims = { agentOfCookie: ({ COOKIE }) => COOKIE };

const find = (rows: Row[], claims: Claims) => belongingTo(lookOf(rows), claims, ASKER).map(({ pid }) => pid);

function owners(rows: Row[], claims: Claims) {
	return Object.fromEntries(ownersIn(lookOf(rows), claims).map(({ info, owner }) => [info.pid, owner]));
}

test("an agent and all its descendants are found, in whatever order the table lists them", () => {
	const rows = [{ pid: 30, parent: 20 }, { pid: 20, parent: 10 }, { pid: 10 }, { pid: 12 }];
	expect(find(rows, AGENT)).toEqual([30, 20, 10]);
});

test("a process with the pid of an agent and another start time is not the agent, nor is what it started", () => {
	expect(
		find(
			[
				{ pid: 10, startTime: "200" },
				{ pid: 20, parent: 10 },
			],
			AGENT,
		),
	).toEqual([]);
});

test("the processes of a command's session are found after its shell has ended, and so are those of its group", () => {
	const rows = [
		{ pid: 20, session: 11 },
		{ pid: 21, session: 12 },
		{ pid: 22, session: 1, group: 11 },
	];
	expect(find(rows, COMMAND)).toEqual([20, 22]);
});

test("what the first process of a sandbox has taken in is its own agent's, as the cookie says, and no other one's", () => {
	// 12 is bwrap of agent 1's command, 13 the first process in it, 14 the command; 20 to 23 are orphans.
	const rows = [
		{ pid: 10 },
		{ pid: 12, parent: 10, session: 12, name: "bwrap" },
		{ pid: 13, parent: 12, session: 13 },
		{ pid: 14, parent: 13, session: 13, environment: { COOKIE: "1.1" } },
		{ pid: 20, parent: 13, session: 20, environment: { COOKIE: "1.1" } },
		{ pid: 21, parent: 20, session: 21, environment: { COOKIE: "1.2" } },
		{ pid: 22, parent: 13, session: 22, environment: { COOKIE: "2" } },
		{ pid: 23, parent: 13, session: 20 },
	];
	const claims = { ...AGENT, ...COOKIE };
	expect(owners(rows, claims)).toEqual({
		10: "1",
		12: "1",
		13: "1",
		14: "1",
		20: "1.1",
		21: "1.1",
		22: "1",
		23: "1.1",
	});
});

test("a session whose number a later leader has is not the command's", () => {
	const rows = [
		{ pid: 11, session: 11, startTime: "200" },
		{ pid: 20, parent: 11, session: 11 },
	];
	expect(find(rows, COMMAND)).toEqual([]);
});

test("the nearest ancestor decides: a command below an agent, and an agent in the session of a command", () => {
	const claims = {
		agentAt: at({ 10: { agent: "1", startTime: "100" }, 12: { agent: "1.1", startTime: "100" } }),
		commandAt: at({ 11: { agent: "1", startTime: "100" }, 13: { agent: "1.1", startTime: "100" } }),
	};
	const rows = [
		{ pid: 10, session: 10 },
		{ pid: 11, parent: 10, session: 11 },
		{ pid: 12, parent: 11, session: 11 },
		{ pid: 13, parent: 12, session: 13 },
		{ pid: 14, parent: 13, session: 14 },
		{ pid: 15, parent: 11, session: 11 },
	];
	expect(owners(rows, claims)).toEqual({ 10: "1", 11: "1", 12: "1.1", 13: "1.1", 14: "1.1", 15: "1" });
});

test("an orphan that another process has adopted still belongs to its session's command", () => {
	const claims = { ...AGENT, commandAt: at({ 13: { agent: "1.1", startTime: "100" } }) };
	expect(owners([{ pid: 10 }, { pid: 20, parent: 10, session: 13 }], claims)).toEqual({ 10: "1", 20: "1.1" });
});

test("a process that carries the cookie is found with its descendants, wherever it is in the tree", () => {
	const rows = [
		{ pid: 20, session: 20, environment: { COOKIE: "1" } },
		{ pid: 21, parent: 20, session: 20, environment: {} },
		{ pid: 22, session: 22, environment: {} },
		{ pid: 23, session: 23 },
	];
	expect(find(rows, COOKIE)).toEqual([20, 21]);
});

test("a cookie is not believed against ancestors and session", () => {
	const rows = [{ pid: 10 }, { pid: 20, parent: 10, environment: { COOKIE: "1.7" } }];
	expect(owners(rows, { ...AGENT, ...COOKIE })).toEqual({ 10: "1", 20: "1" });
});

test("a session that a process of an agent began belongs to that agent, also its orphans without a cookie", () => {
	const rows = [{ pid: 10 }, { pid: 20, parent: 10, session: 20 }, { pid: 30, parent: 1, session: 20 }];
	expect(find(rows, AGENT)).toEqual([10, 20, 30]);
});

test("the session that an agent only shares with others is left alone", () => {
	const rows = [
		{ pid: 5, session: 5 },
		{ pid: 10, parent: 5, session: 5 },
		{ pid: 12, parent: 5, session: 5 },
	];
	expect(find(rows, AGENT)).toEqual([10]);
});

test("a process in an agent's cgroup belongs to that agent, or to one below it if anything else says so", () => {
	const claims = { ...AGENT, ...COOKIE, cgroupOwnerOf: (pid: number) => (pid >= 20 ? "1.2" : undefined) };
	const rows = [
		{ pid: 10 },
		{ pid: 20, parent: 10 },
		{ pid: 21, environment: { COOKIE: "1.2.1" } },
		{ pid: 22, environment: { COOKIE: "1.3" } },
		{ pid: 23 },
		{ pid: 24, parent: 22 },
	];
	expect(owners(rows, claims)).toEqual({ 10: "1", 20: "1.2", 21: "1.2.1", 22: "1.2", 23: "1.2", 24: "1.2" });
});

test("environments are read only of processes that are young enough, alive, and not known yet", () => {
	const look = lookOf([
		{ pid: 10, startTime: "100" },
		{ pid: 11, parent: 10 },
		{ pid: 20, startTime: "99" },
		{ pid: 21, startTime: "1000", environment: { COOKIE: "1" } },
		{ pid: 23, state: "Z", environment: { COOKIE: "1" } },
		{ pid: 24, environment: { COOKIE: "1" } },
	]);
	const memory = new Map([["24 100", "1"]]);
	const found = belongingTo(look, { ...AGENT, ...COOKIE, startedSince: "100", memory }, ASKER);
	expect(found.map(({ pid }) => pid)).toEqual([10, 11, 21, 24]);
	expect(look.asked).toEqual([21]);
	expect(memory.get("21 1000")).toBe("1");
});

test("pid 1, the asker and zombies are never found; another user's process is, but not by a cookie that may be forged", () => {
	const rows = [
		{ pid: 1, parent: 0, session: 11 },
		{ pid: 9999, session: 11 },
		{ pid: 13, session: 11, state: "Z" },
		{ pid: 14, session: 11, uid: 0 },
		{ pid: 15, session: 11 },
		{ pid: 16, session: 16, uid: 0, environment: { COOKIE: "1" } },
		{ pid: 17, session: 17, uid: 1000, environment: { COOKIE: "1" } },
	];
	const agentOfCookie: Claims["agentOfCookie"] = (_, isForgeable) => (isForgeable ? undefined : "1");
	expect(find(rows, { ...COMMAND, agentOfCookie })).toEqual([14, 15, 17]);
});

test("pid 1 owns nothing, nor is session 0 or 1 a command's", () => {
	const everywhere = () => ({ agent: "1", startTime: "100" });
	const rows = [
		{ pid: 1, parent: 0, session: 1 },
		{ pid: 20, session: 1 },
		{ pid: 21, session: 0, group: 0 },
	];
	expect(owners(rows, { commandAt: everywhere })).toEqual({ 1: undefined, 20: undefined, 21: undefined });
});

test("to find the owner of one process only its ancestors are read, and a circle of parents ends", () => {
	const rows = [{ pid: 30, parent: 31 }, { pid: 31, parent: 30 }, { pid: 10 }, { pid: 20, parent: 10 }];
	const look = lookOf(rows);
	const ownerOf = createOwnerOf({ ...look, read: look.read }, { ...AGENT, ...COOKIE });
	expect([30, 20].map((pid) => ownerOf(look.read(pid) as ProcessInfo))).toEqual([undefined, "1"]);
	expect(look.asked.sort()).toEqual([30, 31]);
});

test("a chain of processes may be longer than the stack", () => {
	const rows = Array.from({ length: 20_000 }, (_, i) => ({ pid: 10 + i, parent: i === 0 ? 1 : 9 + i }));
	const infos = lookOf(rows).list();
	const look = { list: () => [...infos].reverse(), read: () => undefined, environment: () => undefined };
	expect(belongingTo(look, AGENT, { pid: 9, uid: 1000 }).length).toBe(20_000);
});
