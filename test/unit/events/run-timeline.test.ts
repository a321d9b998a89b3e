import { expect, test } from "vitest";
import { tracedRun } from "../cli/export/fabricated-run.ts";
import { END, EVENTS } from "../cli/text/recorded-run.ts";
import { T0 } from "../store/fabricate.ts";

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
