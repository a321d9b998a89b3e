import { expect, test } from "vitest";
import { EMPTY_RUN } from "../../../../src/core/run/run-state.ts";
import { emptyTranscript } from "../../../../src/faces/dashboard/scene/agent-transcript.ts";
import type { Picture } from "../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI, opened } from "../../../../src/faces/dashboard/scene/ui-state.ts";
import { loseRun, receive } from "../../../../src/faces/dashboard/update.ts";
import { NO_ACTIVITY } from "../../../../src/view/agents/activity.ts";
import { BUSY_RUN, commandStarted, runEnded, STARTED_AT, turnStarted } from "../../../fixtures/dashboard-run.ts";

const NOTHING: Picture = {
	run: EMPTY_RUN,
	ui: FIRST_UI,
	transcript: emptyTranscript("1"),
	events: [],
	activity: NO_ACTIVITY,
	isLost: false,
	size: { columns: 80, rows: 24 },
	now: STARTED_AT,
};
const BUSY = receive(NOTHING, { say: "snapshot", state: BUSY_RUN });
const ASKING = opened(FIRST_UI, "quit");

test("a snapshot brings the run, and an event changes it", () => {
	expect(BUSY.run).toBe(BUSY_RUN);
	const other = receive(BUSY, { say: "event", event: commandStarted("1.2", 40_000, "make", 3) });
	expect(other.run.agents["1.2"]?.running.map(({ command }) => command)).toEqual([1, 3]);
	expect(other.transcript).toBe(BUSY.transcript);
});

test("who follows is led to the agent that goes to work", () => {
	const following: Picture = { ...BUSY, ui: { ...FIRST_UI, follow: { is: "on", since: 0 } } };
	expect(receive(following, { say: "event", event: turnStarted("1.2", 40_000, 2) }).ui.selected).toBe("1.2");
});

test("the end of the run answers the question", () => {
	const asked = { ...BUSY, ui: ASKING };
	expect(receive(asked, { say: "event", event: runEnded(60_000) }).ui).toEqual(FIRST_UI);
	expect(loseRun(asked, STARTED_AT).ui).toEqual(FIRST_UI);
});

test("when the supervisor is gone no agent is alive, and those that had ended keep their ending", () => {
	const { run, isLost } = loseRun(BUSY, STARTED_AT + 50_000);
	expect(isLost).toBe(true);
	const endings = Object.values(run.agents).map(({ id, state }) => [
		id,
		state.is === "ended" ? state.ending.by : state.is,
	]);
	expect(Object.fromEntries(endings)).toEqual({
		"1": "crashed",
		"1.1": "crashed",
		"1.1.1": "crashed",
		"1.2": "crashed",
		"1.3": "limit",
	});
});
