import { expect, test } from "vitest";
import type { Agent, Ending } from "../../../../../src/core/model/agent.ts";
import type { RunEvent } from "../../../../../src/core/run/run-event.ts";
import { NO_ACTIVITY } from "../../../../../src/faces/dashboard/scene/activity.ts";
import { emptyHistory, withDelta } from "../../../../../src/faces/dashboard/scene/agent-history.ts";
import { doingNow, type Told } from "../../../../../src/faces/dashboard/scene/doing-now.ts";
import {
	agentEnded,
	commandStarted,
	joined,
	replay,
	runStarted,
	STARTED_AT,
	turnEnded,
	turnStarted,
} from "../../../../fixtures/dashboard-run.ts";

const TOLD: Told = { activity: NO_ACTIVITY, history: emptyHistory("1"), now: STARTED_AT + 60_000 };
const NO_USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function agentAfter(...events: RunEvent[]): Agent {
	return replay([runStarted(), joined("1", 100, "root"), ...events]).agents["1"] as Agent;
}

function words(events: RunEvent[], told: Partial<Told> = {}): string {
	return doingNow(agentAfter(...events), { ...TOLD, ...told }).text;
}

const thinks = [turnStarted("1", 1_000)];
const runs = [...thinks, turnEnded("1", 2_000), commandStarted("1", 2_000, "make all\nand more")];
const retries = (waitMs: number): RunEvent => ({
	...{ event: "turn_retrying", at: STARTED_AT + 27_000, agent: "1", turn: 1, attempt: 3, waitMs },
	...{ reason: "overloaded\u001b[2J", usage: NO_USAGE, costUsd: 0 },
});

test("of one that waits for a slot its place in the queue is told", () => {
	expect(words([])).toBe("queued");
	expect(words([], { activity: { ...NO_ACTIVITY, places: new Map([["1", 3]]), queued: 25 } })).toBe("queued 3rd of 25");
	const reason = "the memory of the machine is short";
	expect(words([{ event: "turn_queued", at: STARTED_AT, agent: "1", reason }])).toBe(`waits: ${reason}`);
});

test("of one that thinks its last words are told, or what holds it up", () => {
	expect(words(thinks)).toBe("thinking");
	const history = withDelta(emptyHistory("1"), 1, { kind: "text", text: "First.\nThe lock \u0007is held\n" });
	expect(words(thinks, { history })).toBe("The lock is held");
	expect(words(thinks, { activity: { ...NO_ACTIVITY, heldSince: new Map([["1", 1]]) }, history })).toBe(
		"waits for the service",
	);
	expect(words([...thinks, retries(66_000)])).toBe("again in 33 s: overloaded");
	expect(words([...thinks, retries(1_000)])).toBe("thinking, 3rd retry");
	const summarises: RunEvent = {
		...(turnStarted("1", 1_000) as RunEvent & { event: "turn_started" }),
		purpose: "compaction",
	};
	expect(words([summarises])).toBe("summarises older rounds");
});

test("of one that runs commands the first is told, and that it does the same again and again", () => {
	expect(words(runs)).toBe("$ make all");
	expect(words([...runs, commandStarted("1", 3_000, "make check", 2)])).toBe("$ make all (+1)");
	const repeats: RunEvent = { event: "agent_repeats", at: STARTED_AT + 3_000, agent: "1", command: 1, times: 7 };
	expect(words([...runs, repeats])).toBe("7× the same: $ make all");
});

test("of one that is paused it is told with whom, and whether its commands are frozen", () => {
	const paused = (isHard?: true): RunEvent => ({
		...{ event: "agent_paused", at: STARTED_AT + 3_000, agent: "1", from: null },
		...(isHard && { isHard }),
	});
	expect(words([...runs, paused()])).toBe("paused");
	expect(words([...runs, paused(true)])).toBe("paused, its commands frozen");
	const child = replay([runStarted(), joined("1", 1, "root"), joined("1.1", 2, "child"), paused()]).agents[
		"1.1"
	] as Agent;
	expect(doingNow(child, TOLD).text).toBe("paused with 1");
});

test("of one that waits for others nothing is told", () => {
	const child = joined("1.1", 3_000, "child");
	expect(words([...runs, child])).toBe("");
});

test.each<[Ending, string]>([
	[{ by: "answer" }, "answered"],
	[{ by: "failure", reason: "overloaded\nand down", exitCode: 75 }, "failed: overloaded and down"],
	[
		{ by: "limit", limit: "max-turns", reason: "turn limit reached (max-turns 50)" },
		"turn limit reached (max-turns 50)",
	],
	[{ by: "stopped", reason: "by the person", signal: 2 }, "stopped: by the person"],
	[{ by: "crashed", reason: "its process is gone" }, "crashed: its process is gone"],
	[{ by: "killed", signal: "SIGKILL" }, "killed by SIGKILL"],
])("of one that has ended by %o it is told: %s", (ending, text) => {
	expect(words([agentEnded("1", 5_000, ending)])).toBe(text);
});

test("an answer is told once it was read, and not that of a life before", () => {
	const answers = (endedAt: number) => new Map([["1", { endedAt, line: "All is well" }]]);
	expect(words([agentEnded("1", 5_000)], { answers: answers(STARTED_AT + 5_000) })).toBe("All is well");
	expect(words([agentEnded("1", 5_000)], { answers: answers(STARTED_AT + 4_000) })).toBe("answered");
});
