import { expect, test } from "vitest";
import { agentLine, headLine, layOutRows, shortDuration } from "../../../../../src/faces/dashboard/panes/agent-line.ts";
import { LISTED_KEYS } from "../../../../../src/faces/dashboard/panes.ts";
import { emptyTranscript } from "../../../../../src/faces/dashboard/scene/agent-transcript.ts";
import { type Picture, type Scene, sceneOf } from "../../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI } from "../../../../../src/faces/dashboard/scene/ui-state.ts";
import { type Line, lineWidth } from "../../../../../src/tui/text/line.ts";
import { chain } from "../../../../fixtures/dashboard-run.ts";
import { press } from "../../../../fixtures/press-keys.ts";
import { SIXTY_ACTIVITY, SIXTY_ANSWERS, SIXTY_NOW, SIXTY_RUN } from "../../../../fixtures/sixty-agents.ts";

const SIXTY: Picture = {
	...{ run: SIXTY_RUN, ui: FIRST_UI, transcript: emptyTranscript("1"), events: [], isLost: false, now: SIXTY_NOW },
	...{ activity: SIXTY_ACTIVITY, answers: SIXTY_ANSWERS, size: { columns: 120, rows: 36 } },
};
const textOf = (line: Line) => line.map(({ text }) => text).join("");

function linesAt(width: number, scene: Scene): string[] {
	const layout = layOutRows(scene.rows, width, scene);
	return [headLine(layout, scene), ...scene.rows.map((row) => agentLine(row, layout, scene))].map(textOf);
}

function headsAt(width: number, keys = ""): string[] {
	return (linesAt(width, sceneOf(press(SIXTY, keys), LISTED_KEYS))[0] ?? "").trim().split(/\s+/);
}

test("what an agent is called and does is shown first, then its times, then its dollars", () => {
	expect(headsAt(36)).toEqual(["agent", "now"]);
	expect(headsAt(44)).toEqual(["agent", "for", "now"]);
	expect(headsAt(50)).toEqual(["agent", "for", "quiet", "now"]);
	expect(headsAt(60)).toEqual(["agent", "for", "quiet", "$", "now"]);
	expect(headsAt(120)).toEqual(["agent", "for", "quiet", "$", "now"]);
});

test("a list has the column that it is sorted by, however narrow the pane is", () => {
	expect(headsAt(36, "o")).toEqual(["agent", "quiet", "now"]);
	expect(headsAt(36, "o o")).toEqual(["agent", "age", "now"]);
	expect(headsAt(36, "o o o")).toEqual(["agent", "$", "now"]);
	expect(headsAt(36, "o o o o")).toEqual(["agent", "tokens", "now"]);
	expect(headsAt(120, "o o o o")).toEqual(["agent", "for", "quiet", "tokens", "now"]);
});

test("a run that costs nothing has no column for dollars", () => {
	const run = chain(2);
	const scene = sceneOf({ ...SIXTY, run }, LISTED_KEYS);
	expect(linesAt(80, scene)[0]?.trim().split(/\s+/)).toEqual(["agent", "for", "quiet", "now"]);
});

test("every line is as wide as the pane, however narrow or deep", () => {
	const deep = sceneOf({ ...SIXTY, run: chain(40) }, LISTED_KEYS);
	for (const scene of [sceneOf(SIXTY, LISTED_KEYS), deep])
		for (const width of [1, 7, 12, 20, 36, 44, 53, 60, 63, 78, 120])
			for (const line of linesAt(width, scene))
				expect(lineWidth([{ text: line, style: "plain" }])).toBeLessThanOrEqual(Math.max(width, 12));
});

test("of a deep tree the lines lose their beginning, and the number stays", () => {
	const scene = sceneOf({ ...SIXTY, run: chain(40) }, LISTED_KEYS);
	expect(linesAt(60, scene).at(-1)).toMatch(/^… +└─○ 1 level 40 /);
});

test("the numbers of siblings are aligned", () => {
	const lines = linesAt(80, sceneOf(SIXTY, LISTED_KEYS));
	expect(lines.find((line) => line.includes("piece 1"))).toMatch(/^│├─● 1 piece 1 /);
});

test("durations have at most five characters", () => {
	const times = [-1, 999, 59_000, 61_000, 3_599_000, 35_999_000, 36_000_000, 3_599_999_000, 3_600_000_000, 8e11];
	expect(times.map(shortDuration)).toEqual([
		...["0s", "0s", "59s", "1m01s", "59m59s", "9h59m", "10h", "999h", "41d", "9259d"],
	]);
});
