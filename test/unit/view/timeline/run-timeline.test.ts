import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { tracedRun } from "../../faces/json/fabricated-run.ts";
import { END, EVENTS } from "../../faces/print/recorded-run.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";

test("it is counted how many agents wait, work, and wait for others, and what is spent as far as prices are known", () => {
	const { timeline } = tracedRun([...EVENTS, ...END], T0 + 68_200);
	expect(timeline.samples.map(({ at, ...sample }) => [at - T0, ...Object.values(sample)])).toEqual([
		[0, 0, 0, 0, 0],
		[100, 1, 0, 0, 0],
		[120, 0, 1, 0, 0],
		[2_120, 0, 1, 0, 0.0123],
		[2_200, 1, 0, 1, 0.0123],
		[2_310, 0, 1, 1, 0.0123],
		[2_450, 0, 1, 0, 0.0123],
		[68_100, 0, 0, 0, 0.0123],
	]);
});

test("an agent that the log leaves alive, though it is over, has done nothing since", () => {
	const { state, timeline } = tracedRun(EVENTS, T0 + 90_000);
	expect(state.agents["1"]?.state.is).toBe("running");
	expect(timeline.agents.get("1")?.commands.map(({ from, to }) => [from - T0, to - T0])).toEqual([
		[2_130, 2_500],
		[2_131, 67_131],
	]);
	expect(timeline.agents.get("1.1")?.turns.map(({ to, end }) => [to - T0, end?.by])).toEqual([[2_400, "failure"]]);
});

test("a pause is one of all below, also of who joins there later, and of nobody who has ended", () => {
	const act = (at: number, agent: string, what: "agent_paused" | "agent_continued", isHard?: true): RunEvent =>
		what === "agent_paused"
			? { event: what, at: T0 + at, agent, from: null, ...(isHard && { isHard }) }
			: { event: what, at: T0 + at, agent, from: null };
	const events: RunEvent[] = [
		runStarted(),
		...["1", "1.1", "1.2"].map((id) => agentJoined(id, T0)),
		{ event: "agent_ended", at: T0 + 5, agent: "1.2", ending: { by: "answer" } },
		act(10, "1.1", "agent_paused"),
		act(20, "1", "agent_paused", true),
		agentJoined("1.1.1", T0 + 30),
		act(40, "1", "agent_continued"),
	];
	const { agents } = tracedRun(events, T0 + 50).timeline;
	const pauses = [...agents].map(([id, { pauses }]) => [
		id,
		...pauses.map(({ from, to, isHard }) => [from - T0, to - T0, isHard]),
	]);
	expect(pauses).toEqual([
		["1", [20, 40, true]],
		["1.1", [10, 20, false], [20, 40, true]],
		["1.2"],
		["1.1.1", [30, 40, true]],
	]);
});

test("what a killed supervisor left open ends with the last that it wrote, when the run is resumed", () => {
	const resumed = (at: number): RunEvent[] => [
		{ event: "run_resumed", at, pid: 9, startTime: "1", limits: DEFAULT_LIMITS, version: "" },
		{ event: "agent_resumed", at: at + 1, agent: "1", pid: 10, startTime: "1", limits: DEFAULT_LIMITS },
	];
	const turn = { event: "turn_started", agent: "1", turn: 1, isLast: false } as const;
	const events: RunEvent[] = [runStarted(), agentJoined("1", T0), { ...turn, at: T0 + 10 }];
	const late: RunEvent = { event: "budget_noticed", at: T0 + 40, agent: "1", reason: "half" };
	const { agents } = tracedRun([...events, late, ...resumed(T0 + 9_000)], T0 + 9_500).timeline;
	expect(agents.get("1")?.turns.map(({ from, to, end }) => [from - T0, to - T0, end?.by])).toEqual([
		[10, 40, "cut_off"],
	]);
});

test("a copy of a run has spent nothing yet, and no message waits for its agents", () => {
	const sent = (at: number, text: string): RunEvent => ({
		...{ event: "message_sent", at: T0 + at, agent: "1", from: null, text },
	});
	const usage = { ...NO_USAGE, input: 1 };
	const { agents, samples } = tracedRun(
		[
			...[runStarted(), agentJoined("1", T0), sent(1, "first")],
			{ event: "turn_cancelled", at: T0 + 2, agent: "1", turn: 1, usage, costUsd: 2 },
			{ event: "agent_ended", at: T0 + 3, agent: "1", ending: { by: "answer" } },
			{ event: "run_forked", at: T0 + 4, run: "r2", from: "r1" },
			{ event: "agent_resumed", at: T0 + 5, agent: "1", pid: 10, startTime: "1", limits: DEFAULT_LIMITS },
			sent(6, "second"),
			{ event: "message_delivered", at: T0 + 7, agent: "1", messages: 1 },
		],
		T0 + 9,
	).timeline;
	expect(agents.get("1")?.messages.map(({ text, isDelivered }) => [text, isDelivered])).toEqual([["second", true]]);
	expect(samples.map(({ costUsd }) => costUsd)).toContain(2);
	expect(samples.at(-1)?.costUsd).toBe(0);
});
