import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/core/limits/limits.ts";
import type { RunEvent } from "../../../src/core/run/run-event.ts";
import { reduce } from "../../../src/core/run/run-state.ts";
import { joined, runOf, STARTED, turnEnded, turnStarted } from "./run-of.ts";

const listening: RunEvent = { event: "agent_listening", at: 3000, agent: "1" };
const sent = (text: string, from: string | null = null): RunEvent => ({
	...{ event: "message_sent", at: 4000, agent: "1", from, text },
});
const withdrawn = (text: string): RunEvent => ({ event: "message_withdrawn", at: 5000, agent: "1", text });
const textsIn = (...events: RunEvent[]) => runOf(joined("1"), ...events).agents["1"]?.messages?.map(({ text }) => text);

test("the root of a conversation listens after its answer, and thinks again with its next turn", () => {
	const run = runOf(joined("1"), turnStarted("1", 1), turnEnded("1", 1), listening);
	expect(run.agents["1"]?.state).toEqual({ is: "listening", since: 3000 });
	expect(reduce(run, turnStarted("1", 2)).agents["1"]).toMatchObject({ turns: 2, state: { is: "thinking" } });
});

test("a run knows that it is a conversation, and each resume says anew whether it is one", () => {
	const run = reduce(runOf(), { ...STARTED, isConversation: true } as RunEvent);
	expect(run.isConversation).toBe(true);
	const again = { at: 5000, pid: 70, startTime: "77", limits: DEFAULT_LIMITS, version: "0.1.0" };
	const resumed: RunEvent = { event: "run_resumed", ...again };
	expect(reduce(run, resumed)).not.toHaveProperty("isConversation");
	expect(reduce(reduce(run, resumed), { ...resumed, isConversation: true }).isConversation).toBe(true);
});

test("the newest message of the person is taken back, and none of an agent", () => {
	expect(textsIn(sent("a"), sent("b"), sent("of 1.1", "1.1"), withdrawn("b"))).toEqual(["a", "of 1.1"]);
	expect(textsIn(sent("a"), withdrawn("a"))).toBeUndefined();
	expect(textsIn(sent("of 1.1", "1.1"), withdrawn("x"))).toEqual(["of 1.1"]);
});

test("an agent goes on with another model, whose window may be unknown, with other limits and another effort", () => {
	const before = reduce(runOf(joined("1")), {
		...{ event: "agent_changed", at: 1, agent: "1", model: "m1", windowTokens: 9 },
	} as RunEvent);
	expect(before.agents["1"]).toMatchObject({ model: "m1", windowTokens: 9 });
	const limits = { ...DEFAULT_LIMITS, maxTurns: 7 };
	const narrowed = reduce(before, { event: "agent_changed", at: 2, agent: "1", limits, effort: "high" });
	expect(narrowed.agents["1"]).toMatchObject({ model: "m1", windowTokens: 9, limits, effort: "high" });
	const unknown = reduce(narrowed, { event: "agent_changed", at: 3, agent: "1", model: "m2" });
	expect(unknown.agents["1"]).not.toHaveProperty("windowTokens");
});

test("an agent keeps its newest plan, until that is empty", () => {
	const items = [{ text: "look", is: "done" } as const, { text: "mend", is: "doing" } as const];
	const run = reduce(runOf(joined("1")), { event: "todo_changed", at: 1, agent: "1", items });
	expect(run.agents["1"]?.todo).toEqual(items);
	expect(reduce(run, { event: "todo_changed", at: 2, agent: "1", items: [] }).agents["1"]).not.toHaveProperty("todo");
});
