/** The stopper with time and machine moved by hand. */
import { expect, test } from "vitest";
import type { Ending } from "../../../../src/core/model/agent.ts";
import { Stopper } from "../../../../src/supervisor/agents/pause-and-stop.ts";
import { fakeCore } from "../fake-core.ts";

const ENDING: Ending = { by: "stopped", reason: "agent stop", signal: 15 };

function stopperOf(connected: Set<string>) {
	const { core, dispatched } = fakeCore({ registry: { isConnected: (agent) => connected.has(agent) } });
	return { stopper: new Stopper(core), dispatched };
}

test("two stops of one agent are both done when it is gone", async () => {
	// Seen to fail with one waiter an agent: the first waits for its clock.
	const { stopper } = stopperOf(new Set(["1.1"]));
	const stops = [1, 2].map(() => stopper.stop("1.1", ENDING, false));
	stopper.disconnected("1.1");
	expect(await Promise.all(stops)).toEqual([[], []]);
});

test("a stop of an agent that is gone already waits for nothing", async () => {
	// Seen to fail without the look at its connection.
	expect(await stopperOf(new Set()).stopper.stop("1.1", ENDING, false)).toEqual([]);
});

test("the reason of a stop is one line, without what a terminal obeys", () => {
	// Seen to fail with the reason as it came: two lines on the agent's stderr.
	const watcher = { send: () => {}, close: () => {}, unsentBytes: 0 };
	const request = { say: "stop_agent", agent: "1.1", signal: 15, isHurry: false } as const;
	const { stopper, dispatched } = stopperOf(new Set());
	stopper.handle(watcher, { ...request, reason: "one\n\u001b[31mtwo", by: null });
	expect(dispatched).toEqual([{ is: "stop_asked", agent: "1.1", ending: { ...ENDING, reason: "one two" } }]);
});
