import { expect, test } from "vitest";
import { describeEvent } from "../../../src/view/event-text.ts";

const FAILED = { event: "turn_retrying", at: 0, agent: "1", turn: 2, attempt: 1, reason: "overloaded" } as const;
const UNUSED = { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, costUsd: 0 };

test("a call that waits before it is made again says how long, and one to another model or with another key none", () => {
	expect(describeEvent({ ...FAILED, ...UNUSED, waitMs: 3_000 })).toBe("turn 2: retrying 1st time in 3 s: overloaded");
	expect(describeEvent({ ...FAILED, ...UNUSED, waitMs: 0 })).toBe("turn 2: retrying at once: overloaded");
});

// Seen to fail: the reason was said twice in a row.
test("a change of the model does not repeat why the call before has failed", () => {
	const changed = { event: "agent_changed", at: 0, agent: "1", model: "b/m", reason: "overloaded" } as const;
	expect(describeEvent(changed)).toBe("goes on with model b/m");
});
