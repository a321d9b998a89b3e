import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { reduce } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { RUN_FORMAT, type RunFile } from "../../../../src/core/schemas/run-files.ts";
import type { TranscriptEntry } from "../../../../src/core/schemas/transcript.ts";
import { cheapTable } from "../../../../src/processes/table/process-table.ts";
import { readEvents } from "../../../../src/record/read-events.ts";
import { readAgentFile, readRunFile } from "../../../../src/record/read-run.ts";
import { originOf } from "../../../../src/record/run-origin.ts";
import { createRun, reopenRun } from "../../../../src/record/run-writer.ts";
import { resumeRun } from "../../../../src/supervisor/run/begin-run.ts";
import type { RunSettings } from "../../../../src/wire/supervise-order.ts";
import { agentFile, agentJoined, runFile, runStarted, T0, temporaryHome } from "../../record/fabricate.ts";

const usage = { ...NO_USAGE, output: 7 };
const HOST = {
	now: () => T0 + 900,
	table: cheapTable({ list: () => [], read: () => undefined, environment: () => undefined }),
};
const turnStarted = (agent: string, turn: number): RunEvent => ({
	event: "turn_started",
	at: T0 + 5,
	agent,
	turn,
	isLast: false,
});

function killedRun(home: string, changes: Partial<RunFile> = {}) {
	const run = createRun(home, runFile(changes));
	for (const event of [
		runStarted(),
		agentJoined("1", T0 + 1),
		agentJoined("1.1", T0 + 2),
		turnStarted("1", 1),
		turnStarted("1.1", 1),
	])
		run.append(event);
	run.addAgent(agentFile());
	run.addAgent(agentFile({ agent: "1.1" }));
	const answer: TranscriptEntry = {
		...{ role: "assistant", content: [{ type: "text", text: "so" }], at: T0 + 6, turn: 1, model: "m" },
		...{ stopReason: "end_turn", usage, costUsd: 0.5 },
	};
	run.record("1", answer);
	run.close();
	return run.directory;
}

const { run, task, cwd, model } = runFile();

function resumed(home: string) {
	const facts = { run, home, task, cwd, model, limits: DEFAULT_LIMITS, socket: `${home}/s.sock`, version: "0.1.1" };
	const begun = resumeRun(facts as RunSettings, { lock: { release: () => {} } }, HOST);
	begun.writer.close();
	return begun;
}

test("what an agent had used before its run was copied is not charged to the copy when that crashed", () => {
	// Seen to fail with the whole transcript counted.
	const home = temporaryHome();
	const run = createRun(home, runFile());
	for (const event of [runStarted(), agentJoined("1", T0 + 1), turnStarted("1", 1)]) run.append(event);
	run.addAgent(agentFile());
	const answer: TranscriptEntry = {
		...{ role: "assistant", content: [{ type: "text", text: "so" }], at: T0 + 6, turn: 1, model: "m" },
		...{ stopReason: "end_turn", usage, costUsd: 0.5 },
	};
	run.record("1", answer);
	run.append({ event: "turn_ended", at: T0 + 6, agent: "1", turn: 1, stopReason: "end_turn", usage, costUsd: 0.5 });
	run.append({ event: "run_forked", at: T0 + 7, run: runFile().run, from: "r0" });
	run.record("1", { role: "note", note: "forked", at: T0 + 7, from: "r0/1" });
	run.close();
	const { events, state } = resumed(home);
	expect(events.reduce(reduce, state).agents["1"]).toMatchObject({ turns: 1, costUsd: 0, usage: NO_USAGE });
});

test("what was alive is written down as dead, with the answer that was recorded last; the run is another supervisor's", () => {
	// Seen to fail without the look into the transcript: the tokens of the last answer were lost.
	const home = temporaryHome();
	const directory = killedRun(home);
	const begun = resumed(home);
	const at = T0 + 5;
	const ending = { by: "crashed", reason: "its supervisor died" } as const;
	const origin = originOf(directory);
	expect(begun.events).toEqual([
		{ event: "turn_ended", at, agent: "1", turn: 1, stopReason: "end_turn", usage, costUsd: 0.5 },
		{ event: "agent_ended", at, agent: "1", ending },
		{ event: "agent_ended", at, agent: "1.1", ending },
		{
			event: "run_resumed",
			at: T0 + 900,
			limits: DEFAULT_LIMITS,
			pid: process.pid,
			startTime: "",
			version: "0.1.1",
			origin,
		},
	]);
	expect(readEvents(directory).values).toHaveLength(5); // they are the supervisor's to write
	expect(readAgentFile(directory, "1.1")).toMatchObject({ ending, turns: 1 });
	expect(readRunFile(directory)).toEqual({
		format: RUN_FORMAT,
		...{ run, task, cwd, model, limits: DEFAULT_LIMITS, socket: `${home}/s.sock`, version: "0.1.1", startedAt: T0 },
		...{ supervisor: { pid: process.pid, startTime: "" }, origin },
	});
	const { agents } = begun.events.reduce(reduce, begun.state);
	expect([agents["1"]?.usage.output, agents["1"]?.isUnanswered, agents["1.1"]?.isUnanswered]).toEqual([
		7,
		undefined,
		true,
	]);
});

test("the ends that a full disk has kept from the event log are written into it, and run.json tells of none any more", () => {
	const home = temporaryHome();
	const directory = killedRun(home, { endedAt: T0 + 50, ending: { by: "answer" }, exitCode: 0, agents: 2, turns: 2 });
	expect(
		resumed(home).events.map((event) => ("ending" in event ? [event.event, event.ending.by] : event.event)),
	).toEqual([["agent_ended", "answer"], ["run_ended", "answer"], ["agent_ended", "crashed"], "run_resumed"]);
	const { endedAt, ending, exitCode, agents, turns } = readRunFile(directory);
	expect([endedAt, ending, exitCode, agents, turns]).toEqual([undefined, undefined, undefined, undefined, undefined]);
});

test("an end that the record lost is taken from agent.json, and what turns cost from the transcript", () => {
	// Seen to fail without either: the answer became a crash, and the budget had the tokens back.
	const home = temporaryHome();
	const run = createRun(home, runFile());
	for (const event of [runStarted(), agentJoined("1", T0 + 1), turnStarted("1", 1)]) run.append(event);
	run.append(agentJoined("1.1", T0 + 2));
	run.addAgent(agentFile());
	const end = { endedAt: T0 + 30, ending: { by: "answer" }, turns: 2, commands: 1, costUsd: 0.9 } as const;
	const known = agentFile({ agent: "1.1", ...end, usage: { ...usage, output: 20 } });
	run.addAgent(known);
	const answer: TranscriptEntry = {
		...{ role: "assistant", content: [{ type: "text", text: "so" }], at: T0 + 6, turn: 2, model: "m" },
		...{ stopReason: "end_turn", usage, costUsd: 0.5 },
	};
	run.record("1.1", answer);
	run.record("1", { ...answer, turn: 1 });
	run.record("1", { role: "note", note: "call", at: 1, turn: 1, outcome: "failed", reason: "", usage, costUsd: 0.1 });
	run.close();
	const begun = resumed(home);
	const { agents } = begun.events.reduce(reduce, begun.state);
	expect(agents["1"]).toMatchObject({ turns: 1, usage: { output: 14 }, costUsd: 0.6 });
	expect(agents["1.1"]).toMatchObject({
		...{ turns: 2, usage: { output: 20 }, costUsd: 0.9 },
		state: { is: "ended", at: T0 + 30, ending: { by: "answer" } },
	});
	expect(readAgentFile(run.directory, "1.1")).toEqual(known);
});

test("an agent of which only its own files tell gets its end in agent.json, too", () => {
	// Seen to fail with a loop over those alone that the record knows.
	const home = temporaryHome();
	const directory = killedRun(home);
	const writer = reopenRun(directory);
	writer.addAgent(agentFile({ agent: "1.2" }));
	writer.close();
	resumed(home);
	const ending = { by: "crashed", reason: "its end was not recorded" };
	expect(readAgentFile(directory, "1.2")).toMatchObject({ endedAt: T0 + 100, ending, turns: 0 });
});
