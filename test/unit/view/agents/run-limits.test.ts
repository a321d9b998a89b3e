import { describe, expect, test } from "vitest";
import type { Limits } from "../../../../src/core/limits/limits.ts";
import { type Agent, ROOT } from "../../../../src/core/model/agent.ts";
import { EMPTY_RUN, type RunState, reduce } from "../../../../src/core/run/run-state.ts";
import { limitTone, nearLimits } from "../../../../src/view/agents/run-limits.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";

const usage = { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0 };
/** Two turns, 1.1k tokens, a cent, four agents, ten seconds. */
const RUN = [
	runStarted(),
	...["1", "1.1", "1.2", "1.3"].map((id) => agentJoined(id, T0)),
	{ event: "turn_started", at: T0, agent: "1", turn: 1, isLast: false } as const,
	{ event: "turn_ended", at: T0, agent: "1", turn: 1, stopReason: "tool_use", usage, costUsd: 0.01 } as const,
	{ event: "turn_started", at: T0, agent: "1.1", turn: 1, isLast: false } as const,
].reduce(reduce, EMPTY_RUN);

function runWith(limits: Partial<Limits>, root: Partial<Agent> = {}): RunState {
	const all = { ...RUN.limits, ...limits };
	const agent = { ...(RUN.agents[ROOT] as Agent), limits: all, ...root };
	return { ...RUN, limits: all, agents: { ...RUN.agents, [ROOT]: agent } };
}

const near = (limits: Partial<Limits>, root?: Partial<Agent>) =>
	nearLimits(runWith(limits, root), T0 + 10_000).map(({ text, tone }) => `${tone}: ${text}`);
const talked = (workedMs: number) => ({ talked: { turnsBefore: 0, workedMs, workingSince: T0 } });

describe("a limit near its end stands out, and one that is not near does not:", () => {
	test.each<[what: string, near: string[], far: string[], words: string]>([
		["turns of all", near({ maxTotalTurns: 2 }), near({ maxTotalTurns: 3 }), "bad: 2 of 2 turns"],
		[
			"turns for a message",
			near({ maxTurns: 10 }, { turns: 9, ...talked(0) }),
			near({ maxTurns: 10 }, { turns: 7, ...talked(0) }),
			"warn: 9 of 10 turns for this message",
		],
		["agents", near({ maxAgents: 5 }), near({ maxAgents: 6 }), "warn: 4 of 5 agents"],
		["tokens", near({ maxTokens: 1_200 }), near({ maxTokens: 2_000 }), "warn: 1.1k of 1.2k tokens"],
		["money", near({ maxBudgetUsd: 0.012 }), near({ maxBudgetUsd: 0.02 }), "warn: $0.01 of $0.012"],
		[
			"working time of a conversation",
			near({ maxTimeMs: 100_000 }, talked(70_000)),
			near({ maxTimeMs: 100_000 }, talked(60_000)),
			"warn: 1m20s of 1m40s",
		],
		["time of a run", near({ maxTimeMs: 11_000 }), near({ maxTimeMs: 20_000 }), "warn: 10s of 11s"],
	])("%s", (_what, close, far, words) => expect([close, far]).toEqual([[words], []]));
});

test("the nearest limit comes first, and money of which nobody knows how much is spent is near no limit", () => {
	expect(near({ maxAgents: 5, maxTotalTurns: 2, maxTokens: 1_200 })).toEqual([
		"bad: 2 of 2 turns",
		"warn: 1.1k of 1.2k tokens",
		"warn: 4 of 5 agents",
	]);
	expect(near({ maxBudgetUsd: 0.01 }, { costUsd: null })).toEqual([]);
});

test("a limit has the tone of a warning from 80 % on, and a bad one at its end", () => {
	expect([0.79, 0.8, 0.99, 1, 1.2].map(limitTone)).toEqual(["plain", "warn", "warn", "bad", "bad"]);
});
