import { describe, expect, test } from "vitest";
import type { Doing } from "../../../../src/core/doing.ts";
import type { Agent } from "../../../../src/core/model/agent.ts";
import { loseRun } from "../../../../src/faces/dashboard/receive.ts";
import type { PhaseChange } from "../../../../src/view/timeline/phases.ts";
import { type RunPhases, spansOf, withChanges } from "../../../../src/view/timeline/phases.ts";
import { BUSY_AGENTS, phasesOf, pictureOf, sceneAfter } from "../../../fixtures/busy-agents.ts";
import { STARTED_AT } from "../../../fixtures/dashboard-run.ts";

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
