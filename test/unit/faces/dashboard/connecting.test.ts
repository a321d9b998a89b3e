import { expect, test } from "vitest";
import { firstPicture } from "../../../../src/faces/dashboard/scene/scene.ts";
import { opened } from "../../../../src/faces/dashboard/scene/ui-state.ts";
import { Connecting, isShowable } from "../../../../src/faces/dashboard/show-dashboard.ts";
import { BUSY_RUN } from "../../../fixtures/dashboard-run.ts";
import { handClock } from "../../hand-clock.ts";

test("nothing is shown of a run that nobody has told of, and after a while that the dashboard waits", async () => {
	const clock = handClock();
	const connecting = new Connecting("/state/runs/20261128-061502-e380", clock);
	let calls = 0;
	connecting.begin(() => calls++);
	await clock.pass(149);
	expect([connecting.lines, calls]).toEqual([[], 0]);
	await clock.pass(1);
	expect([connecting.lines.flat().map(({ text }) => text), calls]).toEqual([[" connecting to run e380 …"], 1]);
});

test("a dashboard that closes meanwhile is not called", async () => {
	const clock = handClock();
	const callOff = new Connecting("/run", clock).begin(() => expect.unreachable());
	callOff();
	await clock.pass(1_000);
});

test("a run that was told of is shown, one that is lost, and what a person has opened", () => {
	const first = firstPicture("1", 0);
	expect(isShowable(first)).toBe(false);
	expect(isShowable({ ...first, run: BUSY_RUN })).toBe(true);
	expect(isShowable({ ...first, isLost: true })).toBe(true);
	expect(isShowable({ ...first, ui: opened(first.ui, "quit") })).toBe(true);
});
