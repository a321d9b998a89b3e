import { describe, expect, test } from "vitest";
import { sizeAt } from "../../../../../../src/faces/dashboard/layout.ts";
import { transcriptPane } from "../../../../../../src/faces/dashboard/panes/transcript/transcript.ts";
import { LISTED_KEYS } from "../../../../../../src/faces/dashboard/panes.ts";
import { pressKey } from "../../../../../../src/faces/dashboard/press.ts";
import { emptyTranscript } from "../../../../../../src/faces/dashboard/scene/agent-transcript.ts";
import { type Picture, sceneOf } from "../../../../../../src/faces/dashboard/scene/scene.ts";
import { END, FIRST_UI, TOP } from "../../../../../../src/faces/dashboard/scene/ui-state.ts";
import { NO_ACTIVITY } from "../../../../../../src/view/agents/activity.ts";
import {
	agentEnded,
	answered,
	asked,
	BUSY_RUN,
	calls,
	ROOT_ENTRIES,
	replay,
	resulted,
	STARTED_AT,
} from "../../../../../fixtures/dashboard-run.ts";
import { keyed } from "../../../../../fixtures/keyed.ts";
import { transcriptOf } from "../../../../../fixtures/shown-transcript.ts";

const ROOT = BUSY_RUN.agents["1"];
const TRANSCRIPT = transcriptOf("1", { entries: ROOT_ENTRIES, running: ROOT });
const BUSY: Picture = {
	...{
		run: BUSY_RUN,
		ui: { ...FIRST_UI, side: "transcript" },
		transcript: TRANSCRIPT,
		events: [],
		activity: NO_ACTIVITY,
	},
	...{ isLost: false, size: { columns: 120, rows: 36 }, now: STARTED_AT + 95_000 },
};

function press(picture: Picture, keys: string): Picture {
	let next = picture;
	for (const key of keys.split(" ")) next = refocused({ ...next, ui: pressKey(next, keyed(key)).ui });
	return next;
}

function refocused(picture: Picture): Picture {
	const { selected } = picture.ui;
	return selected === picture.transcript.agent ? picture : { ...picture, transcript: emptyTranscript(selected) };
}

/** The rows, a selected one with `>` before it, what is marked as found in brackets. */
function shown(picture: Picture): string[] {
	const scene = sceneOf(picture, LISTED_KEYS);
	return transcriptPane.lines(scene, sizeAt(transcriptPane.place, scene)).map((line) => {
		const text = line.map((piece) => (piece.style === "alert" ? `[${piece.text}]` : piece.text)).join("");
		return `${line.some(({ isSelected }) => isSelected) ? ">" : ""}${text}`;
	});
}

const links = (picture: Picture) => shown(picture).filter((row) => row.includes("→ 1."));

describe("rows that lead to agents", () => {
	test("the first one in the pane is marked, ] and [ mark others, and only while the history has the keys", () => {
		expect(links(BUSY).map((row) => row.slice(0, 12).trimEnd())).toEqual([
			">→ 1.1 src ◌",
			"→ 1.2 test ●",
			"→ 1.3 docs ✗",
		]);
		expect(links(press(BUSY, "] ]")).findIndex((row) => row.startsWith(">"))).toBe(2);
		expect(links(press(BUSY, "] ] [")).findIndex((row) => row.startsWith(">"))).toBe(1);
		expect(press(BUSY, "] ] ]").ui.notice?.text).toBe("no agent was started below this line");
		expect(links({ ...BUSY, ui: { ...BUSY.ui, side: "tree" } }).some((row) => row.startsWith(">"))).toBe(false);
	});

	test("enter goes in, and backspace back to the place and the mark", () => {
		const there = press(BUSY, "pageup ] enter");
		expect([there.ui.selected, there.transcript.agent, there.ui.scroll]).toEqual(["1.2", "1.2", END]);
		const back = press(there, "backspace");
		expect([back.ui.selected, back.ui.cameFrom]).toEqual(["1", []]);
		expect(shown({ ...back, transcript: TRANSCRIPT })).toEqual(shown(press(BUSY, "pageup ]")));
	});

	test("backspace without a way back goes to the agent above, to the row that leads here", () => {
		const below = refocused({ ...BUSY, ui: { ...BUSY.ui, selected: "1.2" } });
		const up = press(below, "backspace");
		expect(up.ui.selected).toBe("1");
		expect(shown({ ...up, transcript: TRANSCRIPT })[1]).toMatch(/^>→ 1\.2 test/);
		expect(press({ ...up, transcript: TRANSCRIPT }, "enter").ui.selected).toBe("1.2");
		expect(press(up, "backspace").ui.notice?.text).toBe("there is no agent above the root");
	});

	test("another selection in the tree forgets the way back", () => {
		const moved = press(press(BUSY, "enter"), "tab j");
		expect(moved.ui.cameFrom).toEqual([]);
	});

	test("without such a row enter says so", () => {
		const transcript = transcriptOf("1", { entries: [asked("go")] });
		expect(press({ ...BUSY, transcript }, "enter").ui.notice?.text).toMatch(/^no agent link here/);
	});

	test("a click on one goes in, and a click elsewhere does not", () => {
		const scene = sceneOf(BUSY, LISTED_KEYS);
		const size = sizeAt(transcriptPane.place, scene);
		const row = shown(BUSY).findIndex((text) => text.startsWith("→ 1.3"));
		expect(transcriptPane.click?.(scene, size, row)?.ui.selected).toBe("1.3");
		expect(transcriptPane.click?.(scene, size, row - 5)).toBeUndefined();
	});
});

describe("a find", () => {
	const said = (turn: number, text: string) => answered(turn, [{ type: "text", text }]);
	const transcript = transcriptOf("1", {
		entries: [
			asked("look for it"),
			said(1, `The **need**\`le\` is one needle here.\n${"filler\n".repeat(60)}`),
			answered(2, [calls("t", "grep needle")]),
			resulted("t", 1, `${"hay\n".repeat(60)}a NEEDLE\n`),
		],
	});
	const finding = (keys: string): Picture => {
		const ui = { ...BUSY.ui, find: { text: "needle" }, scroll: TOP };
		return press({ ...BUSY, transcript, ui }, keys);
	};
	const matched = (picture: Picture) => shown(picture).filter((row) => row.includes("["));

	test("goes from match to match, marks them, and goes round", () => {
		expect(matched(finding("n"))).toEqual(["  The [need][le] is one [needle] here."]);
		const third = finding("n n n");
		expect(third.ui.find?.match).toMatchObject({ key: "call:t", column: 5 });
		expect(matched(third)).toEqual(["$ grep [needle]"]);
		const last = finding("n n n n");
		expect(matched(last)).toEqual(["│ a [NEEDLE]"]);
		expect(shown(press(last, "n"))).toEqual(shown(finding("n")));
		expect(press(last, "n").ui.notice?.text).toBe("continued from the beginning");
		expect(press(last, "N").ui.find?.match).toMatchObject({ key: "call:t" });
		expect(finding("N").ui.find?.match).toMatchObject({ key: "said:1.0", column: 18 });
		expect(matched(finding("N N N"))).toEqual(["│ a [NEEDLE]"]);
	});

	test("goes on from where the reader has gone meanwhile", () => {
		expect(finding("n end N").ui.find?.match).toMatchObject({ key: "call:t.output" });
		expect(finding("end N home n").ui.find?.match).toMatchObject({ key: "said:1.0", column: 4 });
	});

	test("marks a match that goes over the end of a row, in both rows", () => {
		const words = transcriptOf("1", {
			entries: [said(1, `${"word ".repeat(9)}\n- ${"item ".repeat(8)}here, and there`)],
		});
		const ui = { ...BUSY.ui, find: { text: "here, and" }, scroll: TOP };
		const rows = shown({ ...BUSY, transcript: words, ui });
		expect(rows.filter((row) => row.includes("["))).toEqual([
			"  - item item item item item item item item [here,]",
			"    [and] there",
		]);
	});

	test("of what is not there says so", () => {
		const ui = { ...BUSY.ui, find: { text: "(nothing" } };
		expect(press({ ...BUSY, ui }, "n").ui.notice?.text).toBe('not found in the loaded part: "(nothing"');
	});
});

describe("what a person takes out", () => {
	const step = (picture: Picture, keys: string) => {
		const names = keys.split(" ");
		return pressKey(
			names.length > 1 ? press(picture, names.slice(0, -1).join(" ")) : picture,
			keyed(names.at(-1) ?? ""),
		);
	};

	test("o opens the output of the command that is read: at the end of the history the last one", () => {
		expect(step(BUSY, "o").wish).toEqual({ is: "read", what: { is: "output", agent: "1", command: 2 } });
		const low = { ...BUSY, size: { columns: 120, rows: 16 } };
		expect(step(low, "home o").wish).toEqual({ is: "read", what: { is: "output", agent: "1", command: 1 } });
	});

	test("o where no command is, and O, open the history as it is shown", () => {
		const transcript = transcriptOf("1", {
			entries: [asked("go\non"), answered(1, [{ type: "text", text: "All **done**.\u001b[2J" }])],
		});
		const text = "go\non\n\nturn 1 · 3.6k in / 300 out, $0.0120 · 20:15:31\n  All **done**.\n\n";
		for (const key of ["o", "O"])
			expect(step({ ...BUSY, transcript }, key).wish).toEqual({ is: "read", what: { is: "text", text } });
		const whole = step(BUSY, "O").wish;
		const read = whole?.is === "read" && whole.what.is === "text" ? whole.what.text : "";
		expect(read).toContain('$ for d in src test docs; do agent "report on $d" & done; wait\n→ 1.1 src ◌ 1m31s');
	});

	test("y copies the answer of an agent that gave one, also while the tree has the keys", () => {
		const over = replay([agentEnded("1", 94_000)], BUSY_RUN);
		const entries = [...ROOT_ENTRIES, answered(3, [{ type: "text", text: "the answer" }])];
		const transcript = transcriptOf("1", { entries });
		const picture = { ...BUSY, run: over, transcript, ui: FIRST_UI };
		expect(step(picture, "y").wish).toEqual({ is: "copy", agent: "1", text: "the answer" });
		expect(step({ ...picture, run: BUSY_RUN }, "y")).toMatchObject({
			ui: { notice: { text: "1 has no answer to copy" } },
		});
	});
});
