import { expect, test } from "vitest";
import { reduce } from "../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { endBrokenRun, lastSteps, type RunEnd, type RunParts } from "../../../src/supervisor/run-end.ts";
import { joined, runOf } from "../core/run-of.ts";
import { runFile } from "../record/fabricate.ts";

const BUG = { by: "crashed", reason: "a bug in agentree: TypeError: x" } as const;

/** A run with agents 1 and 1.1, of which each step writes down that it was made; those in `fails` throw then. */
function brokenRun(...fails: string[]) {
	const done: string[] = [];
	let run = runOf(joined("1"), joined("1.1"));
	let resolved: RunEnd | undefined;
	const step = (name: string) => {
		done.push(name);
		if (fails.includes(name)) throw new TypeError(name);
	};
	const machine = {
		end: async (agent: string) => {
			step(`end ${agent}`);
			return [{ pid: 7, startTime: "9" }];
		},
		killRoot: () => step("kill root"),
		killNow: (agent: string) => step(`kill ${agent}`),
		close: () => step("remove groups"),
	};
	const parts = {
		core: {
			...{ machine, host: { now: () => 5 } },
			get run() {
				return run;
			},
			timers: { stop: () => step("stop timers") },
			registry: { closeAll: () => step("close connections") },
			journal: { runFile: () => step("write run.json"), close: () => step("close journal") },
		},
		runFile: runFile(),
		server: { close: () => step("close socket") },
		calls: { close: async () => step("close calls") },
		snapshots: { close: async () => step("end git") },
		held: { close: async () => step("compare files") },
		worktrees: { close: () => {} },
		pipeStock: { close: () => step("remove pipes") },
		sandboxes: { close: () => step("remove /tmp"), leaveProject: () => step("leave project") },
		hostProxy: { close: () => step("close proxy") },
		personKey: { remove: () => step("remove key") },
		lock: { release: () => step("unlock") },
		emit: (event: RunEvent) => {
			run = reduce(run, event);
			step("agent" in event ? `${event.event} ${event.agent}` : event.event);
		},
		resolveEnded: (end: RunEnd) => {
			resolved = end;
		},
	} as unknown as RunParts;
	return { parts, done, run: () => run, resolved: () => resolved };
}

const ENDING = ["stop timers", "kill root", "close connections", "close socket", "end 1"];
const CLOSED_WORK = ["close calls", "end git", "compare files"];
const CLOSING = [
	"remove groups",
	"remove pipes",
	"remove /tmp",
	"close connections",
	"close socket",
	"leave project",
	"close proxy",
	"remove key",
	"close journal",
	"unlock",
];
const RECORD = ["agent_ended 1", "agent_ended 1.1", "run_ended", "write run.json"];

test("a broken run is ended before its record is closed, and the record tells the bug", async () => {
	const { parts, done, run, resolved } = brokenRun();
	await endBrokenRun(parts, BUG);
	expect(done).toEqual([...ENDING, ...CLOSED_WORK, ...RECORD, ...CLOSING]);
	expect(run().ended).toEqual({ at: 5, ending: BUG, exitCode: 70, survivors: [7] });
	expect([run().agents["1"]?.state, run().agents["1.1"]?.state]).toEqual([
		{ is: "ended", at: 5, ending: BUG },
		{ is: "ended", at: 5, ending: { by: "crashed", reason: "its run ended" } },
	]);
	expect(resolved()).toMatchObject({ ending: BUG, exitCode: 70, survivors: [7], isAbandoned: true });
});

test("what throws while a broken run is ended keeps nothing of the rest from being done", async () => {
	const { parts, done, resolved } = brokenRun(...ENDING, ...CLOSED_WORK, ...RECORD, ...CLOSING);
	await endBrokenRun(parts, BUG);
	expect(done).toEqual([...ENDING, "kill 1", ...CLOSED_WORK, ...RECORD, ...CLOSING]);
	expect(resolved()?.exitCode).toBe(70);
});

test("the end of a run that a bug cuts short is not said twice", async () => {
	const { parts, done, run } = brokenRun("close journal");
	const end: RunEnd = { ending: { by: "answer" }, exitCode: 0, survivors: [], rootFinish: undefined };
	expect(() => {
		for (const step of lastSteps(parts, end)) step();
	}).toThrow("close journal");
	await endBrokenRun(parts, BUG);
	expect(done.filter((step) => step === "run_ended")).toEqual(["run_ended"]);
	expect(run().ended?.ending).toEqual({ by: "answer" });
});
