import { describe, expect, test } from "vitest";
import type { Doing } from "../../../../src/core/doing.ts";
import type { Agent, Ending } from "../../../../src/core/model/agent.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { loseRun } from "../../../../src/faces/dashboard/update.ts";
import {
	type PhaseChange,
	PhaseReader,
	type RunPhases,
	spansOf,
	withChanges,
} from "../../../../src/view/timeline/phases.ts";
import {
	BUSY_AGENTS,
	commandEnded,
	continued,
	paused,
	phasesOf,
	pictureOf,
	retrying,
	sceneAfter,
} from "../../../fixtures/busy-agents.ts";
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

const change = (at: number, phase: Doing, agent = "1"): PhaseChange => ({ agent, at, phase });
const expected = (at: number, phase: Doing): PhaseChange => ({ ...change(at, phase), isExpected: true });
const told = (phases: RunPhases, agent = "1") => phases.get(agent)?.map(({ at, phase }) => `${phase} ${at}`);
const NONE: RunPhases = new Map();

describe("changes", () => {
	test("are added in order, each phase once, and leave what was there before as it was", () => {
		const first = withChanges(NONE, [change(1, "queued"), change(2, "thinking"), change(1, "queued", "1.1")]);
		const second = withChanges(first, [change(3, "thinking"), change(4, "running")]);
		expect(told(first)).toEqual(["queued 1", "thinking 2"]);
		expect(told(second)).toEqual(["queued 1", "thinking 2", "running 4"]);
		expect(second.get("1.1")).toBe(first.get("1.1"));
	});

	test("that were expected do not come when another comes first", () => {
		const waits = withChanges(NONE, [change(1, "retrying"), expected(9, "thinking")]);
		expect(told(withChanges(waits, [change(5, "running")]))).toEqual(["retrying 1", "running 5"]);
		expect(told(withChanges(waits, [change(12, "running")]))).toEqual(["retrying 1", "thinking 9", "running 12"]);
	});

	test("never go back in time, though the system's time may have been set back", () => {
		const phases = withChanges(NONE, [change(10, "queued"), change(20, "thinking"), change(5, "running")]);
		expect(told(phases)).toEqual(["queued 10", "running 20"]);
	});

	test("are kept up to a thousand an agent, the newest", () => {
		const many = Array.from({ length: 5_000 }, (_, at) => change(at, at % 2 === 0 ? "thinking" : "running"));
		const kept = withChanges(NONE, many).get("1") ?? [];
		expect(kept.length).toBeGreaterThan(700);
		expect(kept.length).toBeLessThanOrEqual(1_000);
		expect(kept.at(-1)).toEqual(many.at(-1));
	});
});

describe("spans", () => {
	const scene = sceneAfter(BUSY_AGENTS);
	const agentAt = (id: string, run = scene.run) => run.agents[id] as Agent;
	const spans = (phases: RunPhases, agent: Agent, untilMs = 100_000) =>
		spansOf(phases, agent, STARTED_AT + untilMs).map(
			({ from, to, phase }) => `${phase} ${from - STARTED_AT}-${to - STARTED_AT}`,
		);

	test("each begins where the one before ends, the last is that of now", () => {
		expect(spans(phasesOf(BUSY_AGENTS), agentAt("1.1"))).toEqual([
			...["queued 4000-5000", "thinking 5000-20000", "running 20000-63000", "failed 63000-100000"],
		]);
		expect(spans(phasesOf(BUSY_AGENTS), agentAt("1.2"), 25_000)).toEqual([
			...["queued 4100-6000", "thinking 6000-10000", "retrying 10000-18000"],
			...["thinking 18000-21000", "retrying 21000-25000"],
		]);
	});

	test("what was before the events that are known is not known", () => {
		const phases = phasesOf(
			BUSY_AGENTS.filter(({ event, at }) => event !== "agent_joined" && at > STARTED_AT + 30_000),
		);
		expect(spans(phases, agentAt("1.3"))).toEqual([
			...["unknown 4200-45000", "running 45000-45500", "answered 45500-100000"],
		]);
		expect(spans(NONE, agentAt("1.1"))).toEqual(["unknown 4000-63000", "failed 63000-100000"]);
		expect(spans(NONE, agentAt("1.2.1"))).toEqual(["unknown 51000-88000", "running 88000-100000"]);
	});

	test("an end that nobody wrote down is that of the state", () => {
		const lost = loseRun(pictureOf(BUSY_AGENTS), STARTED_AT + 95_000);
		expect(spans(phasesOf(BUSY_AGENTS), agentAt("1.2.1", lost.run)).slice(-2)).toEqual([
			...["running 88000-95000", "failed 95000-100000"],
		]);
	});
});
