import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EMPTY_RUN, type RunState, reduce } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import type { ProcessInfo } from "../../../../src/processes/table/process-table.ts";
import { agentDirectory } from "../../../../src/record/run-directory.ts";
import { RecordedRun } from "../../../../src/record/run-source.ts";
import { commandActivities } from "../../../../src/view/agents/command-activity.ts";
import { agentJoined, runStarted, T0, temporaryHome } from "../../record/fabricate.ts";

function commandStarted(agent: string, command: number, pid: number): RunEvent {
	const log = `out/000${command}.log`;
	return { event: "command_started", at: T0 + 1_000, agent, command, text: "make", pid, startTime: "80", log };
}

function runOf(...events: RunEvent[]): RunState {
	return [runStarted(), ...events].reduce(reduce, EMPTY_RUN);
}

/** Agent 1 (pid 4101) with two commands, of which the first has started agent 1.1 (pid 4111) with a command. */
const RUN = runOf(
	agentJoined("1", T0),
	commandStarted("1", 1, 500),
	commandStarted("1", 2, 600),
	agentJoined("1.1", T0 + 2_000, { command: 1 }),
	commandStarted("1.1", 1, 700),
);

function info(pid: number, parent: number, changes: Partial<ProcessInfo> = {}): ProcessInfo {
	return { ...{ pid, parent, group: pid, session: pid, startTime: "80", state: "S", name: `p${pid}` }, ...changes };
}

const PROCESSES: readonly ProcessInfo[] = [
	info(4100, 1, { startTime: "77", cpuMs: 9_000 }),
	info(4101, 4100, { startTime: "78", cpuMs: 9_000 }),
	info(500, 4101, { name: "bash", cpuMs: 10 }),
	info(4111, 500, { session: 500, group: 500, startTime: "78", cpuMs: 9_000 }),
	info(700, 4111, { name: "bash", cpuMs: 0 }),
	info(913, 700, { session: 700, group: 700, name: "flock", cpuMs: 20 }),
	info(700_001, 913, { session: 700, group: 700, name: "gone", state: "Z", cpuMs: 70 }),
	info(600, 4101, { name: "make", cpuMs: 400 }),
	info(602, 600, { session: 600, group: 600, name: "cc1", cpuMs: 1_600 }),
	info(601, 1, { session: 600, group: 601, name: "adrift" }),
	info(603, 602, { name: "own-session", cpuMs: 5 }),
	info(9_000, 1, { name: "stranger", cpuMs: 5 }),
];

const look = { list: () => [...PROCESSES] };
const processes = (...named: [pid: number, name: string][]) => named.map(([pid, name]) => ({ pid, name }));

test("a command has its shell and all below it, but not what its child agents have", () => {
	const activities = commandActivities(RUN, ["1", "1.1", "1.7"], { record: new RecordedRun(temporaryHome()), look });
	expect(activities).toEqual([
		{ agent: "1", command: 1, silentSince: undefined, cpuMs: 10, processes: processes([500, "bash"]) },
		{
			...{ agent: "1", command: 2, silentSince: undefined, cpuMs: 2_005 },
			processes: processes([600, "make"], [601, "adrift"], [602, "cc1"], [603, "own-session"]),
		},
		{
			...{ agent: "1.1", command: 1, silentSince: undefined, cpuMs: 20 },
			processes: processes([700, "bash"], [913, "flock"]),
		},
	]);
});

test("a later process with the pid of a command's shell, or of an agent, is not of the run", () => {
	const list = () => [
		info(500, 1, { session: 1, group: 1, name: "other" }),
		info(4101, 1, { startTime: "900", name: "later" }),
		info(601, 4101, { session: 600, group: 600, name: "sleep", cpuMs: 0 }),
	];
	const activities = commandActivities(RUN, ["1"], { record: new RecordedRun(temporaryHome()), look: { list } });
	expect(activities).toMatchObject([
		{ command: 1, cpuMs: undefined, processes: [] },
		{ command: 2, cpuMs: 0, processes: processes([601, "sleep"]) },
	]);
});

test("a command is silent since its log grew, at least since it started; a log that was cut tells nothing", () => {
	const directory = temporaryHome();
	const writeLog = (agent: string, command: number, text: string, at: number) => {
		const path = join(agentDirectory(directory, agent), `out/000${command}.log`);
		mkdirSync(join(path, ".."), { recursive: true });
		writeFileSync(path, text);
		utimesSync(path, at / 1000, at / 1000);
	};
	const since = () =>
		commandActivities(RUN, ["1", "1.1"], { record: new RecordedRun(directory), look }).map(
			({ silentSince }) => silentSince,
		);
	writeLog("1", 1, "hello\n", T0 + 61_000);
	writeLog("1", 2, "", T0); // the file's clock is behind
	writeLog("1.1", 1, `${"x".repeat(5_000)}\n[agentree: cut at 5000 bytes; the rest was not saved]\n`, T0 + 70_000);
	expect(since()).toEqual([T0 + 61_000, T0 + 1_000, undefined]);
	writeLog("1.1", 1, "x", T0 + 80_000);
	expect(since()[2]).toBe(T0 + 80_000);
});

test("a log that is a link is not followed", () => {
	const directory = temporaryHome();
	mkdirSync(join(directory, "1/out"), { recursive: true });
	symlinkSync("/etc/hostname", join(directory, "1/out/0001.log"));
	expect(commandActivities(RUN, ["1"], { record: new RecordedRun(directory), look })[0]?.silentSince).toBeUndefined();
});

test("without a running command nothing is looked at", () => {
	const list = () => {
		throw new Error("not asked for");
	};
	expect(
		commandActivities(runOf(agentJoined("1", T0)), ["1"], { record: new RecordedRun("/"), look: { list } }),
	).toEqual([]);
});

test("the processes that a sandbox consists of are none of the command", () => {
	const inSandbox = [
		info(500, 4101, { name: "bwrap" }),
		info(501, 500, { name: "bash", session: 501 }),
		info(502, 501, { name: "make", session: 501 }),
		info(503, 501, { name: "orphan" }),
	];
	const [first] = commandActivities(RUN, ["1"], {
		record: new RecordedRun(temporaryHome()),
		look: { list: () => inSandbox },
	});
	expect(first?.processes).toEqual(processes([502, "make"], [503, "orphan"]));
});
