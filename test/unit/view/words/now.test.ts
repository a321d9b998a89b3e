import { expect, test } from "vitest";
import { countDoings } from "../../../../src/core/doing.ts";
import type { Agent, Ending } from "../../../../src/core/model/agent.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import { describeCounts, describeNow, headline } from "../../../../src/view/words/now.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";

const turnStarted: RunEvent = { event: "turn_started", at: T0, agent: "1", turn: 3, isLast: false };
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const commandStarted = (command: number, text: string): RunEvent => {
	const log = `out/000${command}.log`;
	return { event: "command_started", at: T0, agent: "1", command, text, pid: 7, startTime: "80", log };
};
const running = (...events: RunEvent[]): RunEvent[] => {
	return [turnStarted, { ...turnStarted, event: "turn_ended", stopReason: "tool_use", usage, costUsd: 0 }, ...events];
};
const ended = (ending: Ending): RunEvent => ({ event: "agent_ended", at: T0, agent: "1", ending });

function agentAfter(...events: RunEvent[]): Agent {
	const { agents } = [runStarted(), agentJoined("1", T0), ...events].reduce(reduce, EMPTY_RUN);
	return agents["1"] as Agent;
}

const nowOf = (events: RunEvent[], facts: object = {}) =>
	describeNow(agentAfter(...events), { now: T0 + 1_000, ...facts });

test("an agent's line says what it does, whatever it does", () => {
	const retrying = {
		...turnStarted,
		event: "turn_retrying",
		attempt: 6,
		waitMs: 33_500,
		reason: "overloaded\u001b[2J",
	} as const;
	const retry: RunEvent = { ...retrying, usage, costUsd: 0 };
	expect(nowOf([])).toBe("waits for a slot");
	expect(nowOf([{ event: "turn_queued", at: T0, agent: "1", reason: "short of memory" }])).toBe("short of memory");
	expect(nowOf([turnStarted])).toBe("turn 3");
	expect(nowOf([{ ...turnStarted, purpose: "compaction" }])).toBe("summarises older rounds");
	expect(nowOf([turnStarted, retry])).toBe("again in 33 s: overloaded");
	expect(nowOf([turnStarted, retry], { now: T0 + 40_000 })).toBe("turn 3");
	expect(nowOf(running(commandStarted(1, "\n  make -j8\nmake test")))).toBe("$ make -j8");
	expect(nowOf(running(commandStarted(1, "make"), commandStarted(2, "ls")))).toBe("$ make (+1)");
	expect(
		nowOf(running(commandStarted(1, "make"), { event: "agent_repeats", at: T0, agent: "1", command: 1, times: 6 })),
	).toBe("6× the same, $ make");
});

test("an agent that waits for others says what these do, and one that is held that it is", () => {
	const child = { ...agentAfter(), id: "1.1" };
	const waiting = running(commandStarted(1, "agent x"), agentJoined("1.1", T0, { command: 1 }));
	expect(nowOf(waiting, { below: countDoings([child]) })).toBe("1 queued");
	expect(nowOf(waiting)).toBe("$ agent x");
	const paused: RunEvent = { event: "agent_paused", at: T0, agent: "1", from: null };
	expect(nowOf([turnStarted, paused])).toBe("held, turn 3");
	expect(nowOf(running(commandStarted(1, "make"), { ...paused, isHard: true }))).toBe("frozen, $ make");
});

test("an agent that is over has its answer's first line, or why there is none", () => {
	expect(nowOf([ended({ by: "answer" })], { answer: "done\nmore" })).toBe("done");
	expect(nowOf([ended({ by: "answer" })])).toBe("");
	expect(nowOf([ended({ by: "failure", reason: "no such\nfile", exitCode: 1 })])).toBe("no such file");
	expect(nowOf([ended({ by: "killed", signal: "SIGKILL" })])).toBe("killed by SIGKILL");
});

test.each([
	["done", "done"],
	["\n\n---\n**Fixed** one bug.\n", "Fixed one bug."],
	["# Result:\n\n- *two* files", "Result: *two* files"],
	["# Result", "Result"],
	["> - quoted", "quoted"],
	["…", "…"],
	["", ""],
	["\u001b[31mred\u202e", "red"],
	["x".repeat(1_000_000), "x".repeat(4_000)],
])("the headline of %j", (answer, line) => expect(headline(answer)).toBe(line));

test("counts name what has failed first, and nothing of which there is none", () => {
	const failed = agentAfter(ended({ by: "killed", signal: "SIGKILL" }));
	expect(describeCounts(countDoings([agentAfter(), failed, agentAfter(turnStarted)]))).toBe(
		"1 failed, 1 thinking, 1 queued",
	);
	expect(describeCounts(countDoings([]))).toBe("");
});
