import { expect, test } from "vitest";
import { isNewer, requireRoom } from "../../../../src/cli/sessions/resumable.ts";
import { DEFAULT_LIMITS, type Limits } from "../../../../src/core/limits/limits.ts";
import type { Ending } from "../../../../src/core/model/agent.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { joined, runOf, turnStarted } from "../../core/run-of.ts";

test("a version is newer by what may change the meaning of files", () => {
	expect(["1.0.0", "0.2.0", "9", "0.2.0-beta"].map((version) => isNewer(version, "0.1.7"))).toEqual([
		true,
		true,
		true,
		true,
	]);
	expect(["0.1.9", "0.1.0", "0.0.9", "", "x"].map((version) => isNewer(version, "0.1.7"))).not.toContain(true);
	expect([isNewer("1.9.0", "1.0.0"), isNewer("2.0.0", "1.9.0")]).toEqual([false, true]);
});

/** What it says, where the root had so many turns and tokens, a dollar spent, and ended so. */
function refusal(ending: Ending, limits: Partial<Limits>): string | undefined {
	const spent: RunEvent = {
		...{ event: "turn_ended", at: 1, agent: "1", turn: 3, stopReason: "end_turn", costUsd: 1 },
		usage: { ...NO_USAGE, output: 500 },
	};
	const turns = [1, 2, 3].map((turn) => turnStarted("1", turn));
	const run = runOf(joined("1", { maxTokens: 900 }), ...turns, spent, {
		event: "agent_ended",
		at: 2,
		agent: "1",
		ending,
	});
	try {
		requireRoom(run, { ...DEFAULT_LIMITS, ...limits });
	} catch (error) {
		return (error as Error).message;
	}
	return undefined;
}

const limit = (name: string): Ending => ({ by: "limit", limit: name, reason: "reached" });

test.each([
	[{ maxTurns: 3 }, "max-turns", "(turn limit reached (max-turns 3)); raise it: agent resume r1 --max-turns 6"],
	[{ maxTotalTurns: 2 }, "max-total-turns", "agent resume r1 --max-total-turns 4"],
	[{ maxTokens: 500 }, "max-tokens", "(max-tokens 500: 500 tokens used); raise it: agent resume r1 --max-tokens 1000"],
	[{ maxTokens: 900 }, "max-tokens", "(max-tokens 900: 500 tokens used); raise it: agent resume r1 --max-tokens 1800"],
	[{ maxBudgetUsd: 1 }, "max-budget-usd", "--max-budget-usd 2"],
])("a run that ended at a limit is told which to raise: %o", (limits, name, words) => {
	expect(refusal(limit(name), limits)).toContain(words);
});

test("a limit that leaves room, one of time, and one that is met after a crash are not in the way", () => {
	expect(refusal(limit("max-turns"), { maxTurns: 4 })).toBeUndefined();
	expect(refusal(limit("max-tokens"), { maxTokens: 5000 })).toBeUndefined();
	expect(refusal(limit("max-time"), {})).toBeUndefined();
	expect(refusal({ by: "crashed", reason: "its supervisor died" }, { maxTurns: 3 })).toBeUndefined();
});
