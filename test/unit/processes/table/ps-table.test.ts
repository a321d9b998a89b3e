import { expect, test } from "vitest";
import { AgentreeError } from "../../../../src/core/errors.ts";
import { belongingTo } from "../../../../src/processes/table/belonging.ts";
import { createProcInSeconds } from "../../../../src/processes/table/open-table.ts";
import { cheapTable, type Look, type ProcessTable } from "../../../../src/processes/table/process-table.ts";
import {
	createPsTable,
	environmentBehind,
	type PsOutput,
	parseCommandLines,
	parseProcesses,
} from "../../../../src/processes/table/ps-table.ts";

/** procps 4.0.2, Debian 12. */
const LINUX = `\
      1       0       0       0 S     0 00:00:12 process_api     Fri Nov 27 22:30:58 2026 /process_api --port 5002
  22313       1   22313   22313 S  1000 01:02:03 tmux: server    Fri Nov  6 03:02:07 2026 tmux new -d
  22842       2       0       0 I     0 00:00:00 kworker/u8:3-ex Fri Nov 27 23:33:14 2026 [kworker/u8:3-ext4-rsv-conversion]
  23001   22313   23001   22313 Z  1000 00:00:00 sleep           Fri Nov 27 23:33:15 2026 [sleep] <defunct>
`;

/** As ps(1) of macOS 14 documents its columns: no session is told, the state has flags. */
const MACOS = `\
    1     0     1      0 Ss       0 3:04.50 launchd          Thu Jan  1 09:00:01 2026     /sbin/launchd
  501     1   501      0 S+     501 0:00.02 My App           Sat Feb 28 23:59:59 2026     /Applications/My App.app/Contents/MacOS/My App
  502   501   501 ffffff80 U    -2 102:00.00 bash             Sun Mar  1 00:00:00 2026     /bin/bash
`;

/** As ps(1) of FreeBSD 14 documents its columns; a zombie has no start time. */
const FREEBSD = `\
   11     0     0     0 RNL    0  9:00.00 idle Mon Dec 31 23:59:58 2029 [idle]
  840   839   840   838 SsJ 1001 0:01.25 sh   Tue Dec  1 12:00:00 2026 -sh
  841   840   840   838 Z   1001 0:00.00 sh   - <defunct>
`;

const secondsOf = (iso: string) => `ps:${Date.parse(`${iso}Z`) / 1000}`;

test("the lines of Linux's ps give pid, parent, group, session, state, user, time of computing, start and name", () => {
	expect(parseProcesses(LINUX).map(({ info }) => info)).toEqual([
		{
			...{ cpuMs: 12000, pid: 1, parent: 0, group: 0, session: 0, state: "S", uid: 0 },
			...{ startTime: secondsOf("2026-11-27T22:30:58"), name: "process_api" },
		},
		{
			...{ cpuMs: 3723000, pid: 22313, parent: 1, group: 22313, session: 22313, state: "S", uid: 1000 },
			...{ startTime: secondsOf("2026-11-06T03:02:07"), name: "tmux: server" },
		},
		{
			...{ cpuMs: 0, pid: 22842, parent: 2, group: 0, session: 0, state: "I", uid: 0 },
			...{ startTime: secondsOf("2026-11-27T23:33:14"), name: "kworker/u8:3-ex" },
		},
		{
			...{ cpuMs: 0, pid: 23001, parent: 22313, group: 23001, session: 22313, state: "Z", uid: 1000 },
			...{ startTime: secondsOf("2026-11-27T23:33:15"), name: "sleep" },
		},
	]);
});

test("on macOS the group stands for the session, and U is a device wait", () => {
	expect(parseProcesses(MACOS).map(({ info }) => info)).toEqual([
		{
			...{ cpuMs: 184500, pid: 1, parent: 0, group: 1, session: 1, state: "S", uid: 0 },
			...{ startTime: secondsOf("2026-01-01T09:00:01"), name: "launchd" },
		},
		{
			...{ cpuMs: 20, pid: 501, parent: 1, group: 501, session: 501, state: "S", uid: 501 },
			...{ startTime: secondsOf("2026-02-28T23:59:59"), name: "My App" },
		},
		{
			...{ cpuMs: 6120000, pid: 502, parent: 501, group: 501, session: 501, state: "D", uid: -2 },
			...{ startTime: secondsOf("2026-03-01T00:00:00"), name: "bash" },
		},
	]);
});

test("FreeBSD's sessions are read, and a zombie without a start time is no process", () => {
	expect(parseProcesses(FREEBSD).map(({ info }) => info)).toMatchObject([
		{ pid: 11, state: "R", startTime: secondsOf("2029-12-31T23:59:58") },
		{ pid: 840, parent: 839, group: 840, session: 838, state: "S" },
	]);
});

test.each([
	["00:00:00", 0],
	["2-03:04:05", 183_845_000],
	["0:01.25", 1_250],
	["1:02,50", 62_500],
	["-", undefined],
])("a process that has computed for %s", (time, cpuMs) => {
	const line = `12 1 12 12 S 0 ${time} sleep Fri Nov 27 23:33:15 2026 sleep 1`;
	expect(parseProcesses(line).map(({ info }) => info.cpuMs)).toEqual([cpuMs]);
});

test("lines that are cut, empty or a complaint are no processes", () => {
	expect(parseProcesses("")).toEqual([]);
	expect(parseProcesses("ps: sid: keyword not found\n  12   1   12\n\n")).toEqual([]);
});

test("a name that looks like a date, or has nothing in it, does not move the start time", () => {
	const named = (name: string) => `12 1 12 12 S 0 00:00:00 ${name.padEnd(15)} Fri Nov 27 23:33:15 2026 sleep 1`;
	for (const name of ["Fri Jan 1 1:1:1", ") S 1 1", ""])
		expect(parseProcesses(named(name))).toMatchObject([
			{ info: { name, startTime: secondsOf("2026-11-27T23:33:15") }, words: "sleep 1" },
		]);
});

test("the environment is what follows the command, and a word of the command is no variable", () => {
	const lines = parseCommandLines(
		"  12 env AGENTREE_AGENT=r1/1 sleep 3 A=1 B=x y C=q=1\n  13 sleep 3 EMPTY= PATH=/bin:/usr/bin \n   7 [kthreadd]\n",
	);
	const behind = (pid: number, words: string) => environmentBehind(words, lines.get(pid) ?? "");
	expect([behind(12, "env AGENTREE_AGENT=r1/1 sleep 3"), behind(13, "sleep 3"), behind(7, "[kthreadd]")]).toEqual([
		{ A: "1", B: "x y", C: "q=1" },
		{ EMPTY: "", PATH: "/bin:/usr/bin" },
		{},
	]);
});

test("the line of a process that became another program between the two looks is searched whole", () => {
	expect(environmentBehind("bash", "sleep 3 A=1")).toEqual({ A: "1" });
});

/** A `ps` that answers from what it is given, and keeps what it was asked. */
function fakePs(answers: { facts?: string; environments?: string }, pid = 99) {
	const asked: string[][] = [];
	const run = (args: readonly string[]): PsOutput => {
		asked.push([...args]);
		return { pid, stdout: (args.includes("lstart=") ? answers.facts : answers.environments) ?? "" };
	};
	const start = async (args: readonly string[]) => {
		fake.onStart();
		return run(args);
	};
	const fake = { asked, run, start, onStart: () => {} };
	return fake;
}

const SELF = "   99    50    50    50 R     0 00:00:00 ps              Fri Nov 27 23:33:15 2026 ps -ww\n";

test("ps itself is not in its own list", () => {
	const table = createPsTable("linux", fakePs({ facts: LINUX + SELF }));
	expect(table.list().map(({ pid }) => pid)).toEqual([1, 22313, 22842, 23001]);
});

test("one process is asked for by its pid alone, and the session by the name that the system has for it", () => {
	const ps = fakePs({});
	expect(createPsTable("darwin", ps).read(7)).toBeUndefined();
	expect(createPsTable("freebsd", ps).read(7)).toBeUndefined();
	expect(ps.asked.map((args) => [args.slice(-2).join(" "), args.find((arg) => /^s(id|ess)=$/.test(arg))])).toEqual([
		["-p 7", "sess="],
		["-p 7", "sid="],
	]);
});

test("a look runs ps once however much it is asked, and for environments only when they are asked for", () => {
	const ps = fakePs({ facts: LINUX, environments: "22313 tmux new -d A=1\n5 gone A=1\n" });
	const look = createPsTable("linux", ps).look();
	expect(ps.asked).toHaveLength(0);
	for (let i = 0; i < 3; i++) {
		expect(look.list()).toHaveLength(4);
		expect(look.read(22313)).toMatchObject({ name: "tmux: server" });
	}
	expect(ps.asked).toHaveLength(1);
	for (let i = 0; i < 3; i++) {
		expect(look.environment(22313)).toEqual({ A: "1" });
		expect(look.environment(5)).toBeUndefined(); // the process was over when the first ps ran
	}
	expect(ps.asked).toHaveLength(2);
});

test("a search among hundreds of processes runs ps twice", () => {
	const lines = Array.from({ length: 300 }, (_, i) => LINUX.split("\n")[1]?.replace("22313", String(30_000 + i)));
	const ps = fakePs({ facts: lines.join("\n"), environments: "30007 tmux new -d COOKIE=1\n" });
	const claims = { agentOfCookie: ({ COOKIE }: Record<string, string>) => (COOKIE === "1" ? "1" : undefined) };
	const found = belongingTo(createPsTable("linux", ps).look(), claims, { pid: 9999, uid: 1000 });
	expect(found.map(({ pid }) => pid)).toEqual([30_007]);
	expect(ps.asked).toHaveLength(2);
});

test("calls in the same moment share one fresh look, and a call during it gets the next one", async () => {
	const ps = fakePs({ facts: LINUX });
	const fresh = createPsTable("linux", ps).freshLook;
	const [first, second] = await Promise.all([fresh(), fresh()]);
	expect([first === second, first.list().length, ps.asked.length]).toEqual([true, 4, 2]);
	let askedDuring: Promise<Look> | undefined;
	ps.onStart = () => {
		askedDuring ??= fresh();
	};
	const third = await fresh();
	expect([third === first, (await askedDuring) === third, ps.asked.length]).toEqual([false, false, 6]);
});

test("a ps that cannot be run throws, is never taken for an empty table, and is tried again at the next look", async () => {
	const ps = fakePs({ facts: LINUX });
	const run = () => {
		throw new Error("EAGAIN");
	};
	const broken = createPsTable("linux", { run, start: async () => run() });
	expect(() => broken.list()).toThrow("EAGAIN");
	expect(() => broken.read(1)).toThrow("EAGAIN");
	let tries = 0;
	const start = async (args: readonly string[]) => (tries++ < 2 ? run() : ps.run(args));
	const table = createPsTable("linux", { run, start });
	await expect(table.freshLook()).rejects.toThrow("EAGAIN");
	expect((await table.freshLook()).list()).toHaveLength(4);
});

test("when ps cannot be run the fallback answers every question, and for a while ps is not tried again", async () => {
	// Seen to fail without `withFallback`: each question throws.
	let tries = 0;
	let nowMs = 0;
	const run = () => {
		tries += 1;
		throw new AgentreeError("not_started", "cannot read the process table: spawnSync /bin/ps EAGAIN");
	};
	const seven = { pid: 7, startTime: "ps:1", parent: 1, group: 7, session: 7, state: "S", name: "seven" };
	const proc = cheapTable({ list: () => [seven], read: () => seven, environment: () => ({ A: "1" }) });
	const ask = async (question: (table: ProcessTable) => unknown) => {
		tries = 0;
		const table = createPsTable("linux", { run, start: async () => run() }, { fallback: proc, now: () => nowMs });
		const answers = [await question(table), await question(table), tries];
		nowMs += 5_000;
		await question(table);
		expect(tries).toBe(2 * (answers[2] as number));
		return answers;
	};
	expect(await ask((table) => table.list())).toEqual([[seven], [seven], 1]);
	expect(await ask((table) => table.read(7))).toEqual([seven, seven, 1]);
	expect(await ask((table) => table.environment(7))).toEqual([{ A: "1" }, { A: "1" }, 1]);
	expect(await ask((table) => table.look().list())).toEqual([[seven], [seven], 1]);
	expect(await ask(async (table) => (await table.freshLook()).list())).toEqual([[seven], [seven], 2]); // both looks at once
});

test("a start time of /proc in the seconds of ps is the time of boot plus its ticks", () => {
	const seven = { pid: 7, startTime: "12345", parent: 1, group: 7, session: 7, state: "S", name: "seven" };
	const proc = { list: () => [seven], read: () => seven, environment: () => undefined };
	const table = createProcInSeconds(proc, () => "cpu  1 2 3\nbtime 1795800000\nprocesses 9\n");
	const there = { ...seven, startTime: "ps:1795800123" };
	expect([table.list(), table.read(7)]).toEqual([[there], there]);
});
