import { expect, test } from "vitest";
import { Deadlines } from "../../../../src/supervisor/calls/deadlines.ts";
import { handClock } from "../../hand-clock.ts";

test("an agent has the least time that its own limit and those above it leave, from the join on", async () => {
	const clock = handClock();
	const deadlines = new Deadlines(clock);
	expect(deadlines.left("1.1")).toBeUndefined();
	deadlines.begin("1", 60_000);
	await clock.pass(20_000);
	deadlines.begin("1.1", 50_000);
	deadlines.begin("1.2", 10_000);
	expect(["1.1", "1.2", "1.2.1"].map((agent) => deadlines.left(agent))).toEqual([
		{ ms: 40_000, limit: "max-time 1m00s of agent 1" },
		{ ms: 10_000, limit: "max-time 10s of agent 1.2" },
		{ ms: 10_000, limit: "max-time 10s of agent 1.2" },
	]);
	deadlines.begin("1.2", 30_000);
	expect(deadlines.left("1.2")?.ms).toBe(30_000);
});

test("time that is held stands still, the agent's own and no other's", async () => {
	const clock = handClock();
	const deadlines = new Deadlines(clock);
	deadlines.begin("1", 60_000);
	deadlines.begin("1.1", 50_000);
	deadlines.hold("1.1", true);
	await clock.pass(20_000);
	deadlines.hold("1.1", true);
	expect([deadlines.ownLeft("1.1"), deadlines.left("1.1")?.ms, deadlines.left("1")?.ms]).toEqual([
		...[50_000, 40_000, 40_000],
	]);
	deadlines.hold("1.1", false);
	await clock.pass(5_000);
	expect(deadlines.ownLeft("1.1")).toBe(45_000);
});
