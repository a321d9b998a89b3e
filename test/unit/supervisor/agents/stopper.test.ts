/** The stopper with time and machine moved by hand. */
import { expect, test } from "vitest";
import type { Ending } from "../../../../src/core/model/agent.ts";
import { Stopper } from "../../../../src/supervisor/agents/pause-and-stop.ts";
import type { Input } from "../../../../src/supervisor/decide/input.ts";

const ENDING: Ending = { by: "stopped", reason: "agent stop", signal: 15 };

/** Its clock never rings. */
function stopperOf(connected: Set<string>, dispatch: (input: Input) => void = () => {}) {
	return new Stopper({
		dispatch,
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

test("the reason of a stop is one line, without what a terminal obeys", () => {
	// Seen to fail with the reason as it came: two lines on the agent's stderr.
	const inputs: Input[] = [];
	const watcher = { send: () => {}, close: () => {}, unsentBytes: 0 };
	const request = { say: "stop_agent", agent: "1.1", signal: 15, isHurry: false } as const;
	stopperOf(new Set(), (input) => inputs.push(input)).handle(watcher, {
		...request,
		reason: "one\n\u001b[31mtwo",
		by: null,
	});
	expect(inputs).toEqual([{ is: "stop_asked", agent: "1.1", ending: { ...ENDING, reason: "one two" } }]);
});
