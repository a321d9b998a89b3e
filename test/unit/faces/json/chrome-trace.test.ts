import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { chromeTrace } from "../../../../src/faces/json/chrome-trace.ts";
import { type Dice, diceOf } from "../../dice.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";
import { END, EVENTS } from "../print/recorded-run.ts";
import { tracedRun } from "./fabricated-run.ts";

interface TraceEvent {
	ph: string;
	pid: number;
	tid: number;
	ts: number;
	dur: number;
	name: string;
	args: Record<string, unknown>;
}

function traceOf(events: readonly RunEvent[], now = T0 + 68_200) {
	const json = [...chromeTrace(tracedRun(events, now))].join("");
	const { traceEvents, ...rest } = JSON.parse(json) as { traceEvents: TraceEvent[] };
	return { json, traceEvents, rest };
}

test("a track an agent has its turns and commands in microseconds, and commands side by side have one more", async () => {
	const { json } = traceOf([...EVENTS, ...END]);
	await expect(json).toMatchFileSnapshot("chrome-trace.txt");
});

/** What the format asks of an event, by its kind; undefined when it has that. */
function faultOf(event: TraceEvent & { s?: unknown; cat?: unknown }): string | undefined {
	const { ph, pid, tid, ts, dur, name, args } = event;
	const isTime = (value: unknown) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
	if (pid !== 1 || typeof name !== "string" || name === "" || typeof args !== "object") return "head";
	switch (ph) {
		case "M":
			return Number.isInteger(tid) && ["process_name", "thread_name", "thread_sort_index"].includes(name)
				? undefined
				: "M";
		case "X":
			return tid > 0 && isTime(ts) && isTime(dur) && event.cat !== undefined ? undefined : "X";
		case "i":
			return tid > 0 && isTime(ts) && event.s === "t" ? undefined : "i";
		case "C":
			return isTime(ts) && Object.values(args).every((value) => Number.isFinite(value)) ? undefined : "C";
		default:
			return `kind ${ph}`;
	}
}

test("each event has what its kind needs, and each track one name", () => {
	for (let seed = 1; seed <= 10; seed++) {
		const dice = diceOf(seed);
		const events: RunEvent[] = [runStarted(), ...["1", "1.1", "1.1.1", "1.2"].map((id) => agentJoined(id, T0))];
		for (let at = T0; events.length < 80; at += dice.roll(300) - 60) events.push(anyEvent(at, dice, 4));
		const { traceEvents } = traceOf(events, T0 + 9_000);
		expect(traceEvents.flatMap((event) => faultOf(event) ?? [])).toEqual([]);
		const named = traceEvents.flatMap(({ name, tid }) => (name === "thread_name" ? [tid] : []));
		const used = traceEvents.flatMap(({ ph, tid }) => (ph === "X" || ph === "i" ? [tid] : []));
		expect(new Set(named).size).toBe(named.length);
		expect([...new Set(used)].filter((tid) => !named.includes(tid))).toEqual([]);
	}
});

/** The slices of a run: its track, when it began and ended, and what it is. */
function slicesOf(events: readonly RunEvent[], now = T0 + 9_000) {
	const { traceEvents } = traceOf(events, now);
	return traceEvents.flatMap(({ ph, tid, ts, dur, name, args }) =>
		ph === "X"
			? [[tid, ts / 1_000, (ts + dur) / 1_000, name, ...(args.ended_by === undefined ? [] : [args.ended_by])]]
			: [],
	);
}

const charge = { usage: NO_USAGE, costUsd: 0 };
const turnStarted = (at: number, turn: number): RunEvent => {
	return { event: "turn_started", at: T0 + at, agent: "1", turn, isLast: false };
};
const commandStarted = (at: number): RunEvent => {
	const facts = { agent: "1", command: 1, text: "make", pid: 7, startTime: "1", log: "out/0001.log" };
	return { event: "command_started", at: T0 + at, ...facts };
};
const retrying = (at: number, waitMs: number): RunEvent => {
	return { event: "turn_retrying", at: T0 + at, agent: "1", turn: 1, attempt: 1, waitMs, reason: "busy", ...charge };
};
const RETRY = "waiting for the 1st retry: busy";

test("an agent queues, thinks with a retry, and runs a command that waits for its agents, however early they join", () => {
	const end = { by: "exit", code: 0 } as const;
	const ended = (at: number, agent: string): RunEvent => {
		return { event: "agent_ended", at: T0 + at, agent, ending: { by: "answer" } };
	};
	const slices = slicesOf([
		...[runStarted(), agentJoined("1", T0), turnStarted(10, 1), retrying(20, 7)],
		{ event: "turn_ended", at: T0 + 40, agent: "1", turn: 1, stopReason: "tool_use", ...charge },
		...[agentJoined("1.1", T0 + 41, { command: 1 }), commandStarted(42), ended(60, "1.1")],
		agentJoined("1.2", T0 + 80, { command: 1 }), // it goes on in the background
		{ event: "command_ended", at: T0 + 90, agent: "1", command: 1, end, outputBytes: 3, leftRunning: [] },
	]);
	expect(slices.filter(([tid]) => tid === 1)).toEqual([
		[1, 0, 10, "queued"],
		[1, 10, 40, "turn 1", "answer"],
		[1, 20, 27, RETRY],
		[1, 42, 90, "$ make"],
		[1, 42, 60, "waiting for agents"],
		[1, 80, 90, "waiting for agents"],
	]);
});

test("the end of an agent ends all that it did, and a call that is said to be cancelled later keeps its time", () => {
	const cutOff: RunEvent[] = [
		...[runStarted(), agentJoined("1", T0), turnStarted(10, 1), commandStarted(12), retrying(20, 9e9)],
		{ event: "agent_ended", at: T0 + 30, agent: "1", ending: { by: "answer" } },
	];
	const [, turn, ...rest] = slicesOf(cutOff);
	expect([turn, ...rest]).toEqual([
		[1, 10, 30, "turn 1", "cut_off"],
		[1, 20, 30, RETRY],
		[2, 12, 30, "$ make"],
	]);
	const cancelled: RunEvent = { event: "turn_cancelled", at: T0 + 50, agent: "1", turn: 1, ...charge };
	expect(slicesOf([...cutOff, cancelled])[1]).toEqual([1, 10, 30, "turn 1", "cancelled"]);
});

test("what a killed supervisor left open ends with the last that it wrote, when the run is resumed", () => {
	const late: RunEvent = { event: "budget_noticed", at: T0 + 40, agent: "1", reason: "half" };
	const resumed: RunEvent = {
		...{ event: "run_resumed", at: T0 + 9_000, pid: 9, startTime: "1", limits: DEFAULT_LIMITS, version: "" },
	};
	const slices = slicesOf([runStarted(), agentJoined("1", T0), turnStarted(10, 1), late, resumed]);
	expect(slices[1]).toEqual([1, 10, 40, "turn 1", "cut_off"]);
});

test("a copy of a run has spent nothing yet, and neither old nor withdrawn messages wait for its agents", () => {
	const sent = (at: number, text: string, from: string | null = null): RunEvent => {
		return { event: "message_sent", at: T0 + at, agent: "1", from, text };
	};
	const { traceEvents } = traceOf([
		...[runStarted(), agentJoined("1", T0), sent(1, "first")],
		{ event: "turn_cancelled", at: T0 + 2, agent: "1", turn: 1, usage: { ...NO_USAGE, input: 1 }, costUsd: 2 },
		{ event: "run_forked", at: T0 + 4, run: "r2", from: "r1" },
		...[sent(6, "second"), sent(7, "taken back"), sent(8, "third", "1.1")],
		{ event: "message_withdrawn", at: T0 + 9, agent: "1", text: "taken back" },
		{ event: "message_delivered", at: T0 + 10, agent: "1", messages: 2 },
	]);
	expect(traceEvents.flatMap(({ ph, args }) => (ph === "i" ? [args] : []))).toEqual([
		{ text: "second", delivered_after_ms: 4 },
		{ text: "third", delivered_after_ms: 2 },
	]);
	const spent = traceEvents.flatMap(({ name, args }) => (name === "cost in dollars" ? [args.usd] : []));
	expect(spent).toContain(2);
	expect(spent.at(-1)).toBe(0);
});

test("what is under way goes on until now", () => {
	const open = [runStarted(), agentJoined("1", T0 + 100)];
	const { traceEvents } = traceOf(open, T0 + 5_000);
	expect(traceEvents.filter(({ ph }) => ph === "X")).toEqual([
		{ ph: "X", pid: 1, tid: 1, ts: 100_000, dur: 4_900_000, name: "queued", cat: "queued", args: {} },
	]);
});

test("pauses have a track of their own, and messages are marks on the agent's track", () => {
	const sent = { event: "message_sent", agent: "1.1", from: null, text: "mind\nthe tests" } as const;
	const { traceEvents } = traceOf([
		...[runStarted(), agentJoined("1", T0), agentJoined("1.1", T0)],
		{ event: "agent_paused", at: T0 + 10, agent: "1", from: null },
		{ ...sent, at: T0 + 20 },
		{ event: "agent_paused", at: T0 + 30, agent: "1.1", from: "1", isHard: true },
		{ event: "message_delivered", at: T0 + 50, agent: "1.1", messages: 1 },
		{ ...sent, at: T0 + 60 },
		{ event: "agent_continued", at: T0 + 70, agent: "1", from: null },
	]);
	const tracks = new Map(traceEvents.flatMap((e) => (e.name === "thread_name" ? [[e.tid, e.args.name]] : [])));
	const told = traceEvents.filter(({ ph, name }) => ph === "i" || name.startsWith("paused"));
	expect(told.map(({ ph, tid, ts, dur, name, args }) => [ph, tracks.get(tid), ts, dur, name, args])).toEqual([
		["X", "1 pauses", 10_000, 60_000, "paused", {}],
		["X", "1.1 pauses", 10_000, 60_000, "paused", {}],
		[
			"i",
			"1.1 task of 1.1",
			20_000,
			undefined,
			"message from you: mind the tests",
			{ text: sent.text, delivered_after_ms: 30 },
		],
		["i", "1.1 task of 1.1", 60_000, undefined, "message from you: mind the tests", { text: sent.text }],
	]);
});

test("hostile names are one line of text in valid JSON that no terminal obeys", () => {
	const task = '"}]}\u001b]0;owned\u0007\n<script>\u202ereversed\ud800';
	const { json, traceEvents } = traceOf([runStarted({ task }), agentJoined("1", T0, { task })]);
	expect(json).not.toMatch(/[\u001b\u0007\u202e]/);
	expect(traceEvents.find(({ name }) => name === "thread_name")?.args).toEqual({
		name: '1 "}]} <script>reversed\ufffd',
	});
});

function anyEvent(at: number, dice: Dice, agents: number): RunEvent {
	const agent = ["1", "1.1", "1.1.1", "1.2"][dice.roll(agents)] ?? "1";
	const turn = dice.roll(3);
	const command = dice.roll(4);
	const facts = { at, agent, turn, usage: NO_USAGE, costUsd: 0 };
	const end = { by: "exit", code: 0 } as const;
	switch (dice.roll(10)) {
		case 0:
			return { event: "turn_queued", at, agent };
		case 1:
			return { event: "turn_started", at, agent, turn, isLast: false };
		case 2:
			return { event: "turn_ended", stopReason: "end_turn", ...facts };
		case 3:
			return { event: "turn_retrying", attempt: 1, waitMs: dice.roll(900), reason: "busy", ...facts };
		case 4:
			return { event: "command_started", at, agent, command, text: "x", pid: 7, startTime: "1", log: "out/1.log" };
		case 5:
			return { event: "command_ended", at, agent, command, end, outputBytes: 0, leftRunning: [] };
		case 6:
			return agentJoined(agent, at, { command });
		case 7:
			return { event: "agent_paused", at, agent, from: null, ...(turn === 0 && { isHard: true }) };
		case 8:
			return { event: "agent_continued", at, agent, from: null };
		default:
			return { event: "agent_ended", at, agent, ending: { by: "answer" } };
	}
}

test("whatever the log says, two slices of a track lie within one another or apart", () => {
	for (let seed = 1; seed <= 30; seed++) {
		const dice = diceOf(seed);
		const events: RunEvent[] = [runStarted(), ...["1", "1.1", "1.1.1", "1.2"].map((id) => agentJoined(id, T0))];
		for (let at = T0; events.length < 80; at += dice.roll(300) - 60) events.push(anyEvent(at, dice, 4));
		const slices = traceOf(events, T0 + 9_000).traceEvents.filter(({ ph }) => ph === "X");
		const crossing = slices.filter((a) =>
			slices.some((b) => a.tid === b.tid && a.ts < b.ts && b.ts < a.ts + a.dur && a.ts + a.dur < b.ts + b.dur),
		);
		expect({ seed, crossing }).toEqual({ seed, crossing: [] });
	}
});
