import { expect, test } from "vitest";
import { layOut, sizeAt } from "../../../../src/faces/dashboard/layout.ts";
import { emptyTranscript } from "../../../../src/faces/dashboard/scene/agent-transcript.ts";
import { sceneOf } from "../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI } from "../../../../src/faces/dashboard/scene/ui-state.ts";
import { NO_ACTIVITY } from "../../../../src/view/agents/activity.ts";
import { BUSY_RUN, STARTED_AT } from "../../../fixtures/dashboard-run.ts";

function sceneAt(columns: number, rows: number, isZoomed = false) {
	const ui = { ...FIRST_UI, isZoomed };
	const size = { columns, rows };
	return sceneOf(
		{
			run: BUSY_RUN,
			ui,
			transcript: emptyTranscript("1"),
			events: [],
			activity: NO_ACTIVITY,
			isLost: false,
			size,
			now: STARTED_AT,
		},
		[],
	);
}

test.each([
	[120, 36, "beside"],
	[100, 16, "beside"],
	[99, 36, "stacked"],
	[80, 24, "stacked"],
	[50, 16, "stacked"],
	[49, 36, "single"],
	[120, 15, "single"],
	[40, 10, "single"],
] as const)("%i columns and %i rows have the panes %s", (columns, rows, arrangement) => {
	expect(layOut(sceneAt(columns, rows)).arrangement).toBe(arrangement);
});

test("a zoomed pane has the whole body at any size", () => {
	for (const [columns, rows] of [
		[120, 36],
		[80, 24],
	] as const) {
		const scene = sceneAt(columns, rows, true);
		expect(sizeAt({ is: "left" }, scene)).toEqual({ columns, rows: layOut(scene).bodyRows - 1 });
		expect(sizeAt({ is: "right" }, scene)).toEqual(sizeAt({ is: "left" }, scene));
	}
});

test("panes below each other have the full width and share the height, the tree no more than its rows need", () => {
	const scene = sceneAt(80, 40);
	const [tree, history] = [sizeAt({ is: "left" }, scene), sizeAt({ is: "right" }, scene)];
	expect([tree.columns, history.columns]).toEqual([80, 80]);
	expect(tree.rows).toBe(Object.keys(BUSY_RUN.agents).length + 1);
	expect(tree.rows + history.rows + 2).toBe(layOut(scene).bodyRows);
});

test("frames and panes beside each other fill the width", () => {
	for (const columns of [100, 101, 120, 199, 300]) {
		const { left, right } = layOut(sceneAt(columns, 36));
		expect(left.columns + right.columns).toBe(columns);
	}
});
