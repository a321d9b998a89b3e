import { describe, expect, test } from "vitest";
import { MARKS } from "../../../../../src/faces/dashboard/panes/agent-mark.ts";
import { BAR_MARKS, barSegments, timelinePane } from "../../../../../src/faces/dashboard/panes/timeline.ts";
import type { Scene } from "../../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI, opened, type UiState } from "../../../../../src/faces/dashboard/scene/ui-state.ts";
import { inCharset } from "../../../../../src/tui/screen/cell-frame.ts";
import { lineWidth, type Size } from "../../../../../src/tui/text/line.ts";
import { cellsOf, spansOf } from "../../../../../src/view/timeline/phases.ts";
import { BUSY_AGENTS, phasesOf, pictureOf, sceneAfter } from "../../../../fixtures/busy-agents.ts";
import { joined, replay, runStarted, STARTED_AT } from "../../../../fixtures/dashboard-run.ts";
import { randomEvents } from "../../../../fixtures/random-events.ts";
import { diceOf } from "../../../dice.ts";

const SIZES: readonly Size[] = [
	{ columns: 116, rows: 30 },
	{ columns: 76, rows: 18 },
	{ columns: 38, rows: 7 },
];
const UI: UiState = { ...opened(FIRST_UI, "timeline"), selected: "1.2" };
const BUSY = sceneAfter(BUSY_AGENTS, { ui: UI });

function drawn(scene: Scene, size: Size): string[] {
	const lines = [timelinePane.title(scene, size, size.columns), ...timelinePane.lines(scene, size)];
	return lines.map((line) => line.map(({ text, isSelected }) => (isSelected ? `>${text.slice(1)}` : text)).join(""));
}

test.each(SIZES)("bars show what each agent did when, at $columns×$rows", async (size) => {
	const file = `snapshots/timeline-${size.columns}x${size.rows}.txt`;
	const lines = drawn({ ...BUSY, ui: { ...UI, selected: "1.1" } }, size);
	await expect(`${lines.map((line) => `${line}|`).join("\n")}\n`).toMatchFileSnapshot(file);
});

test("each phase has a character of its own", () => {
	const characters = Object.values(BAR_MARKS).map(({ character }) => character);
	expect(new Set([...characters, " "]).size).toBe(characters.length + 1);
	const plain = characters.map((character) => inCharset(character, 1, "ascii")); // for a terminal without Unicode
	expect(new Set([...plain, " "]).size).toBe(plain.length + 1);
	const inTree = Object.values(MARKS).map(({ glyph }) => inCharset(glyph, 1, "ascii"));
	expect(new Set(inTree).size).toBe(inTree.length);
});

describe("a bar", () => {
	const shown = { from: 0, to: 100 };
	const text = (...spans: Parameters<typeof cellsOf>[0]) =>
		barSegments(cellsOf(spans, shown, 10))
			.map((piece) => piece.text)
			.join("");

	test("shows of each moment what took most of it, and nothing before the agent was there", () => {
		const spans = [
			{ from: 20, to: 36, phase: "queued" },
			{ from: 36, to: 60, phase: "thinking" },
			{ from: 60, to: 62, phase: "running" },
			{ from: 62, to: 64, phase: "thinking" },
			{ from: 64, to: 68, phase: "running" },
			{ from: 68, to: 200, phase: "waiting" },
		] as const;
		expect(text(...spans)).toBe("  ░░▄▄█───");
	});

	test("shows each end, however short its agent lived, and nothing behind it until the agent is resumed", () => {
		expect(text({ from: 41, to: 42, phase: "running" }, { from: 42, to: 100, phase: "failed" })).toBe("    ✗     ");
		expect(text({ from: 100, to: 100, phase: "answered" })).toBe("         ✓");
		const again = { from: 70, to: 100, phase: "queued" } as const;
		expect(text({ from: 5, to: 70, phase: "answered" }, again)).toBe("✓      ░░░");
	});

	test("shows nothing of what is not in the time shown", () => {
		expect(text({ from: -50, to: -1, phase: "running" }, { from: -1, to: 200, phase: "answered" })).toBe(
			" ".repeat(10),
		);
	});
});

describe("keys", () => {
	const size = { columns: 76, rows: 18 };
	const uiAfter = (scene: Scene, ...actions: Parameters<typeof timelinePane.act>[0][]) =>
		actions.reduce((ui, action) => timelinePane.act(action, { ...scene, ui }, size)?.ui ?? ui, scene.ui);

	test("move the selection of the tree", () => {
		expect(uiAfter(BUSY, "down").selected).toBe("1.2.1");
		expect(uiAfter(BUSY, "up").selected).toBe("1.1");
		expect([uiAfter(BUSY, "first").selected, uiAfter(BUSY, "last").selected]).toEqual(["1", "1.3"]);
		expect([uiAfter(BUSY, "page_up").selected, uiAfter(BUSY, "page_down").selected]).toEqual(["1", "1.3"]);
		expect(uiAfter({ ...BUSY, ui: { ...UI, follow: { is: "on", since: 0 } } }, "down").follow).toEqual({ is: "off" });
	});

	test("enter gives the keys to the history of the selected agent", () => {
		expect(uiAfter(BUSY, "choose")).toEqual({ ...UI, side: "transcript", open: { is: "none" } });
	});

	test("zoom, move and reset the time, which the title says", () => {
		const titleAfter = (...actions: Parameters<typeof uiAfter>[1][]) =>
			drawn({ ...BUSY, ui: uiAfter(BUSY, ...actions) }, size)[0];
		expect(titleAfter()).toBe("Timeline 20:15:30 – 20:17:10, 1m40s (esc closes)");
		expect(titleAfter("zoom_in")).toBe("Timeline 20:16:20 – 20:17:10, 50s (esc closes)");
		expect(titleAfter("zoom_in", "earlier", "earlier")).toBe("Timeline 20:15:55 – 20:16:45, 50s (esc closes)");
		expect(titleAfter("zoom_in", "earlier", "earlier", "later", "follow")).toBe(titleAfter("zoom_in"));
		expect(titleAfter("zoom_in", "earlier", "whole_time")).toBe(titleAfter());
		expect(titleAfter("zoom_in", "zoom_out")).toBe(titleAfter());
	});

	test("what else the screen's keys do is left to it", () => {
		for (const action of ["leave", "cancel", "zoom", "open"] as const)
			expect(timelinePane.act(action, BUSY, size)).toBeUndefined();
	});
});

test("of many agents those around the selected one are shown", () => {
	const ids = Array.from({ length: 300 }, (_, index) => `1.${index + 1}`);
	const events = [runStarted(), joined("1", 0, "all"), ...ids.map((id, index) => joined(id, index, `part ${id}`))];
	for (const selected of ["1", "1.1", "1.150", "1.300"]) {
		const lines = drawn(sceneAfter(events, { ui: { ...UI, selected } }), { columns: 38, rows: 7 });
		expect(lines.filter((line) => line.startsWith(">")).map((line) => line.slice(1, selected.length))).toEqual([
			selected.slice(1),
		]);
	}
});

test("a run of which nothing is known yet has a timeline, too", () => {
	const lines = drawn(sceneAfter([], { now: STARTED_AT }), { columns: 38, rows: 7 });
	expect(lines).toHaveLength(8);
});

test("whatever happens in a run, no line is longer than the pane, and bars have exactly their width", () => {
	for (let seed = 1; seed <= 60; seed++) {
		const dice = diceOf(seed);
		const events = randomEvents(dice, 80);
		const picture = pictureOf(events, { ui: UI, now: STARTED_AT + dice.roll(400_000) });
		for (const size of [...SIZES, { columns: 1 + dice.roll(60), rows: 1 + dice.roll(12) }, { columns: 0, rows: 1 }]) {
			const scene = sceneAfter(events, { ui: picture.ui, now: picture.now });
			const lines = timelinePane.lines(scene, size);
			expect(lines.length).toBeLessThanOrEqual(Math.max(3, size.rows));
			expect(lines.filter((line) => lineWidth(line) > Math.max(size.columns, 1))).toEqual([]);
		}
		for (const agent of Object.values(replay(events).agents)) {
			const shown = { from: STARTED_AT + dice.roll(50_000), to: STARTED_AT + 50_000 + dice.roll(90_000) };
			const spans = spansOf(phasesOf(events), agent, picture.now);
			for (const columns of [0, 1, 7, 78]) {
				const cells = cellsOf(spans, shown, columns);
				expect(lineWidth(barSegments(cells))).toBe(columns);
			}
		}
	}
});
