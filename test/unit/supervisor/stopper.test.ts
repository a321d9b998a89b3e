/** The stopper with time and machine moved by hand. */
import { expect, test } from "vitest";
import type { Ending } from "../../../src/core/agent.ts";
import { Stopper } from "../../../src/supervisor/stopper.ts";

const ENDING: Ending = { by: "stopped", reason: "agent stop", signal: 15 };

/** Its clock never rings. */
function stopperOf(connected: Set<string>) {
	return new Stopper({
		dispatch: () => {},
		machine: { end: async () => [] },
		timers: { after: () => {}, stop: () => {} },
		stopRun: () => {},
		registry: { isConnected: (agent) => connected.has(agent) },
	});
}

test("two stops of one agent are both done when it is gone", async () => {
	// Seen to fail with one waiter an agent: the first waits for its clock.
	const stopper = stopperOf(new Set(["1.1"]));
	const stops = [1, 2].map(() => stopper.stop("1.1", ENDING, false));
	stopper.disconnected("1.1");
	expect(await Promise.all(stops)).toEqual([[], []]);
});

test("a stop of an agent that is gone already waits for nothing", async () => {
	// Seen to fail without the look at its connection.
	expect(await stopperOf(new Set()).stop("1.1", ENDING, false)).toEqual([]);
});
