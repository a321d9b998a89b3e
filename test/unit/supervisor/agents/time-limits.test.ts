import { expect, test } from "vitest";
import type { Ending } from "../../../../src/core/model/agent.ts";
import { TimeLimits } from "../../../../src/supervisor/agents/time-limits.ts";
import { Deadlines } from "../../../../src/supervisor/calls/deadlines.ts";
import type { Input } from "../../../../src/supervisor/decide/inputs-and-effects.ts";
import { ended } from "../../core/run-of.ts";
import { startScenario } from "../decide/scenario.ts";
import { fakeCore } from "../fake-core.ts";

/** `inputs`: what was decided about beside the ends. */
function limited(maxTimeMs: number) {
	const over: (Ending | Input)[] = [];
	const inputs: Input[] = [];
	const run = startScenario({ maxTimeMs });
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	const { core, clock } = fakeCore({
		scenario: run,
		registry: { ifSame: (_, then) => () => void then() },
		dispatch: (input) => {
			if (input.is === "stop_asked") return void over.push(input);
			inputs.push(input);
			run.dispatch(input);
		},
	});
	core.stopRun = (ending) => void over.push(ending);
	const deadlines = new Deadlines(clock);
	const timeLimits = new TimeLimits(core, deadlines);
	const change = (ms: number) => {
		const root = run.state().run.agents["1"];
		if (root !== undefined) Object.assign(root, { limits: { ...root.limits, maxTimeMs: ms } });
		timeLimits.change("1");
	};
	return { clock, over, deadlines, timeLimits, change, run, inputs };
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

test("an agent's time is over once, as much later as it was held", async () => {
	// Seen to fail with a timer that knows no pause: it is over in the middle of that.
	const { clock, over, timeLimits, deadlines } = limited(10_000);
	timeLimits.begin("1");
	await clock.pass(4_000);
	deadlines.hold("1", true);
	await clock.pass(60_000);
	deadlines.hold("1", false);
	await clock.pass(5_900);
	expect(over).toEqual([]);
	await clock.pass(200);
	expect(over).toEqual([END]);
	await clock.pass(100_000);
	expect([over.length, clock.timers()]).toEqual([1, 0]);
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

const REACHED = { limit: "max-time", reason: "time limit reached (max-time 100 s for agent 1 and all below it)" };

test("at four fifths of the time all are told, and at last each reports, an agent behind its children", async () => {
	const { clock, timeLimits, run, inputs, over } = limited(100_000);
	timeLimits.begin("1");
	await clock.pass(81_000);
	const reason = "most of the time is used (max-time 1m40s for agent 1 and all below it): 20s left";
	expect(inputs.splice(0)).toEqual(["1", "1.1"].map((agent) => ({ is: "time_noticed", agent, reason })));
	await clock.pass(5_000);
	expect(inputs.splice(0)).toEqual([{ is: "time_short", agent: "1.1", reached: REACHED, holder: "1" }]);
	run.finish("1.1", { by: "limit", ...REACHED });
	expect([...run.state().outOfTime]).toEqual([["1", { reached: REACHED, holder: "1" }]]);
	await clock.pass(20_000);
	expect([inputs, over]).toEqual([[], [END]]);
});

test("an agent whose children do not end reports at half of the time that is kept for it", async () => {
	const { clock, timeLimits, inputs } = limited(100_000);
	timeLimits.begin("1");
	await clock.pass(92_000);
	expect(inputs.filter(({ is }) => is === "time_short")).toHaveLength(1);
	await clock.pass(1_500);
	expect(inputs.filter(({ is }) => is === "time_short")).toMatchObject([{ agent: "1.1" }, { agent: "1" }]);
});

test("of an agent that has ended no timer is left, and the root's time still ends its process", async () => {
	const { clock, over, timeLimits, deadlines } = limited(1_000);
	timeLimits.begin("1");
	const ofRoot = clock.timers();
	timeLimits.begin("1.1");
	timeLimits.event(ended("1.1"));
	expect([clock.timers(), deadlines.ownLeft("1.1")]).toEqual([ofRoot, undefined]);
	timeLimits.event(ended("1"));
	await clock.pass(1_200);
	expect(over).toEqual([END]);
});
