import { describe, expect, test } from "vitest";
import type { Ending } from "../../../../src/core/model/agent.ts";
import type { RunEvent } from "../../../../src/core/run/run-event.ts";
import { PhaseReader } from "../../../../src/view/timeline/phases.ts";
import { commandEnded, continued, paused, retrying } from "../../../fixtures/busy-agents.ts";
import {
	agentEnded,
	commandStarted,
	joined,
	runStarted,
	STARTED_AT,
	turnEnded,
	turnStarted,
} from "../../../fixtures/dashboard-run.ts";

/** `1.1 thinking 300`; with a `?` behind what is only expected. */
function changes(...events: RunEvent[]): string[] {
	const reader = new PhaseReader();
	return events
		.flatMap((event) => reader.note(event))
		.map(({ agent, phase, at, isExpected }) => `${agent} ${phase} ${at - STARTED_AT}${isExpected ? "?" : ""}`);
}

const START = [runStarted(), joined("1", 100, "go"), turnStarted("1", 200), turnEnded("1", 300)];
const rest = (...events: RunEvent[]) => changes(...START, ...events).slice(changes(...START).length);

describe("the phases of an agent", () => {
	test("follow its turns and commands; those of a parent its children, too", () => {
		expect(changes(...START)).toEqual(["1 queued 100", "1 thinking 200", "1 running 300"]);
		const child = [commandStarted("1", 400, "agent x"), joined("1.1", 500, "x"), turnStarted("1.1", 600)];
		expect(rest(...child, turnEnded("1.1", 700), agentEnded("1.1", 800), commandEnded("1", 900))).toEqual([
			...["1.1 queued 500", "1 waiting 500", "1.1 thinking 600", "1.1 running 700"],
			...["1.1 answered 800", "1 running 800"],
		]);
	});

	test("end with an answer, a stop or a failure", () => {
		expect(rest(agentEnded("1", 400))).toEqual(["1 answered 400"]);
		expect(rest(agentEnded("1", 400, { by: "stopped", reason: "x", signal: 2 }))).toEqual(["1 stopped 400"]);
		const ends: Ending[] = [
			{ by: "failure", reason: "x", exitCode: 1 },
			{ by: "limit", limit: "max-turns", reason: "x" },
			{ by: "killed", signal: "SIGKILL" },
			{ by: "crashed", reason: "x" },
		];
		for (const ending of ends) expect(rest(agentEnded("1", 400, ending))).toEqual(["1 failed 400"]);
	});

	test("a retry waits until its next try, which is expected; the next wait begins anew, and what ends the call ends it", () => {
		const retried = [turnStarted("1", 400, 2), retrying("1", 500, 1, 1_000), retrying("1", 1_700, 2, 2_000)];
		expect(rest(...retried, turnEnded("1", 1_800))).toEqual([
			...["1 thinking 400", "1 retrying 500", "1 thinking 1500?", "1 retrying 1700", "1 thinking 3700?"],
			"1 running 1800",
		]);
	});

	test("a pause is one of all below, in place of what they do, and afterwards they do what they do then", () => {
		const child = [commandStarted("1", 400, "agent x"), joined("1.1", 500, "x"), turnStarted("1.1", 600)];
		const during = [paused("1.1", 700), turnEnded("1.1", 750), paused("1", 800)];
		expect(rest(...child, ...during, continued("1", 900)).slice(3)).toEqual([
			...["1.1 paused 700", "1 paused 800", "1 waiting 900", "1.1 running 900"],
		]);
	});

	test("an agent whose join is not in the log begins with its first event", () => {
		expect(changes(runStarted(), turnStarted("1.4", 400))).toEqual(["1.4 thinking 400"]);
		expect(changes(retrying("1", 500))).toEqual(["1 queued 500"]); // its call is not known either
	});
});
