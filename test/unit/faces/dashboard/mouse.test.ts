import { expect, test } from "vitest";
import { point } from "../../../../src/faces/dashboard/press.ts";
import { FIRST_UI, opened, type UiState } from "../../../../src/faces/dashboard/scene/ui-state.ts";
import type { MouseKey } from "../../../../src/tui/keys/key.ts";
import { NO_ACTIVITY } from "../../../../src/view/agents/activity.ts";
import { asked, BUSY_RUN, STARTED_AT } from "../../../fixtures/dashboard-run.ts";
import { transcriptOf } from "../../../fixtures/shown-transcript.ts";

const LONG = transcriptOf("1", {
	entries: [asked(Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n"))],
});

function after(event: Omit<MouseKey, "is">, ui: UiState = FIRST_UI, size = { columns: 120, rows: 36 }): UiState {
	return point(
		{ run: BUSY_RUN, ui, transcript: LONG, events: [], activity: NO_ACTIVITY, isLost: false, size, now: STARTED_AT },
		{ is: "mouse", ...event },
	).ui;
}

test("a click gives a side the keys", () => {
	expect(after({ x: 100, y: 10, button: "left" }).side).toBe("transcript");
	expect(after({ x: 3, y: 10, button: "left" }, { ...FIRST_UI, side: "transcript" }).side).toBe("tree");
	expect(after({ x: 3, y: 20, button: "left" }, FIRST_UI, { columns: 80, rows: 24 }).side).toBe("transcript");
	expect(
		after({ x: 70, y: 4, button: "left" }, { ...FIRST_UI, side: "transcript" }, { columns: 80, rows: 24 }).side,
	).toBe("tree");
});

test("a click above or below the panes changes nothing", () => {
	for (const y of [0, 1, 34, 35, 99]) expect(after({ x: 100, y, button: "left" })).toBe(FIRST_UI);
});

test("the wheel scrolls the pane under it, which need not have the keys", () => {
	const up = after({ x: 100, y: 10, button: "wheel_up" });
	expect(up.side).toBe("tree");
	expect(up.scroll.is).toBe("at");
	expect(after({ x: 100, y: 10, button: "wheel_down" }, up).scroll.is).toBe("end");
});

test("while a box is open the wheel is the box's, and a click does nothing", () => {
	const help = opened(FIRST_UI, "help");
	expect(after({ x: 100, y: 10, button: "left" }, help)).toEqual(help);
	expect(after({ x: 100, y: 10, button: "wheel_down" }, help).open).toMatchObject({ name: "help", top: 3 });
});
