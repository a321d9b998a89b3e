import { describe, expect, test } from "vitest";
import type { RunEvent } from "../../../../../src/core/schemas/run-event.ts";
import { eventFindPane, eventsPane } from "../../../../../src/faces/dashboard/panes/events.ts";
import type { Action } from "../../../../../src/faces/dashboard/scene/keys.ts";
import type { Scene } from "../../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI, opened, type UiState } from "../../../../../src/faces/dashboard/scene/ui-state.ts";
import { update } from "../../../../../src/faces/dashboard/update.ts";
import { lineWidth, type Size } from "../../../../../src/tui/text/line.ts";
import { MOST_EVENTS } from "../../../../../src/view/events/news.ts";
import { BUSY_AGENTS, pictureOf, sceneAfter } from "../../../../fixtures/busy-agents.ts";
import { agentEnded, runEnded, turnStarted } from "../../../../fixtures/dashboard-run.ts";
import { keyed } from "../../../../fixtures/keyed.ts";
import { randomEvents } from "../../../../fixtures/random-events.ts";
import { diceOf } from "../../../dice.ts";

const SIZES: readonly Size[] = [
	{ columns: 116, rows: 30 },
	{ columns: 76, rows: 18 },
	{ columns: 38, rows: 7 },
];
const UI: UiState = opened(FIRST_UI, "events");
const SMALL = { columns: 60, rows: 5 }; // five events, no line of keys
const BUSY = sceneAfter(BUSY_AGENTS, { ui: UI });

/** Each line without its blanks at the end; the one that the person is at begins with `>`. */
function drawn(scene: Scene, size: Size): string[] {
	return eventsPane.lines(scene, size).map((line) => {
		const text = line.map((piece) => piece.text).join("");
		return `${line.some((piece) => piece.isSelected) ? ">" : " "}${text}`.trimEnd();
	});
}

function uiAfter(scene: Scene, ...actions: Action[]): UiState {
	return actions.reduce((ui, action) => eventsPane.act(action, { ...scene, ui }, SMALL)?.ui ?? ui, scene.ui);
}

/** The texts of the events in the pane after these keys, the current one marked. */
function seen(scene: Scene, ...actions: Action[]): string[] {
	return drawn({ ...scene, ui: uiAfter(scene, ...actions) }, SMALL).map((line) => line.replace(/\d\d:\d\d:\d\d /, ""));
}

test.each(SIZES)("events are listed, at $columns×$rows", async (size) => {
	const scene = { ...BUSY, ui: uiAfter(BUSY, "up") };
	const title = eventsPane.title(scene, size, size.columns).map(({ text }) => text);
	const file = `snapshots/events-${size.columns}x${size.rows}.txt`;
	await expect(`${[title.join(""), ...drawn(scene, size)].join("\n")}\n`).toMatchFileSnapshot(file);
});

describe("the list", () => {
	const later = [turnStarted("1.1", 101_000, 7), turnStarted("1.1", 102_000, 8)];
	const andLater = sceneAfter([...BUSY_AGENTS, ...later], { ui: UI });

	test("stays at the newest event, until the person goes to another; then nothing moves", () => {
		expect(seen(BUSY).at(-1)).toMatch(/^>1.2.1 command 1 started/);
		expect(seen(andLater).at(-1)).toMatch(/^>1.1 .*turn 8 started/);
		const up = uiAfter(BUSY, "up", "up", "up");
		expect(seen({ ...andLater, ui: up })).toEqual(seen({ ...BUSY, ui: up }));
		expect(seen({ ...BUSY, ui: up })[1]).toMatch(/^>/);
		expect(seen(andLater, "up", "last")).toEqual(seen(andLater));
	});

	test("moves by lines, pages, halves and to its ends, and no further", () => {
		expect(seen(BUSY, "first")[0]).toMatch(/^>run .*started by supervisor/);
		expect(seen(BUSY, "first", "up")).toEqual(seen(BUSY, "first"));
		expect(seen(BUSY, "first", "down", "down")[2]).toMatch(/^>/);
		expect(seen(BUSY, "first", "page_down")).toEqual(seen(BUSY, "first", "down", "down", "down", "down"));
		expect(seen(BUSY, "first", "page_down", "page_up")).toEqual(seen(BUSY, "first"));
		expect(seen(BUSY, "half_up")).toEqual(seen(BUSY, "up", "up"));
		expect(seen(BUSY, "up", "up", "half_down")).toEqual(seen(BUSY));
	});

	test("goes on where it was when the events before are not kept any more", () => {
		const many = Array.from({ length: MOST_EVENTS }, (_, index) => turnStarted("1", index, index));
		const before = pictureOf(BUSY_AGENTS, { ui: UI });
		const at = { ...before, ui: uiAfter(sceneAfter(BUSY_AGENTS, { ui: UI }), "first") };
		const { picture } = update(at, { is: "events", events: many, changes: [] });
		expect(seen({ ...BUSY, ...picture })[0]).toMatch(/^>1 .*turn 0 started/);
	});
});

describe("filters", () => {
	test("leave only what is of the selected agent and of those below it", () => {
		const scene = { ...BUSY, ui: { ...UI, selected: "1.2" } };
		const lines = seen(scene, "of_branch");
		expect(lines.every((line) => / 1\.2/.test(line.replace(">", " ")))).toBe(true);
		expect(
			eventsPane
				.title({ ...scene, ui: uiAfter(scene, "of_branch") }, SMALL, SMALL.columns)
				.map(({ text }) => text)
				.join(""),
		).toBe("Events of 1.2 and below 12 (esc closes)");
		expect(seen(scene, "of_branch", "of_branch")).toEqual(seen(scene));
	});

	test("leave only what is notable", () => {
		expect(seen(BUSY, "of_notable").map((line) => line.slice(1, 30).trim())).toEqual([
			expect.stringMatching(/1.2 turn 1: 2nd retry in 20 s/),
			expect.stringMatching(/^1\.3 .*ended after \d+s: answer/),
			expect.stringMatching(/^1\.1 .*ended after \d+s: failure/),
			expect.stringMatching(/^1\.2 .*was paused/),
			expect.stringMatching(/^1\.2 was continued/),
		]);
	});

	test("that leave nothing say so", () => {
		const scene = sceneAfter(BUSY_AGENTS.slice(0, 2), { ui: UI });
		expect(seen(scene, "of_notable")[0]).toBe(" no events of this kind");
		expect(seen(sceneAfter([], { ui: UI }))[0]).toBe(" no events yet");
		expect(seen(sceneAfter([], { ui: UI, unreadable: "cannot read events.jsonl" }))[0]).toBe(
			" cannot read events.jsonl",
		);
	});
});

test("enter goes to the agent of the event, and closes the list", () => {
	const ui = uiAfter({ ...BUSY, ui: { ...UI, follow: { is: "on", since: 0 } } }, "choose");
	expect(ui).toEqual({ ...FIRST_UI, selected: "1.2.1" });
	const scene = sceneAfter([...BUSY_AGENTS, runEnded(99_000)], { ui: UI });
	expect(uiAfter(scene, "choose")).toEqual(FIRST_UI);
});

describe("a find", () => {
	const press = (...names: string[]) =>
		names.reduce(
			(picture, name) => update(picture, { is: "key", key: keyed(name) }).picture,
			pictureOf(BUSY_AGENTS, { ui: UI }),
		);
	const current = (picture: ReturnType<typeof press>) => {
		const { size } = picture;
		const scene = { ...BUSY, ...picture };
		return drawn(scene, { columns: 116, rows: size.rows }).find((line) => line.startsWith(">"));
	};

	test("goes to the newest match, n and N to the next and the one before, around the ends", () => {
		expect(current(press("/", ..."failure: n", "enter"))).toMatch(/1\.1 .*ended after 59s: failure/);
		const retry = ["/", ..."RETRY", "enter"];
		expect(current(press(...retry))).toMatch(/2nd retry/);
		expect(current(press(...retry, "N"))).toMatch(/1st retry/);
		expect(current(press(...retry, "N", "n"))).toMatch(/2nd retry/);
		expect(current(press(...retry, "n"))).toMatch(/1st retry/);
	});

	test("keeps the events in sight while it is typed; escape goes back to them, and one more closes them", () => {
		const typing = press("/", "t", "u");
		const lines = eventFindPane.lines({ ...BUSY, ...typing }, { columns: 60, rows: 6 });
		expect(lines).toHaveLength(6);
		expect(
			lines
				.at(-1)
				?.map(({ text }) => text)
				.join(""),
		).toContain("find: tu");
		expect(lines.flat().filter(({ style, text }) => style === "alert" && text === "tu")).not.toEqual([]);
		expect(press("/", "t", "escape").ui.open).toMatchObject({ name: "events" });
		expect(press("/", "t", "escape", "escape").ui.open).toEqual({ is: "none" });
	});

	test("that matches nothing stays where it is", () => {
		expect(current(press("/", "z", "z", "enter"))).toMatch(/1\.2\.1 .*command 1 started/);
	});
});

test("failures stand out", () => {
	const toneOf = (event: RunEvent) => eventsPane.lines(sceneAfter([event], { ui: UI }), SMALL)[0]?.[2]?.style;
	expect(toneOf(agentEnded("1.1", 1, { by: "failure", reason: "x", exitCode: 1 }))).toBe("bad");
	expect(toneOf(BUSY_AGENTS.find(({ event }) => event === "turn_retrying") as RunEvent)).toBe("warn");
	expect(toneOf(turnStarted("1", 1))).toBe("plain");
});

test("the whole text of the event is below the list", () => {
	const long = "x".repeat(90);
	const events = [agentEnded("1.1", 1, { by: "failure", reason: `${long} end`, exitCode: 1 })];
	const lines = drawn(sceneAfter(events, { ui: UI }), { columns: 76, rows: 14 });
	expect(lines.slice(-3, -1).join("").replaceAll(" ", "")).toBe(`ended:failure:${long}end`);
});

test("whatever is in the log, lines have their width and nothing that moves the cursor", () => {
	for (let seed = 1; seed <= 20; seed++) {
		const dice = diceOf(seed);
		const events = randomEvents(dice, 60);
		for (const size of [...SIZES, { columns: 1 + dice.roll(60), rows: 1 + dice.roll(16) }, { columns: 0, rows: 1 }]) {
			let scene = sceneAfter(events, { ui: UI });
			for (const action of ["up", "page_up", "of_branch", "find_next", "first", "of_notable", "choose"] as const) {
				const lines = eventsPane.lines(scene, size);
				expect(lines).toHaveLength(size.rows);
				expect(lines.filter((line) => lineWidth(line) > size.columns)).toEqual([]);
				expect(lines.flatMap((line) => line.map(({ text }) => text)).join("")).not.toMatch(/[\p{Cc}\u202e]/u);
				scene = { ...scene, ui: eventsPane.act(action, scene, size)?.ui ?? scene.ui };
			}
		}
	}
});
