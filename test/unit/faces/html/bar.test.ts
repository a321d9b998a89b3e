import { expect, test } from "vitest";
import { barOf, placeOf, timesOf } from "../../../../src/faces/html/agent-lists.ts";
import type { AgentTimeline, CommandSpan, Interval, TurnSpan } from "../../../../src/view/timeline/agent-timeline.ts";
import { EMPTY_TIMELINE } from "../../view/timeline/empty-timeline.ts";

const turn = (from: number, to: number, changes: Partial<TurnSpan> = {}): TurnSpan => {
	return { from, to, turn: 1, retries: [], end: undefined, ...changes };
};
const command = (from: number, to: number, waits: Interval[] = []): CommandSpan => {
	const facts = { command: 1, toolUseId: undefined, text: "x", log: "out/1.log", children: [] };
	return { from, to, waits, end: undefined, outputBytes: undefined, ...facts };
};
const WHOLE = { from: 1_000, to: 6_000 }; // 10 ms a cell

const TIMELINE: AgentTimeline = {
	...EMPTY_TIMELINE,
	queued: [{ from: 1_000, to: 1_100 }],
	turns: [
		turn(1_100, 2_000, { retries: [{ from: 1_500, to: 1_700, attempt: 1, reason: "busy" }] }),
		turn(4_000, 4_100, { purpose: "compaction" }),
		turn(5_001, 5_002),
	],
	commands: [command(2_000, 4_000, [{ from: 2_500, to: 3_500 }])],
};

test("a bar has the parts of what its agent did, from left to right, and one cell for what is shorter", () => {
	expect(barOf(TIMELINE, WHOLE).map(({ kind, from, cells }) => [kind, from, cells])).toEqual([
		["queued", 0, 10],
		["thinking", 10, 40],
		["retrying", 50, 20],
		["thinking", 70, 30],
		["running", 100, 50],
		["waiting", 150, 100],
		["running", 250, 50],
		["compacting", 300, 10],
		["thinking", 400, 1],
	]);
});

test("in a cell in which an agent did several things the longest is shown", () => {
	const timeline = { ...EMPTY_TIMELINE, queued: [{ from: 1_000, to: 1_004 }], turns: [turn(1_004, 1_010)] };
	expect(barOf(timeline, WHOLE)).toEqual([{ kind: "thinking", from: 0, cells: 1 }]);
});

test("a bar ends with its run, and a run that took no time has one all the same", () => {
	expect(barOf({ ...EMPTY_TIMELINE, queued: [{ from: 0, to: 9_000 }] }, WHOLE)).toEqual([
		{ kind: "queued", from: 0, cells: 500 },
	]);
	expect(barOf(TIMELINE, { from: 1_000, to: 1_000 })).toHaveLength(1);
});

test("the times of each kind are added up", () => {
	expect(timesOf(TIMELINE)).toEqual([
		{ kind: "retrying", ms: 200 },
		{ kind: "thinking", ms: 701 },
		{ kind: "compacting", ms: 100 },
		{ kind: "running", ms: 1_000 },
		{ kind: "waiting", ms: 1_000 },
		{ kind: "queued", ms: 100 },
	]);
});

test("an interval has a place within the bar, of at least one cell", () => {
	const placed = (from: number, to: number) => Object.values(placeOf({ from, to }, WHOLE));
	expect(placed(2_000, 3_005)).toEqual([100, 101]);
	expect(placed(2_001, 2_001)).toEqual([100, 1]);
	expect(placed(6_000, 6_000)).toEqual([499, 1]);
	expect(placed(0, 9_000)).toEqual([0, 500]);
});
