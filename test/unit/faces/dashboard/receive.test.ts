import { expect, test } from "vitest";
import { EMPTY_RUN } from "../../../../src/core/run/run-state.ts";
import { refocus } from "../../../../src/faces/dashboard/history-changes.ts";
import { openCommands } from "../../../../src/faces/dashboard/panes/transcript/history-blocks.ts";
import { loseRun, receive } from "../../../../src/faces/dashboard/receive.ts";
import { emptyHistory } from "../../../../src/faces/dashboard/scene/agent-history.ts";
import type { Picture } from "../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI, opened } from "../../../../src/faces/dashboard/scene/ui-state.ts";
import { NO_ACTIVITY } from "../../../../src/view/agents/activity.ts";
import { BUSY_RUN, commandStarted, runEnded, STARTED_AT, turnStarted } from "../../../fixtures/dashboard-run.ts";

const NOTHING: Picture = {
	run: EMPTY_RUN,
	ui: FIRST_UI,
	history: emptyHistory("1"),
	events: [],
	activity: NO_ACTIVITY,
	isLost: false,
	size: { columns: 80, rows: 24 },
	now: STARTED_AT,
};
const BUSY = receive(NOTHING, { say: "snapshot", state: BUSY_RUN });
const ASKING = opened(FIRST_UI, "quit");

test("a snapshot brings the commands that run already", () => {
	expect(BUSY.run).toBe(BUSY_RUN);
	expect(openCommands(BUSY.history, BUSY_RUN.agents["1"])).toEqual([2]);
});

test("an event changes the run, and the history of the agent in focus only", () => {
	const own = receive(BUSY, { say: "event", event: commandStarted("1", 40_000, "make", 3) });
	expect(openCommands(own.history, own.run.agents["1"])).toEqual([2, 3]);
	const other = receive(BUSY, { say: "event", event: commandStarted("1.2", 40_000, "make", 3) });
	expect(other.run.agents["1.2"]?.running.map(({ command }) => command)).toEqual([1, 3]);
	expect(other.history).toBe(BUSY.history);
});

test("words of an agent that is no longer in focus are dropped", () => {
	expect(receive(BUSY, { say: "delta", agent: "1.2", turn: 2, delta: { kind: "text", text: "late" } })).toBe(BUSY);
});

// Seen to fail when the pieces stayed: the answer began twice.
test("what streamed of a call that is made again is put aside", () => {
	const thinking = receive(BUSY, { say: "event", event: turnStarted("1", 40_000, 3) });
	const streaming = receive(thinking, { say: "delta", agent: "1", turn: 3, delta: { kind: "text", text: "half" } });
	const retrying = receive(streaming, {
		say: "event",
		event: {
			...{ event: "turn_retrying", at: STARTED_AT + 41_000, agent: "1", turn: 3, attempt: 1, waitMs: 500 },
			...{ reason: "cut", usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, costUsd: 0 },
		},
	});
	expect([streaming.history.live?.pieces.length, retrying.history.live]).toEqual([1, undefined]);
	expect(retrying.history.broken).toMatchObject([{ turn: 3, pieces: [{ text: "half" }] }]);
});

test("a new selection begins with an empty history that knows the commands that run", () => {
	const moved = refocus({ ...BUSY, ui: { ...FIRST_UI, selected: "1.2" } });
	expect(moved.history).toMatchObject({ agent: "1.2", entries: [], happened: [{ command: 1, text: "npm test" }] });
	expect(refocus(moved)).toBe(moved);
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
