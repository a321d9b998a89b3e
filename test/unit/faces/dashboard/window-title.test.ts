import { expect, test } from "vitest";
import type { Ending } from "../../../../src/core/model/agent.ts";
import { EMPTY_RUN, type RunState } from "../../../../src/core/run/run-state.ts";
import { noticeOf, windowTitle } from "../../../../src/faces/dashboard/panes/header.ts";
import { firstPicture, type Picture } from "../../../../src/faces/dashboard/scene/scene.ts";
import {
	BUSY_EVENTS,
	BUSY_RUN,
	joined,
	replay,
	runEnded,
	runStarted,
	turnStarted,
} from "../../../fixtures/dashboard-run.ts";

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
