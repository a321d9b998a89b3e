import { describe, expect, test } from "vitest";
import { type RunState, reduce } from "../../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../../src/core/schemas/run-event.ts";
import { sizeAt } from "../../../../../src/faces/dashboard/layout.ts";
import { treePane } from "../../../../../src/faces/dashboard/panes/tree.ts";
import { KEYS, LISTED_KEYS } from "../../../../../src/faces/dashboard/panes.ts";
import { emptyTranscript } from "../../../../../src/faces/dashboard/scene/agent-transcript.ts";
import { type Picture, sceneOf } from "../../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI } from "../../../../../src/faces/dashboard/scene/ui-state.ts";
import { update } from "../../../../../src/faces/dashboard/update.ts";
import { view } from "../../../../../src/faces/dashboard/view.ts";
import type { Line } from "../../../../../src/tui/text/line.ts";
import { NO_ACTIVITY } from "../../../../../src/view/agents/activity.ts";
import {
	agentEnded,
	commandStarted,
	joined,
	replay,
	runStarted,
	STARTED_AT,
	turnStarted,
} from "../../../../fixtures/dashboard-run.ts";
import { keyed } from "../../../../fixtures/keyed.ts";
import { press } from "../../../../fixtures/press-keys.ts";
import { SIXTY_ACTIVITY, SIXTY_ANSWERS, SIXTY_NOW, SIXTY_RUN } from "../../../../fixtures/sixty-agents.ts";

const SIZE = { columns: 120, rows: 36 };
const SIXTY: Picture = {
	...{
		run: SIXTY_RUN,
		ui: FIRST_UI,
		transcript: emptyTranscript("1"),
		events: [],
		isLost: false,
		size: SIZE,
		now: SIXTY_NOW,
	},
	...{ activity: SIXTY_ACTIVITY, answers: SIXTY_ANSWERS },
};

function event(picture: Picture, ...events: RunEvent[]): Picture {
	return events.reduce(
		(now, one) => update(now, { is: "messages", messages: [{ say: "event", event: one }] }).picture,
		picture,
	);
}

function treeLines(picture: Picture): { lines: readonly Line[]; selected: number[] } {
	const scene = sceneOf(picture, LISTED_KEYS);
	const lines = treePane.lines(scene, sizeAt(treePane.place, scene));
	return { lines, selected: lines.flatMap((line, at) => (line.some((piece) => piece.isSelected) ? [at] : [])) };
}

function idsShown(picture: Picture): string[] {
	return sceneOf(picture, LISTED_KEYS).rows.map(({ agent }) => agent.id);
}

describe("folding", () => {
	test.each([
		["right", "1.1", "goes to the first agent below an open row"],
		["down left", "1.1", "folds an open row"],
		["down left left", "1", "goes from a folded row to the agent above"],
		["down down left", "1.1", "goes from a row with nothing below to the agent above"],
		["down left right", "1.1", "unfolds again"],
		["down left right right", "1.1.1", "and goes in"],
		["left", "1", "folds the root, too"],
	])("after %s agent %s is selected: it %s", (keys, selected) => {
		expect(press(SIXTY, keys).ui.selected).toBe(selected);
	});

	test("- leaves the root and the agents right below it, * shows all", () => {
		expect(idsShown(press(SIXTY, "-"))).toEqual(["1", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"]);
		expect(idsShown(press(SIXTY, "- *")).length).toBe(61);
	});

	test("of all below the selected agent selects what hides it", () => {
		expect(press(SIXTY, "down down -").ui.selected).toBe("1.1");
	});

	test("does nothing to an agent without children, and tab takes the keys elsewhere", () => {
		expect(press(SIXTY, "end space right").ui.tree.folds.size).toBe(0);
		expect(press(SIXTY, "tab - * space").ui.tree.folds.size).toBe(0);
	});
});

describe("finished branches", () => {
	test("fold by themselves after 20 seconds, but for the root and for what is selected", () => {
		const inside = press(SIXTY, "! !"); // the failure in the folded branch
		expect(inside.ui.selected).toBe("1.2.7");
		expect(idsShown(SIXTY)).not.toContain("1.2.7");
		const docsEnded = 119_000;
		const at = (afterMs: number) => ({ ...SIXTY, now: STARTED_AT + docsEnded + afterMs });
		expect(idsShown(at(19_999))).toContain("1.5.1");
		expect(idsShown(at(20_000))).not.toContain("1.5.1");
		expect(idsShown({ ...at(20_000), ui: { ...FIRST_UI, selected: "1.5.3" } })).toContain("1.5.1");
		expect(idsShown({ ...at(20_000), ui: { ...FIRST_UI, selected: "1.5" } })).not.toContain("1.5.1");
	});

	test("stay as a person has folded or unfolded them", () => {
		const unfolded = press(SIXTY, "- * home");
		expect(idsShown(unfolded)).toContain("1.2.1");
		const folded = press(SIXTY, "down left");
		expect(idsShown({ ...folded, now: SIXTY_NOW + 60_000 })).not.toContain("1.1.1");
	});

	test("stay open when a person turns that off", () => {
		const off = press(SIXTY, "A");
		expect(off.ui.notice?.text).toBe("finished branches stay open");
		expect(idsShown(off)).toContain("1.2.1");
		expect(idsShown(press(off, "A"))).not.toContain("1.2.1");
	});

	test("do not fold any more once the run is over", () => {
		const ended = event(SIXTY, agentEnded("1", 126_000));
		expect(idsShown({ ...ended, now: SIXTY_NOW + 3_600_000 })).toEqual(idsShown(ended));
	});
});

describe("the selected row", () => {
	const middle = press(SIXTY, "down down down down down down down down down down");

	test("moves in the pane, which scrolls only at its edges", () => {
		const first = treeLines(SIXTY);
		expect(first.selected).toEqual([1]); // below the heads of the columns
		expect(treeLines(press(SIXTY, "down down")).selected).toEqual([3]);
		const { lines } = treeLines(press(SIXTY, "end"));
		const bottom = lines.length - 1;
		expect(treeLines(press(SIXTY, "end")).selected).toEqual([bottom]);
		expect(treeLines(press(SIXTY, "end up up")).selected).toEqual([bottom - 2]);
		expect(treeLines(press(SIXTY, "end pageup up")).selected).toEqual([1]);
	});

	test("stays where it is when rows appear, fold and go above it", () => {
		const low = press(SIXTY, "end up up up up up");
		const { lines, selected } = treeLines(low);
		const [before] = selected;
		expect(before).toBe(lines.length - 6);
		const more = event(low, joined("1.1.10", 125_500, "one more piece of area parser"));
		expect(idsShown(more).length).toBe(idsShown(low).length + 1);
		expect(treeLines(more).selected).toEqual([before]);
		const foldedLater = { ...low, now: STARTED_AT + 139_001 };
		expect(idsShown(foldedLater).length).toBe(idsShown(low).length - 9);
		expect(treeLines(foldedLater).selected).toEqual([before]);
	});

	test("stays where it is when the agent is folded and unfolded", () => {
		const selected = press(middle, "left").ui.selected;
		const [at] = treeLines(press(middle, "left")).selected;
		expect(selected).toBe("1.1");
		expect(treeLines(press(middle, "left left right")).selected).toEqual([1 + 1]);
		expect(treeLines(press(middle, "left space space")).selected).toEqual([at]);
	});

	test("is clicked, and the heads of the columns are not", () => {
		const scene = sceneOf(SIXTY, LISTED_KEYS);
		const size = sizeAt(treePane.place, scene);
		const clicked = (row: number) => treePane.click?.(scene, size, row)?.ui.selected;
		expect([clicked(1), clicked(2), clicked(4), clicked(0)]).toEqual(["1", "1.1", "1.1.2", undefined]);
		expect(clicked(500)).toBe(undefined);
	});
});

describe("a filter", () => {
	test("leaves what matches, and what is above that", () => {
		const failed = press(SIXTY, "F 'failed' enter");
		expect(idsShown(failed)).toEqual(["1", "1.1", "1.1.9", "1.2", "1.2.7", "1.4", "1.4.7"]);
		expect(failed.ui.selected).toBe("1.1.9");
	});

	// Seen to fail: the root, in whose task each word of its agents stands, stayed selected.
	test("selects the agent whose name it has, and not one above whose task or command has it, too", () => {
		expect(press(SIXTY, "F 'linker' enter").ui.selected).toBe("1.4");
		expect(press(SIXTY, "F '1.4.3' enter").ui.selected).toBe("1.4.3");
		expect(press(press(SIXTY, "F 'linker' enter"), "down F enter").ui.selected).toBe("1.4.1");
	});

	test("shows already what is typed, and is left as it was by escape", () => {
		const typing = press(SIXTY, "F 'failed'");
		expect(idsShown(typing).length).toBe(7);
		expect(press(typing, "escape").ui.tree).toEqual(SIXTY.ui.tree);
		const changing = press(SIXTY, "F 'failed' enter F");
		expect(changing.ui.open).toMatchObject({ entry: { text: "failed" } });
		expect(press(changing, "'x' escape").ui.tree.filter).toBe("failed");
	});

	test("that is pasted in several lines stays in the one of the title", () => {
		const pasted = update(press(SIXTY, "F"), { is: "key", key: { is: "paste", text: "piece\n\n3 linker\n" } }).picture;
		const scene = sceneOf(press(pasted, "enter"), LISTED_KEYS);
		expect(scene.rows.map(({ agent }) => agent.id)).toEqual(["1", "1.4", "1.4.3"]);
		const title = treePane.title(scene, { columns: 100, rows: 9 }, 100).map(({ text }) => text);
		expect(title.join("")).toBe('Tree  sort: tree  (filter "piece 3 linker": 1 of 61)');
	});

	test("goes with escape, by which folds come back; so does that of the living", () => {
		const folded = press(SIXTY, "down left");
		const filtered = press(folded, "F 'parser' enter a");
		expect(idsShown(filtered)).toContain("1.1.1");
		const cleared = press(filtered, "escape");
		expect([cleared.ui.tree.filter, cleared.ui.tree.isAliveOnly]).toEqual(["", false]);
		expect(idsShown(cleared)).not.toContain("1.1.1");
	});

	test("keeps the selected agent when it matches no more", () => {
		const alive = press(SIXTY, "down down a");
		const ended = event(alive, agentEnded("1.1.1", 126_000));
		expect(ended.ui.selected).toBe("1.1.1");
		expect(idsShown(ended)).toContain("1.1.1");
		expect(idsShown(press(ended, "down"))).not.toContain("1.1.1");
	});
});

describe("a list", () => {
	test("is sorted when a person asks for it, and no row moves by itself", () => {
		const byQuiet = press(SIXTY, "o");
		expect(idsShown(byQuiet)[0]).toBe("1.4.1");
		const later = event(byQuiet, joined("1.7", 126_000, "one more area"), turnStarted("1.3.6", 126_000));
		expect(idsShown(later)).toEqual([...idsShown(byQuiet), "1.7"]);
		const stuck = { ...later, activity: NO_ACTIVITY, now: SIXTY_NOW + 60_000 };
		expect(idsShown(stuck)[0]).toBe("1.4.1");
		expect(idsShown(press(stuck, "O"))[0]).not.toBe("1.4.1");
	});

	test("is shown from its top, and selects its first agent when the selected one is not there", () => {
		const byQuiet = press(press(SIXTY, "end"), "o");
		expect(byQuiet.ui.selected).toBe("1.4.1");
		expect(treeLines(byQuiet).selected).toEqual([1]);
		const byAge = press(SIXTY, "o o");
		expect([byAge.ui.selected, treeLines(byAge).selected]).toEqual(["1", [1]]);
	});

	test("comes by quiet, age, dollars and tokens, and then the tree again", () => {
		const orders = ["o", "o o", "o o o", "o o o o", "o o o o o"].map((keys) => press(SIXTY, keys).ui.tree.order);
		expect(orders.map((order) => (order.is === "list" ? order.by : order.is))).toEqual([
			...["quiet", "age", "dollars", "tokens", "tree"],
		]);
	});
});

describe("finding", () => {
	test("goes to the next and the previous match, round and round, and unfolds what hides it", () => {
		const found = (keys: string) => press(SIXTY, `- / 'piece 3' enter ${keys}`);
		expect(found("").ui.selected).toBe("1.1.3");
		expect(found("").ui.notice?.text).toBe('1 of 6: 1.1.3 has "piece 3"');
		expect(found("n").ui.selected).toBe("1.2.3");
		expect(found("n n n n n n").ui.selected).toBe("1.1.3");
		expect(found("N").ui.selected).toBe("1.6.3");
		expect(idsShown(found("n"))).not.toContain("1.3.1");
	});

	test("says when there is nothing", () => {
		expect(press(SIXTY, "/ 'nowhere' enter").ui).toMatchObject({
			...{ selected: "1", notice: { text: 'no agent has "nowhere"', tone: "warn" } },
		});
		expect(press(SIXTY, "n").ui.notice).toMatchObject({ text: "nothing to find: press / first" });
	});

	test("is for what has rows, while a filter or a list leaves others out", () => {
		expect(press(SIXTY, "F 'linker' enter / 'piece 3' enter n").ui.selected).toBe("1.4.3");
		expect(press(SIXTY, "o / 'piece 3' enter").ui.notice?.text).toBe('4 of 6: 1.2.3 has "piece 3"');
	});
});

describe("problems", () => {
	test("come one after the other, failed, stuck and retrying, also from folded branches and from the history", () => {
		const selected = (keys: string) => press(SIXTY, keys).ui.selected;
		expect(["!", "! !", "! ! !", "! ! ! !", "! ! ! ! !", "! ! ! ! ! !", "! ! ! ! ! ! !"].map(selected)).toEqual([
			...["1.1.9", "1.2.7", "1.3.4", "1.4.1", "1.4.3", "1.4.7", "1.1.9"],
		]);
		expect(selected("~")).toBe("1.4.7");
		expect(press(SIXTY, "tab ! !").ui).toMatchObject({ selected: "1.2.7", side: "transcript" });
		expect(press(SIXTY, "! ! ! !").ui.notice?.text).toBe("4 of 6: 1.4.1 silent for 1m50s");
	});

	test("that are not there are told so", () => {
		const run = replay([runStarted(), joined("1", 100, "all is well")]);
		const fine = press({ ...SIXTY, run, activity: NO_ACTIVITY }, "!");
		expect(fine.ui.notice).toMatchObject({
			text: "no agent has failed, is silent, or is retrying",
			tone: "warn",
		});
	});
});

/** mulberry32: the same numbers from the same seed, on every machine. */
function numbersFrom(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

const TASKS = ["piece 3 of area linker", "look at 文字 and 🌳", "", "x".repeat(300), "failed \u001b[31m once"];

function randomEvent(run: RunState, pick: (below: number) => number): RunEvent {
	const ids = Object.keys(run.agents);
	const id = ids[pick(ids.length)] ?? "1";
	const at = run.startedAt - STARTED_AT + pick(200) * 1_000;
	const children = ids.filter((other) => other.startsWith(`${id}.`) && !other.slice(id.length + 1).includes("."));
	switch (pick(6)) {
		case 0:
			return agentEnded(id, at, pick(2) === 0 ? { by: "answer" } : { by: "crashed", reason: "gone\nindeed" });
		case 1:
			return turnStarted(id, at, 1);
		case 2:
			return commandStarted(id, at, "make \u0007 all", pick(9) + 1);
		default:
			return joined(`${id}.${children.length + 1}`, at, TASKS[pick(TASKS.length)] ?? "");
	}
}

const SIZES = [
	{ columns: 120, rows: 36 },
	{ columns: 80, rows: 24 },
	{ columns: 40, rows: 10 },
	{ columns: 7, rows: 3 },
	{ columns: 200, rows: 8 },
];
const KEY_NAMES = KEYS.flatMap(({ names }) => names);
const TYPED = ["p", "f", "é", "文", " ", "backspace", "enter", "escape"];

test.each(Array.from({ length: 16 }, (_, seed) => seed))(
	"whatever happens and is pressed, the selected agent has a row (%i)",
	(seed) => {
		const pick = numbersFrom(seed);
		let picture: Picture = { ...SIXTY, run: replay([runStarted(), joined("1", 100, "root")]), activity: NO_ACTIVITY };
		for (let step = 0; step < 100; step++) {
			const run = pick(2) === 0 ? reduce(picture.run, randomEvent(picture.run, pick)) : picture.run;
			const size = pick(10) === 0 ? (SIZES[pick(SIZES.length)] ?? SIZE) : picture.size;
			picture = { ...picture, run, size, now: picture.now + pick(8_000) };
			const isTyping = picture.ui.open.is === "pane" && pick(2) === 0;
			const names = isTyping ? TYPED : KEY_NAMES;
			const name = names[pick(names.length)] ?? "j";
			picture = update(picture, { is: "key", key: keyed(name) }).picture;
			const { lines, selected } = treeLines(picture);
			const scene = sceneOf(picture, LISTED_KEYS);
			expect(run.agents[picture.ui.selected]).toBeDefined();
			expect([selected.length, lines.length <= sizeAt(treePane.place, scene).rows]).toEqual([1, true]);
			if (step % 4 === 0) expect(view(picture).length).toBe(picture.size.rows);
		}
	},
);
