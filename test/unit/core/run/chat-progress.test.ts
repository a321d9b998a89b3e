import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import { turnsTaken, workedMs } from "../../../../src/core/run/chat-progress.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import { ended, joined, STARTED, turnEnded, turnStarted } from "../run-of.ts";

const BEGUN: RunEvent[] = [Object.assign({}, STARTED, { isConversation: true }), joined("1")];
const sent = (from: string | null, at: number): RunEvent => ({
	event: "message_sent",
	at,
	agent: "1",
	from,
	text: "x",
});
const delivered = (messages: number, at: number): RunEvent => ({
	event: "message_delivered",
	at,
	agent: "1",
	messages,
});
const listens = (at: number): RunEvent => ({ event: "agent_listening", at, agent: "1" });

function rootAfter(...events: RunEvent[]) {
	const root = [...BEGUN, ...events].reduce(reduce, { ...EMPTY_RUN, agents: {} }).agents["1"];
	if (root === undefined) throw new Error("no root");
	return root;
}

test("the time of a root stands still while it listens or is paused, and begins anew when it is resumed", () => {
	expect(workedMs(rootAfter(), 3_000)).toBe(2_000);
	const listening = [turnStarted("1", 1), turnEnded("1", 1), listens(5_000)];
	expect(workedMs(rootAfter(...listening), 90_000)).toBe(4_000);
	const again = [...listening, turnStarted("1", 2, false, 20_000)];
	expect(workedMs(rootAfter(...again), 21_000)).toBe(5_000);
	const paused: RunEvent = { event: "agent_paused", at: 22_000, agent: "1", from: null };
	expect(workedMs(rootAfter(...again, paused), 90_000)).toBe(6_000);
	const goesOn: RunEvent = { event: "agent_continued", at: 30_000, agent: "1", from: null };
	expect(workedMs(rootAfter(...again, paused, goesOn), 31_000)).toBe(7_000);
	const resumed: RunEvent = {
		...{ event: "agent_resumed", at: 50_000, agent: "1", pid: 1, startTime: "1", limits: DEFAULT_LIMITS },
	};
	expect(workedMs(rootAfter(...again, ended("1", 40_000)), 90_000)).toBe(24_000);
	expect(workedMs(rootAfter(...again, ended("1", 40_000), resumed), 51_000)).toBe(1_000);
});

test("turns are counted from the newest message of a person that is delivered, not from those of agents", () => {
	const two = [turnStarted("1", 1), turnStarted("1", 2)];
	expect(turnsTaken(rootAfter(...two))).toBe(2);
	expect(turnsTaken(rootAfter(...two, sent("1.1", 1), sent(null, 2)))).toBe(2);
	expect(turnsTaken(rootAfter(...two, sent("1.1", 1), sent(null, 2), delivered(1, 3)))).toBe(2);
	expect(turnsTaken(rootAfter(...two, sent("1.1", 1), sent(null, 2), delivered(2, 3), turnStarted("1", 3)))).toBe(1);
});

test("nothing of it is counted of a run that is no conversation", () => {
	const { talked } = [STARTED, joined("1")].reduce(reduce, { ...EMPTY_RUN, agents: {} }).agents["1"] ?? {};
	expect(talked).toBeUndefined();
});
