import { expect, test } from "vitest";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import { endedRunFileOf } from "../../../../src/supervisor/run/run-files.ts";
import { END, EVENTS } from "../../faces/print/recorded-run.ts";
import { runFile, T0 } from "../../record/fabricate.ts";

// Seen to fail when only the ending was written.
test("run.json at the end has what all agents used together; a cost that is not known is null", () => {
	const run = [...EVENTS, ...END].reduce(reduce, EMPTY_RUN);
	expect(endedRunFileOf(runFile(), run)).toEqual({
		...runFile(),
		...{ endedAt: T0 + 68_200, ending: { by: "stopped", reason: "Ctrl-C", signal: 2 }, exitCode: 130 },
		...{ agents: 2, failed: 1, turns: 1, costUsd: null },
		usage: { input: 400, output: 160, cacheRead: 1_800, cacheWrite: 200 },
	});
});

test("run.json of a run that goes on is as it was", () => {
	expect(endedRunFileOf(runFile(), EVENTS.reduce(reduce, EMPTY_RUN))).toEqual(runFile());
});

test("run.json of a conversation that waited when it was ended says so", () => {
	const listening = { event: "agent_listening", at: T0 + 60_000, agent: "1" } as const;
	const run = [...EVENTS, listening, ...END].reduce(reduce, EMPTY_RUN);
	expect(endedRunFileOf(runFile(), run).hadListened).toBe(true);
});
