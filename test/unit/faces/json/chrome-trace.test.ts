import { expect, test } from "vitest";
import { chromeTrace } from "../../../../src/cli/export/export-run.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
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
