import { expect, test } from "vitest";
import type { RunEvent } from "../../../../../src/core/schemas/run-event.ts";
import { lastEventsLine } from "../../../../../src/faces/dashboard/panes/footer.ts";
import { emptyTranscript } from "../../../../../src/faces/dashboard/scene/agent-transcript.ts";
import { sceneOf } from "../../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI } from "../../../../../src/faces/dashboard/scene/ui-state.ts";
import { NO_ACTIVITY } from "../../../../../src/view/agents/activity.ts";
import { agentEnded, BUSY_RUN, runEnded, STARTED_AT } from "../../../../fixtures/dashboard-run.ts";

const CLOCK = /\d\d:\d\d:\d\d/g; // local time
const failed = (agent: string, reason: string) => agentEnded(agent, 1_000, { by: "failure", reason, exitCode: 1 });

function lineOf(events: readonly RunEvent[], columns: number): string {
	const common = {
		run: BUSY_RUN,
		ui: FIRST_UI,
		transcript: emptyTranscript("1"),
		activity: NO_ACTIVITY,
		isLost: false,
		now: STARTED_AT,
	};
	const line = lastEventsLine(sceneOf({ ...common, events, size: { columns, rows: 24 } }, []), columns);
	return line
		.map(({ text }) => text)
		.join("")
		.trimEnd()
		.replaceAll(CLOCK, "12:00:00");
}

const toldOf = (events: readonly RunEvent[], columns: number) =>
	lineOf(events, columns).replace(/ +\(e: all events\)$/, "");

test("the newest comes first, and others follow; the last is cut where it has to be", () => {
	const events = [failed("1.2", "no such file"), failed("1.1.3", "no route to the host"), runEnded(2_000)];
	const [first, second] = [" 12:00:00 run ended: answer", "   12:00:00 1.1.3 FAILED: no route to the host"];
	const third = "   12:00:00 1.2 FAILED: no such file";
	expect(toldOf(events, (first + second + third).length)).toBe(first + second + third);
	expect(toldOf(events, (first + second + third).length - 1)).toBe(`${first + second}${third.slice(0, -2)}…`);
	expect(toldOf(events, (first + second).length + 32)).toBe(`${first + second}${third.slice(0, 31)}…`);
	expect(toldOf(events, (first + second).length + 31)).toBe(first + second);
	expect(toldOf(events, first.length)).toBe(first);
	expect(toldOf(events, 20)).toBe(" 12:00:00 run ended…");
	expect(toldOf([], 120)).toBe("");
});

test("at the right stands the key that shows all, where there is room", () => {
	const told = " 12:00:00 run ended: answer";
	const width = told.length + 18;
	expect(lineOf([runEnded(2_000)], width)).toBe(`${told}  (e: all events)`);
	expect(lineOf([runEnded(2_000)], width - 1)).toBe(told);
	expect(lineOf([runEnded(2_000)], width + 5)).toBe(`${told}${" ".repeat(7)}(e: all events)`);
});

test("nothing of it moves the cursor or is of an unknown width", () => {
	expect(lineOf([failed("1.1", "a\u001b[5;5Hb \u200d 👩‍💻 c")], 60)).not.toMatch(/[\u001b\u200d]/);
});
