import { expect, test } from "vitest";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { type EventFacts, EventFactsBuilder } from "../../../../src/view/events/meaning.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";

const usage = { input: 200, output: 80, cacheRead: 900, cacheWrite: 100 };
const answered = { stopReason: "end_turn", usage, costUsd: 0.01 };
const turn = { agent: "1", turn: 1 };

/** The facts of those events that have some, by the event's name. */
function factsOf(events: readonly RunEvent[]): [string, EventFacts][] {
	const builder = new EventFactsBuilder();
	const told = events.map((event): [string, EventFacts] => [event.event, builder.note(event)]);
	return told.filter(([, facts]) => Object.keys(facts).length > 0);
}

function started(command: number, at: number): RunEvent {
	const log = `out/000${command}.log`;
	return { event: "command_started", at, agent: "1", command, text: "make", pid: 7, startTime: "80", log };
}

function ended(command: number, at: number): RunEvent {
	return {
		event: "command_ended",
		at,
		agent: "1",
		command,
		end: { by: "exit", code: 0 },
		outputBytes: 0,
		leftRunning: [],
	};
}

test("what ends has taken the time since it began, and an agent has spent what its calls cost", () => {
	const retried: RunEvent = {
		event: "turn_retrying",
		at: T0 + 6,
		...turn,
		attempt: 1,
		waitMs: 5,
		reason: "x",
		usage,
		costUsd: 0.02,
	};
	const events: RunEvent[] = [
		runStarted(),
		agentJoined("1", T0 + 1),
		{ event: "turn_queued", at: T0 + 2, agent: "1" },
		{ event: "turn_started", at: T0 + 5, ...turn, isLast: false },
		retried,
		{ event: "turn_ended", at: T0 + 12, ...turn, ...answered },
		started(1, T0 + 13),
		started(2, T0 + 14),
		ended(2, T0 + 20),
		ended(1, T0 + 113),
		{ event: "turn_started", at: T0 + 120, ...turn, turn: 2, isLast: false },
		{ event: "turn_failed", at: T0 + 121, ...turn, turn: 2, reason: "x", usage, costUsd: 0 },
		{ event: "agent_ended", at: T0 + 131, agent: "1", ending: { by: "failure", reason: "x", exitCode: 1 } },
		{ event: "run_ended", at: T0 + 140, ending: { by: "answer" }, exitCode: 0, survivors: [] },
	];
	expect(factsOf(events)).toEqual([
		["turn_started", { tookMs: 3 }],
		["turn_ended", { tookMs: 7 }],
		["command_ended", { tookMs: 6 }],
		["command_ended", { tookMs: 100 }],
		["turn_failed", { tookMs: 1 }],
		["agent_ended", { tookMs: 130, spent: { turns: 2, costUsd: 0.03 } }],
		["run_ended", { tookMs: 140 }],
	]);
});

test("a call without a known price makes what its agent has spent unknown, and a summary is no turn", () => {
	const events: RunEvent[] = [
		agentJoined("1", T0),
		{ event: "turn_started", at: T0, ...turn, isLast: false, purpose: "compaction" },
		{ event: "turn_ended", at: T0, ...turn, ...answered, costUsd: null, purpose: "compaction" },
		{ event: "agent_ended", at: T0, agent: "1", ending: { by: "answer" } },
	];
	expect(factsOf(events).at(-1)).toEqual(["agent_ended", { tookMs: 0, spent: { turns: 0, costUsd: null } }]);
});

test("what began before the first event, or after its end by a clock that was set back, has no time that is made up", () => {
	const events: RunEvent[] = [
		ended(1, T0),
		{ event: "turn_ended", at: T0, ...turn, ...answered },
		{ event: "agent_ended", at: T0, agent: "1", ending: { by: "answer" } },
		{ event: "run_ended", at: T0, ending: { by: "answer" }, exitCode: 0, survivors: [] },
	];
	expect(factsOf(events)).toEqual([]);
	expect(factsOf([agentJoined("1", T0), started(1, T0), ended(1, T0 - 5)])).toEqual([["command_ended", { tookMs: 0 }]]);
});
