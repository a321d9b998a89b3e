import { expect, test } from "vitest";
import type { Agent, Ending } from "../../../../../src/core/model/agent.ts";
import { EMPTY_RUN, type RunState } from "../../../../../src/core/run/run-state.ts";
import { headerLines, noticeOf, windowTitle } from "../../../../../src/faces/dashboard/panes/header.ts";
import { emptyTranscript } from "../../../../../src/faces/dashboard/scene/agent-transcript.ts";
import { firstPicture, type Picture, sceneOf } from "../../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI } from "../../../../../src/faces/dashboard/scene/ui-state.ts";
import { NO_ACTIVITY } from "../../../../../src/view/agents/activity.ts";
import {
	agentEnded,
	BUSY_EVENTS,
	BUSY_RUN,
	joined,
	replay,
	runEnded,
	runStarted,
	STARTED_AT,
	turnStarted,
} from "../../../../fixtures/dashboard-run.ts";

function headerOf(run: RunState, columns = 120, rows = 2): string[] {
	const now = STARTED_AT + 125_000;
	const scene = sceneOf(
		{
			run,
			ui: FIRST_UI,
			transcript: emptyTranscript("1"),
			events: [],
			activity: NO_ACTIVITY,
			isLost: false,
			size: { columns, rows: 36 },
			now,
		},
		[],
	);
	return headerLines(scene, columns, rows).map((line) =>
		line
			.map(({ text }) => text)
			.join("")
			.trimEnd(),
	);
}

/** A run with so many agents in each state. */
function runOf(states: readonly Agent["state"][], changes: Partial<RunState> = {}): RunState {
	const ids = states.map((_, index) => (index === 0 ? "1" : `1.${index}`));
	const run = replay([runStarted(), ...ids.map((id) => joined(id, 100, "piece"))]);
	const agents = Object.entries(run.agents).map(([id, agent], index): [string, Agent] => [
		id,
		{ ...agent, state: states[index] ?? agent.state },
	]);
	return { ...run, ...changes, agents: Object.fromEntries(agents) };
}

const AT = STARTED_AT + 100;
const THINKING = { is: "thinking", since: AT, turn: 1 } as const;
const MIXED = runOf([
	{ is: "waiting", since: AT },
	{ is: "running", since: AT },
	{ is: "running", since: AT },
	THINKING,
	{ ...THINKING, retry: { attempt: 2, nextAt: AT, reason: "overloaded" } },
	{ is: "queued", since: AT },
	{ is: "ended", at: AT, ending: { by: "answer" } },
	{ is: "ended", at: AT, ending: { by: "failure", reason: "no", exitCode: 1 } },
	{ is: "ended", at: AT, ending: { by: "stopped", reason: "no", signal: 15 } },
]);

test("the first line says which run it is and how much of its time is over", () => {
	expect(headerOf(MIXED)[0]).toBe(
		" agentree k3f9  Look at this repository and report what each part does                   claude-sonnet-5-5  2m05s of 1h",
	);
	expect(headerOf(replay([agentEnded("1", 60_000, { by: "answer" }), runEnded(61_000)], BUSY_RUN))[0]).toMatch(
		/claude-sonnet-5-5 {2}1m01s$/,
	);
});

test("the second line counts the agents by what they do; words go first where room is short", () => {
	expect(headerOf(MIXED)[1]).toBe(
		" ●2 running ◆1 thinking ↻1 retrying ○1 queued ◌1 waiting ✓1 ■1 stopped ✗1 failed │ slots 4/8",
	);
	expect(headerOf(MIXED, 60)[1]).toBe(" ●2 ◆1 ↻1 ○1 queued ◌1 ✓1 ■1 ✗1 failed │ slots 4/8");
	expect(headerOf(MIXED, 40)[1]).toBe(" ●2 ◆1 ↻1 ○1 ◌1 ✓1 ■1 ✗1 │ slots 4/8");
	expect(headerOf(MIXED, 30)[1]).toBe(" ●2 ◆1 ↻1 ○1 ◌1 ✓1 ■1 ✗1");
	expect(headerOf(MIXED, 40, 1)).toEqual([" ●2 ◆1 ↻1 ○1 ◌1 ✓1 ■1 ✗1 │ slots 4/8"]);
});

test("a budget is a bar with what is spent of it", () => {
	const limits = { ...BUSY_RUN.limits, maxBudgetUsd: 0.2 };
	expect(headerOf({ ...BUSY_RUN, limits })[1]).toContain("│ $0.06 ▓▓▓░░░░░ $0.20 │ 19.5k tok, 67% cached");
	expect(headerOf({ ...BUSY_RUN, limits: { ...limits, maxTokens: 20_000 } })[1]).toContain("19.5k ▓▓▓▓▓▓▓▓ 20.0k tok");
	expect(headerOf({ ...BUSY_RUN, limits }, 40)[1]).toContain("$0.06 ▓▓▓░░░░░ $0.20");
});

test("limits of which most is used are named, others are not", () => {
	const limits = { ...BUSY_RUN.limits, maxAgents: 5, maxTotalTurns: 1_000 };
	expect(headerOf({ ...BUSY_RUN, limits })[1]).toContain("│ 5 of 5 agents │");
	expect(headerOf(BUSY_RUN)[1]).not.toContain("agents");
	const budget = headerOf({ ...BUSY_RUN, limits: { ...BUSY_RUN.limits, maxBudgetUsd: 0.06, maxTimeMs: 126_000 } });
	expect(budget.join()).not.toMatch(/\$0\.06 of/); // its bar says it
	expect(budget.join().split("2m05s")).toHaveLength(2);
});

const NOW = 1_764_274_530_000;
const pictureOf = (run: RunState, more: Partial<Picture> = {}): Picture => ({
	...firstPicture("1", NOW),
	run,
	...more,
});
const ONE_AGENT = replay([runStarted(), joined("1", 0, "a task"), turnStarted("1", 10)]);
const FAILURE: Ending = { by: "failure", reason: "overloaded", exitCode: 75 };
const after = (...events: Parameters<typeof replay>[0]) => replay([...BUSY_EVENTS, ...events]);

test.each([
	["nothing of a run of which nothing is known", EMPTY_RUN, {}, ""],
	["how many agents work, and how many have failed", BUSY_RUN, {}, "agentree k3f9 running 2, 1 failed"],
	[
		"that the run is stopping",
		after({ event: "run_stopping", at: NOW, reason: "x" }),
		{},
		"agentree k3f9 stopping 2, 1 failed",
	],
	["that the run has ended", after(runEnded(95_000)), {}, "agentree k3f9 ended, 1 failed"],
	["that its supervisor is gone", BUSY_RUN, { isLost: true }, "agentree k3f9 lost, 1 failed"],
	["that its supervisor is suspended", BUSY_RUN, { isSuspended: true }, "agentree k3f9 suspended, 1 failed"],
	["of a run without failures only that it runs", ONE_AGENT, {}, "agentree k3f9 running 1"],
])("the title tells %s", (_, run, more, title) => expect(windowTitle(pictureOf(run, more))).toBe(title));

test.each([
	["its answer", runEnded(95_000), {}, true],
	["a failure", runEnded(95_000, FAILURE), {}, true],
	["a limit", runEnded(95_000, { by: "limit", limit: "maxCostUsd", reason: "spent" }), {}, true],
	["a person elsewhere", runEnded(95_000, { by: "stopped", reason: "agent stop", signal: 2 }), {}, false],
	["the person here", runEnded(95_000), { isStopAsked: true }, false],
])("a run that is ended by %s", (_, event, more, rings) => {
	const [before, ended] = [pictureOf(BUSY_RUN, more), pictureOf(after(event), more)];
	expect(noticeOf(before, ended)).toBe(rings ? "the run has ended" : undefined);
	expect(noticeOf(before, before)).toBeUndefined();
	expect(noticeOf(ended, ended)).toBeUndefined();
	expect(noticeOf(pictureOf(EMPTY_RUN), ended)).toBeUndefined(); // it was over when the dashboard came
});

test("a question of an agent rings once, and the title has it until it is answered", () => {
	const what = { is: "words", text: "which?" } as const;
	const asked = { event: "question_asked", at: NOW, agent: "1", question: 1, what } as const;
	const answered = { event: "question_answered", at: NOW, agent: "1", question: 1, answer: { is: "allow" } } as const;
	const open = pictureOf(after(asked));
	expect(noticeOf(pictureOf(BUSY_RUN), open)).toBe("an agent has a question for you");
	expect(noticeOf(open, open)).toBeUndefined();
	expect(windowTitle(open)).toBe("agentree k3f9 running 2, 1 question, 1 failed");
	expect(windowTitle(pictureOf(after(asked, answered)))).toBe("agentree k3f9 running 2, 1 failed");
});
