import { expect, test } from "vitest";
import { KEYS, LISTED_KEYS, PANES } from "../../../../src/faces/dashboard/panes.ts";
import { emptyTranscript } from "../../../../src/faces/dashboard/scene/agent-transcript.ts";
import { sceneOf } from "../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI } from "../../../../src/faces/dashboard/scene/ui-state.ts";
import { lineWidth } from "../../../../src/tui/text/line.ts";
import { NO_ACTIVITY } from "../../../../src/view/agents/activity.ts";
import { BUSY_RUN, STARTED_AT } from "../../../fixtures/dashboard-run.ts";

const SCENE = sceneOf(
	{
		...{
			run: BUSY_RUN,
			ui: FIRST_UI,
			transcript: emptyTranscript("1"),
			events: [],
			activity: NO_ACTIVITY,
			isLost: false,
		},
		...{ size: { columns: 80, rows: 24 }, now: STARTED_AT },
	},
	LISTED_KEYS,
);

test("each pane has a name of its own, and its key opens no other", () => {
	expect(new Set(PANES.map(({ name }) => name)).size).toBe(PANES.length);
	const openers = PANES.filter(({ opener }) => opener !== undefined);
	expect(openers.map(({ opener }) => opener?.opens)).toEqual(openers.map(({ name }) => name));
});

test("a key acts on a pane of the table, or on all", () => {
	const names = PANES.map(({ name }) => name);
	expect(KEYS.flatMap(({ pane }) => pane ?? []).filter((pane) => !names.includes(pane))).toEqual([]);
});

test.each(PANES.map((pane) => [pane.name, pane] as const))("the same scene gives the same %s", (_, pane) => {
	const size = { columns: 50, rows: 12 };
	expect(pane.lines(SCENE, size)).toEqual(pane.lines(SCENE, size));
	expect(pane.title(SCENE, size, 50)).toEqual(pane.title(SCENE, size, 50));
});

test.each(PANES.map((pane) => [pane.name, pane] as const))("%s changes nothing of the scene by a key", (_, pane) => {
	const before = structuredClone(SCENE.ui);
	for (const { action } of pane.keys ?? KEYS) pane.act(action, SCENE, { columns: 50, rows: 12 });
	expect(SCENE.ui).toEqual(before);
});

test("a title is there for every pane but those of the bar", () => {
	const titled = PANES.filter(({ place }) => place.is !== "bar");
	expect(titled.filter((pane) => lineWidth(pane.title(SCENE, { columns: 50, rows: 12 }, 50)) === 0)).toEqual([]);
});
