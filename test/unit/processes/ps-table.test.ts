import { expect, test } from "vitest";
import { findProcesses } from "../../../src/processes/find-processes.ts";
import { createPsTable, parseEnvironments, parseProcesses } from "../../../src/processes/ps-table.ts";

/** procps 4.0.2, Debian 12. */
const LINUX = `\
      1       0       0       0 S     0 Fri Nov 27 22:30:58 2026 process_api
  22313       1   22313   22313 S  1000 Fri Nov  6 03:02:07 2026 tmux: server
  22842       2       0       0 I     0 Fri Nov 27 23:33:14 2026 kworker/u8:3-ext4-rsv-conversion
  23001   22313   23001   22313 Z  1000 Fri Nov 27 23:33:15 2026 sleep <defunct>
`;

/** As ps(1) of macOS 14 documents its columns: no session is told, the state has flags, the name is a path. */
const MACOS = `\
    1     0     1      0 Ss       0 Thu Jan  1 09:00:01 2026     /sbin/launchd
  501     1   501      0 S+     501 Sat Feb 28 23:59:59 2026     /Applications/My App.app/Contents/MacOS/My App
  502   501   501 ffffff80 U    -2 Sun Mar  1 00:00:00 2026     /bin/bash
`;

/** As ps(1) of FreeBSD 14 documents its columns; a zombie has no start time. */
const FREEBSD = `\
   11     0     0     0 RNL    0 Mon Dec 31 23:59:58 2029 idle
  840   839   840   838 SsJ 1001 Tue Dec  1 12:00:00 2026 sh
  841   840   840   838 Z   1001 - <defunct>
`;

const secondsOf = (iso: string) => `ps:${Date.parse(`${iso}Z`) / 1000}`;

test("the lines of Linux's ps give pid, parent, group, session, state, user, start and name", () => {
	expect(parseProcesses(LINUX)).toEqual([
		{
			...{ pid: 1, parent: 0, group: 0, session: 0, state: "S", uid: 0 },
			...{ startTime: secondsOf("2026-11-27T22:30:58"), name: "process_api" },
		},
		{
			...{ pid: 22313, parent: 1, group: 22313, session: 22313, state: "S", uid: 1000 },
			...{ startTime: secondsOf("2026-11-06T03:02:07"), name: "tmux: server" },
		},
		{
			...{ pid: 22842, parent: 2, group: 0, session: 0, state: "I", uid: 0 },
			...{ startTime: secondsOf("2026-11-27T23:33:14"), name: "kworker/u8:3-ext4-rsv-conversion" },
		},
		{
			...{ pid: 23001, parent: 22313, group: 23001, session: 22313, state: "Z", uid: 1000 },
			...{ startTime: secondsOf("2026-11-27T23:33:15"), name: "sleep <defunct>" },
		},
	]);
});

test("on macOS the group stands for the session, the name is the path's last part, U is a device wait", () => {
	expect(parseProcesses(MACOS)).toEqual([
		{
			...{ pid: 1, parent: 0, group: 1, session: 1, state: "S", uid: 0 },
			...{ startTime: secondsOf("2026-01-01T09:00:01"), name: "launchd" },
		},
		{
			...{ pid: 501, parent: 1, group: 501, session: 501, state: "S", uid: 501 },
			...{ startTime: secondsOf("2026-02-28T23:59:59"), name: "My App" },
		},
		{
			...{ pid: 502, parent: 501, group: 501, session: 501, state: "D", uid: -2 },
			...{ startTime: secondsOf("2026-03-01T00:00:00"), name: "bash" },
		},
	]);
});

test("FreeBSD's sessions are read, and a zombie without a start time is no process", () => {
	expect(parseProcesses(FREEBSD)).toMatchObject([
		{ pid: 11, state: "R", startTime: secondsOf("2029-12-31T23:59:58") },
		{ pid: 840, parent: 839, group: 840, session: 838, state: "S" },
	]);
});

test("lines that are cut, empty or a complaint are no processes", () => {
	expect(parseProcesses("")).toEqual([]);
	expect(parseProcesses("ps: sid: keyword not found\n  12   1   12\n\n")).toEqual([]);
});

test("the environment is what stands behind the command, and a word of the command is no variable", () => {
	const commands = "  12 env AGENTREE_AGENT=r1/1 sleep 3\n  13 sleep 3\n   7 [kthreadd]\n";
	const both =
		"  12 env AGENTREE_AGENT=r1/1 sleep 3 A=1 B=x y C=q=1\n  13 sleep 3 EMPTY= PATH=/bin:/usr/bin \n   7 [kthreadd]\n";
	expect([...parseEnvironments(commands, both)]).toEqual([
		[12, { A: "1", B: "x y", C: "q=1" }],
		[13, { EMPTY: "", PATH: "/bin:/usr/bin" }],
		[7, {}],
	]);
});

test("a process that became another program between the two looks is read whole, and one that is new, too", () => {
	expect([...parseEnvironments("12 bash\n", "12 sleep 3 A=1\n14 cat B=2 B=3\n")]).toEqual([
		[12, { A: "1" }],
		[14, { B: "2" }],
	]);
});

/** A `ps` that answers from what it is given, and keeps what it was asked. */
function fakePs(answers: { list?: string; commands?: string; both?: string }, pid = 99) {
	const asked: string[][] = [];
	const run = (args: readonly string[]) => {
		asked.push([...args]);
		if (args.includes("lstart=")) return { pid, stdout: answers.list ?? "" };
		const isBoth = args.includes("eww") || args.includes("-E");
		return { pid, stdout: (isBoth ? answers.both : answers.commands) ?? "" };
	};
	return { asked, run };
}

const SELF = "   99    50    50    50 R     0 Fri Nov 27 23:33:15 2026 ps\n";

test("ps itself is not in its own list", () => {
	const { run } = fakePs({ list: LINUX + SELF });
	expect(
		createPsTable("linux", run)
			.list()
			.map(({ pid }) => pid),
	).toEqual([1, 22313, 22842, 23001]);
});

test("one process is asked for by its pid alone, and the session by the name that the system has for it", () => {
	const { run, asked } = fakePs({ list: "" });
	expect(createPsTable("darwin", run).read(7)).toBeUndefined();
	expect(createPsTable("freebsd", run).read(7)).toBeUndefined();
	expect(asked.map((args) => [args.slice(-2).join(" "), args.find((arg) => /^s.*=$/.test(arg))])).toEqual([
		["-p 7", "sess="],
		["-p 7", "sid="],
	]);
});

test("a snapshot asks once however much is asked of it, and what is over by the second look has no environment", () => {
	const { run, asked } = fakePs({
		list: LINUX,
		commands: "22313 tmux\n5 gone\n",
		both: "22313 tmux A=1\n5 gone A=1\n",
	});
	const snapshot = createPsTable("linux", run).snapshot?.();
	for (let i = 0; i < 3; i++) {
		expect(snapshot?.list()).toHaveLength(4);
		expect(snapshot?.read(22313)).toMatchObject({ name: "tmux: server" });
		expect(snapshot?.environment(22313)).toEqual({ A: "1" });
		expect(snapshot?.environment(5)).toBeUndefined();
	}
	expect(asked).toHaveLength(3);
});

test("a search among hundreds of processes runs ps three times", () => {
	const lines = Array.from({ length: 300 }, (_, i) => LINUX.split("\n")[1]?.replace("22313", String(30_000 + i)));
	const { run, asked } = fakePs({ list: lines.join("\n"), both: "30007 sleep COOKIE=1\n" });
	const found = findProcesses(createPsTable("linux", run), {
		...{ roots: [], sessions: [], except: [], uid: 1000 },
		cookie: ({ COOKIE }) => COOKIE === "1",
	});
	expect(found.map(({ pid }) => pid)).toEqual([30_007]);
	expect(asked).toHaveLength(3);
});

test("what cannot be run is thrown, never taken for an empty table", () => {
	const table = createPsTable("linux", () => {
		throw new Error("EAGAIN");
	});
	expect(() => table.list()).toThrow("EAGAIN");
	expect(() => table.read(1)).toThrow("EAGAIN");
});
