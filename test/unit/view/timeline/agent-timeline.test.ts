import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { TimelineBuilder } from "../../../../src/view/timeline/agent-timeline.ts";
import { EMPTY_TIMELINE } from "./empty-timeline.ts";

const charge = { usage: NO_USAGE, costUsd: 0 };
const started = (at: number, turn: number) => ({ event: "turn_started", at, agent: "1", turn, isLast: false }) as const;
type EventOf<E extends RunEvent["event"]> = Extract<RunEvent, { event: E }>;
const command = (at: number, number: number): EventOf<"command_started"> => {
	const facts = { agent: "1", command: number, text: "make", pid: 7, startTime: "1", log: "out/0001.log" };
	return { event: "command_started", at, ...facts };
};
const commandEnded = (at: number, number: number): EventOf<"command_ended"> => {
	const end = { by: "exit", code: 0 } as const;
	return { event: "command_ended", at, agent: "1", command: number, end, outputBytes: 3, leftRunning: [] };
};
const facts = { toolUseId: undefined, text: "make", log: "out/0001.log" };

const retrying = (waitMs: number) =>
	({ event: "turn_retrying", at: 20, agent: "1", turn: 1, attempt: 1, waitMs, reason: "busy", ...charge }) as const;

test("an agent queues, thinks with a retry, runs a command that waits for two agents, and thinks again", () => {
	const timeline = new TimelineBuilder();
	timeline.queued(0);
	timeline.queued(5);
	timeline.turn(started(10, 1));
	timeline.turn(retrying(7));
	timeline.turn({ event: "turn_ended", at: 40, agent: "1", turn: 1, stopReason: "tool_use", ...charge });
	timeline.childJoined("1.1", 1, 41); // before the message about its command
	timeline.command(command(42, 1));
	timeline.childJoined("1.2", 1, 50);
	timeline.childEnded("1.1", 60);
	timeline.childEnded("1.2", 70);
	timeline.childJoined("1.3", 1, 80);
	timeline.command(commandEnded(90, 1)); // 1.3 goes on in the background
	timeline.turn(started(95, 2));
	const waits = [
		{ from: 42, to: 70 },
		{ from: 80, to: 90 },
	];
	const end = { by: "exit", code: 0 } as const;
	expect(timeline.build(100)).toEqual({
		...EMPTY_TIMELINE,
		queued: [
			{ from: 0, to: 5 },
			{ from: 5, to: 10 },
		],
		turns: [
			{
				...{ from: 10, to: 40, turn: 1, purpose: undefined },
				retries: [{ from: 20, to: 27, attempt: 1, reason: "busy" }],
				end: { by: "answer", stopReason: "tool_use", ...charge },
			},
			{ from: 95, to: 100, turn: 2, purpose: undefined, retries: [], end: undefined },
		],
		commands: [{ from: 42, to: 90, command: 1, ...facts, waits, children: ["1.1", "1.2", "1.3"], end, outputBytes: 3 }],
	});
});

test("the end of an agent ends all that it did, and a call that is said to be cancelled later keeps its time", () => {
	const timeline = new TimelineBuilder();
	timeline.turn(started(10, 1));
	timeline.command(command(12, 1));
	timeline.turn(retrying(9e9));
	timeline.ended(30);
	expect(timeline.build(99).turns[0]?.end).toEqual({ by: "cut_off" });
	timeline.turn({ event: "turn_cancelled", at: 50, agent: "1", turn: 1, ...charge });
	const { turns, commands } = timeline.build(99);
	expect(turns).toEqual([
		{
			...{ from: 10, to: 30, turn: 1, purpose: undefined, end: { by: "cancelled", ...charge } },
			retries: [{ from: 20, to: 30, attempt: 1, reason: "busy" }],
		},
	]);
	const rest = { waits: [], children: [], end: undefined, outputBytes: undefined };
	expect(commands).toEqual([{ from: 12, to: 30, command: 1, ...facts, ...rest }]);
});

test("when the system's time was set back nothing ends before it began", () => {
	const timeline = new TimelineBuilder();
	timeline.queued(100);
	timeline.turn(started(50, 1));
	const { queued, turns } = timeline.build(20);
	expect(queued).toEqual([{ from: 100, to: 100 }]);
	expect(turns).toMatchObject([{ from: 50, to: 50 }]);
});

test("a pause set anew goes on, one that becomes hard is another, and both end with their agent", () => {
	const timeline = new TimelineBuilder();
	timeline.paused(10, false);
	timeline.paused(15, false);
	timeline.continued(20);
	timeline.paused(30, false);
	timeline.paused(40, true);
	timeline.ended(50);
	expect(timeline.build(99).pauses.map(({ from, to, isHard }) => [from, to, isHard])).toEqual([
		[10, 20, false],
		[30, 40, false],
		[40, 50, true],
	]);
});

test("a message waits until its agent gets it, also over the agent's end", () => {
	const timeline = new TimelineBuilder();
	const sent = (at: number, text: string, from: string | null = null) =>
		timeline.message({ event: "message_sent", at, agent: "1", from, text });
	sent(10, "first");
	sent(20, "second", "1.2");
	timeline.message({ event: "message_delivered", at: 30, agent: "1", messages: 1 });
	timeline.ended(40);
	const spans = () =>
		timeline.build(99).messages.map(({ from, to, sender, text, isDelivered }) => [from, to, sender, text, isDelivered]);
	const first = [10, 30, null, "first", true];
	expect(spans()).toEqual([first, [20, 40, "1.2", "second", false]]);
	timeline.queued(60);
	expect(spans()).toEqual([first, [20, 99, "1.2", "second", false]]);
	timeline.message({ event: "message_delivered", at: 70, agent: "1", messages: 5 });
	expect(spans()).toEqual([first, [20, 70, "1.2", "second", true]]);
});

test("a message that was taken back is not told, and those before it are", () => {
	const timeline = new TimelineBuilder();
	const sent = (at: number, from: string | null, text: string) =>
		timeline.message({ event: "message_sent", at, agent: "1", from, text });
	sent(1, null, "a");
	sent(2, null, "b");
	sent(3, "1.1", "c");
	timeline.message({ event: "message_withdrawn", at: 4, agent: "1", text: "b" });
	timeline.message({ event: "message_delivered", at: 5, agent: "1", messages: 2 });
	expect(timeline.build(9).messages.map(({ text, isDelivered }) => [text, isDelivered])).toEqual([
		["a", true],
		["c", true],
	]);
});
