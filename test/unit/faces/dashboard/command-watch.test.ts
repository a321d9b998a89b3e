import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { EMPTY_RUN, type RunState, reduce, reduceInPlace } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { CommandWatch } from "../../../../src/faces/dashboard/command-watch.ts";
import { emptyTranscript } from "../../../../src/faces/dashboard/scene/agent-transcript.ts";
import type { Picture } from "../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI, select } from "../../../../src/faces/dashboard/scene/ui-state.ts";
import type { ProcessInfo, ProcessTable } from "../../../../src/processes/table/process-table.ts";
import { agentDirectory } from "../../../../src/record/run-directory.ts";
import { RecordedRun } from "../../../../src/record/run-source.ts";
import { NO_ACTIVITY, type SeenCommands } from "../../../../src/view/agents/activity.ts";
import { commandEnded, commandStarted, ended, joined, runOf, turnEnded, turnStarted } from "../../core/run-of.ts";
import { temporaryHome } from "../../record/fabricate.ts";

const NOW = 1_900_000_000_000;

const works = (agent: string, command?: number): RunEvent[] => [
	joined(agent, {}, command),
	turnStarted(agent, 1),
	turnEnded(agent, 1),
	commandStarted(agent, 1),
];

function tableOf(processes: readonly ProcessInfo[]): ProcessTable {
	const look = { list: () => [...processes], read: () => undefined, environment: () => undefined };
	return { ...look, newestPid: () => undefined, look: () => look, freshLook: async () => look, isCostly: true };
}

function watching(run: RunState, selected = "1", processes: readonly ProcessInfo[] = []) {
	const runDirectory = temporaryHome();
	const picture: Picture = {
		...{
			run,
			ui: select(FIRST_UI, selected),
			transcript: emptyTranscript(selected),
			events: [],
			activity: NO_ACTIVITY,
		},
		...{ isLost: false, size: { columns: 120, rows: 36 }, now: NOW },
	};
	const change = (changes: Partial<Picture>) => Object.assign(picture, changes);
	const told: SeenCommands[] = [];
	const watch = new CommandWatch({
		...{
			record: new RecordedRun(runDirectory),
			now: () => NOW,
			picture: () => picture,
			tableOf: () => tableOf(processes),
		},
		onSeen: (commands) => told.push(commands),
	});
	const logOf = (agent: string, command: number) => join(agentDirectory(runDirectory, agent), `out/000${command}.log`);
	return {
		told,
		tick: () => watch.tick(),
		logOf,
		print: (agent: string, command: number, at: number) => {
			const log = logOf(agent, command);
			mkdirSync(dirname(log), { recursive: true });
			writeFileSync(log, "x");
			utimesSync(log, at / 1000, at / 1000);
		},
		happen: (...events: RunEvent[]) => {
			change({ run: events.reduce(reduce, picture.run) });
		},
	};
}

test("it tells when each running command has printed last, again when that has changed, and forgets those that ended", () => {
	const { told, tick, print, happen } = watching(runOf(...works("1"), commandStarted("1", 2)));
	print("1", 1, NOW - 9_000);
	print("1", 2, NOW - 7_000);
	void tick();
	const first = new Map([
		[1, { silentSince: NOW - 9_000 }],
		[2, { silentSince: NOW - 7_000 }],
	]);
	expect(told).toEqual([new Map([["1", first]])]);
	void tick();
	expect(told).toHaveLength(1); // nothing is new
	print("1", 1, NOW - 1_000);
	void tick();
	expect(told[1]?.get("1")?.get(1)).toEqual({ silentSince: NOW - 1_000 });
	happen(commandEnded("1", 2));
	void tick();
	expect(told[2]).toEqual(new Map([["1", new Map([[1, { silentSince: NOW - 1_000 }]])]]));
	happen(ended("1"));
	void tick();
	expect(told[3]).toEqual(new Map());
	void tick();
	expect(told).toHaveLength(4);
});

test("an agent that waits for its children is not looked at, and one that only thinks neither", () => {
	const { told, tick, print } = watching(
		runOf(...works("1"), ...works("1.1", 1), joined("1.2"), turnStarted("1.2", 1)),
	);
	for (const agent of ["1", "1.1", "1.2"]) print(agent, 1, NOW - 5_000);
	void tick();
	expect(told.map((commands) => [...commands.keys()])).toEqual([["1.1"]]);
});

test("where there is no log, no directory, or something else in its place, nothing is known and nothing is thrown", () => {
	const agents = ["1", "1.1", "1.2", "1.3"];
	const { told, tick, print, logOf } = watching(runOf(...agents.flatMap((agent) => works(agent))));
	mkdirSync(logOf("1.1", 1), { recursive: true });
	print("1.2", 1, NOW - 5_000);
	mkdirSync(dirname(logOf("1.3", 1)), { recursive: true });
	symlinkSync(logOf("1.2", 1), logOf("1.3", 1));
	void tick();
	const nothing = new Map([[1, {}]]);
	expect(told).toEqual([
		new Map([
			["1", nothing],
			["1.1", nothing],
			["1.2", new Map([[1, { silentSince: NOW - 5_000 }]])],
			["1.3", nothing],
		]),
	]);
	rmSync(dirname(logOf("1.2", 1)), { recursive: true });
	symlinkSync("out", dirname(logOf("1.2", 1))); // a link to itself
	void tick();
	expect(told[1]?.get("1.2")).toEqual(nothing);
});

test("a log whose time lies ahead has been written now", () => {
	const { told, tick, print } = watching(runOf(...works("1")));
	print("1", 1, NOW + 3_600_000);
	void tick();
	expect(told[0]?.get("1")?.get(1)).toEqual({ silentSince: NOW });
});

test("of a large run each tick looks at the agents on the screen and at a part of the others, so that all have their turn", () => {
	const agents = Array.from({ length: 1_000 }, (_, n) => `1.${n + 1}`);
	const events = [joined("1"), ...agents.flatMap((agent) => works(agent))];
	const run = events.reduce(reduceInPlace, { ...EMPTY_RUN, agents: {} });
	const { told, tick, print } = watching(run, "1.999");
	const sizes: (number | undefined)[] = [];
	for (let second = 0; second < 4; second++) {
		print("1.999", 1, NOW - 9_000 + second * 1_000);
		void tick();
		sizes.push(told.at(-1)?.size);
		expect(told.at(-1)?.get("1.999")?.get(1)).toEqual({ silentSince: NOW - 9_000 + second * 1_000 });
	}
	expect([sizes[0], sizes.at(-1)]).toEqual([300, 1_000]);
});

test("when the run is over there is nothing to look at", () => {
	const over: RunEvent = { event: "run_ended", at: NOW, ending: { by: "answer" }, exitCode: 0, survivors: [] };
	const { told, tick, print } = watching(runOf(...works("1"), over));
	print("1", 1, NOW - 5_000);
	void tick();
	expect(told).toEqual([]);
});

/** The supervisor of runOf, its agents, and the shell of the first command of one of them. */
const process = (pid: number, parent: number, startTime: string): ProcessInfo => ({
	...{ pid, parent, startTime, group: pid, session: pid, state: "S", name: `p${pid}`, cpuMs: 40 },
});
const PROCESSES = [process(50, 1, "5"), process(100, 50, "9"), process(201, 100, "20")];

test("of a command that has been silent for ten seconds the processes are told, until it prints again", async () => {
	const { told, tick, print } = watching(runOf(...works("1")), "1", PROCESSES);
	print("1", 1, NOW - 9_000);
	await tick();
	expect(told).toHaveLength(1);
	print("1", 1, NOW - 10_000);
	await tick();
	const seen = { silentSince: NOW - 10_000, cpuMs: 40, processes: [{ pid: 201, name: "p201" }] };
	expect(told.at(-1)?.get("1")?.get(1)).toEqual(seen);
	await tick();
	expect(told.at(-1)?.get("1")?.get(1)).toEqual(seen);
	print("1", 1, NOW - 1_000);
	await tick();
	expect(told.at(-1)?.get("1")?.get(1)).toEqual({ silentSince: NOW - 1_000 });
});

// Seen to fail (a command that prints all the time becomes silent) without isCut.
test("of a command whose log was cut nobody knows when it prints", async () => {
	const { told, tick, logOf, print } = watching(runOf(...works("1")), "1", PROCESSES);
	print("1", 1, NOW - 20_000);
	writeFileSync(logOf("1", 1), "x\n[agentree: cut at 5000 bytes; the rest was not saved]\n");
	utimesSync(logOf("1", 1), (NOW - 20_000) / 1000, (NOW - 20_000) / 1000);
	await tick();
	await tick();
	expect(told.at(-1)?.get("1")?.get(1)).toEqual({ isCut: true });
});

test("a command that ends while its processes are looked at is not told of again", async () => {
	const { told, tick, print, happen } = watching(runOf(...works("1")), "1", PROCESSES);
	print("1", 1, NOW - 20_000);
	const looked = tick();
	happen(ended("1"));
	void tick();
	await looked;
	expect(told.at(-1)).toEqual(new Map());
});
