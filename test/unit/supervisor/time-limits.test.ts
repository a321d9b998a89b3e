import { expect, test } from "vitest";
import type { Ending } from "../../../src/core/agent.ts";
import { DEFAULT_LIMITS } from "../../../src/core/limits.ts";
import { Deadlines } from "../../../src/supervisor/calls/deadlines.ts";
import type { Input } from "../../../src/supervisor/decide/input.ts";
import { TimeLimits, type TimeLimitsDeps } from "../../../src/supervisor/time-limits.ts";
import { handClock } from "../hand-clock.ts";

function limited(maxTimeMs: number) {
	const clock = handClock();
	const over: (Ending | Input)[] = [];
	const limits = { ...DEFAULT_LIMITS, maxTimeMs };
	const state = () => ({ run: { agents: { "1": { limits }, "1.1": { limits } } } });
	const timeLimits = new TimeLimits({
		deadlines: new Deadlines(clock),
		timers: clock,
		registry: { ifSame: (_, then) => then },
		dispatch: (input) => over.push(input),
		stopRun: (ending) => over.push(ending),
		state: state as unknown as TimeLimitsDeps["state"],
	});
	const change = (ms: number) => {
		limits.maxTimeMs = ms;
		timeLimits.change("1");
	};
	return { clock, over, timeLimits, change };
}

const END = { by: "limit", limit: "max-time", reason: expect.stringContaining("for agent 1 ") };

test("the root's time ends the run, and that of another agent the agent", async () => {
	const { clock, over, timeLimits } = limited(1_000);
	timeLimits.begin("1");
	timeLimits.begin("1.1");
	await clock.pass(1_200);
	expect(over).toEqual([END, { is: "stop_asked", agent: "1.1", ending: expect.objectContaining({ by: "limit" }) }]);
});

test("a limit that is widened ends the run later, and once", async () => {
	// Seen to fail (twice, the second time without a grace) when each setting of a limit ended the run by itself.
	const { clock, over, timeLimits, change } = limited(1_000);
	timeLimits.begin("1");
	await clock.pass(600);
	change(3_000);
	await clock.pass(2_000);
	expect(over).toEqual([]);
	await clock.pass(3_000);
	expect(over).toEqual([END]);
});

test("a limit that is narrowed counts the time that has gone by", async () => {
	const { clock, over, timeLimits, change } = limited(10_000);
	timeLimits.begin("1");
	await clock.pass(600);
	change(1_000);
	await clock.pass(300);
	expect(over).toEqual([]);
	await clock.pass(300);
	expect(over).toEqual([END]);
});
