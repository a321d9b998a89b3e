import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../../src/core/limits/limits.ts";
import type { RunState } from "../../../../../src/core/run/run-state.ts";
import type { AgentFile } from "../../../../../src/core/schemas/run-files.ts";
import { detailsPane } from "../../../../../src/faces/dashboard/panes/details.ts";
import type { Action } from "../../../../../src/faces/dashboard/scene/keys.ts";
import { type Details, type Scene, sceneOf } from "../../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI, opened, select, type UiState } from "../../../../../src/faces/dashboard/scene/ui-state.ts";
import { lineWidth, type Size } from "../../../../../src/tui/text/line.ts";
import { BUSY_AGENTS, paused, pictureOf, sceneAfter } from "../../../../fixtures/busy-agents.ts";
import { turnEnded, turnStarted } from "../../../../fixtures/dashboard-run.ts";
import { randomEvents } from "../../../../fixtures/random-events.ts";
import { diceOf } from "../../../dice.ts";

const SIZES: readonly Size[] = [
	{ columns: 106, rows: 30 },
	{ columns: 76, rows: 18 },
	{ columns: 38, rows: 7 },
];
const TASK = `linker: fix what is broken

Begin with the symbol table, which loses names that are longer than 255 bytes. ${"Read the notes first. ".repeat(8)}
Then run all tests.
`;
const FILE: AgentFile = {
	...{ agent: "1.2", run: "20261127-201530-k3f9", parent: "1", task: TASK, cwd: "/work/project/linker" },
	...{ model: "claude-sonnet-5-5", effort: "high", system: "You are an agent.", appendSystemPrompt: "Be brief." },
	...{ limits: DEFAULT_LIMITS, joinedAt: 0 },
};
const DIRECTORY = "/home/user/.local/state/agentree/runs/20261127-201530-k3f9/1/2";
const KNOWN: Details = { agent: "1.2", directory: DIRECTORY, file: FILE };
const UI: UiState = opened(select(FIRST_UI, "1.2"), "details");

/** Agent 1.2 may have three children at once and take 12 turns, within the dollars of the run. */
function limited(run: RunState): RunState {
	const [root, linker] = [run.agents["1"], run.agents["1.2"]];
	if (root === undefined || linker === undefined) throw new Error("no such agents");
	const limits = { ...DEFAULT_LIMITS, maxDepth: 2, maxBudgetUsd: 2 };
	const own = { ...limits, maxChildren: 3, maxTurns: 12 };
	const linked = { ...linker, limits: own, contextTokens: 12_400, windowTokens: 200_000 };
	return { ...run, agents: { ...run.agents, "1": { ...root, limits: { ...limits, maxDepth: 3 } }, "1.2": linked } };
}

const picture = pictureOf([...BUSY_AGENTS, turnStarted("1.2.1", 90_000), turnEnded("1.2.1", 95_000)]);
const SCENE = sceneOf({ ...picture, run: limited(picture.run), ui: UI, details: KNOWN }, []);

function drawn(scene: Scene, size: Size): string[] {
	const lines = [detailsPane.title(scene, size, size.columns), ...detailsPane.lines(scene, size).slice(0, size.rows)];
	return lines.map((line) => line.map(({ text }) => text).join(""));
}

/** What stands behind a name, with the lines that go on with it. */
function factIn(scene: Scene, name: string): string {
	const lines = drawn(scene, { columns: 106, rows: 99 }).slice(1);
	const first = lines.findIndex((line) => line.startsWith(`${name} `));
	const end = lines.findIndex((line, at) => at > first && !line.startsWith(" "));
	return first < 0
		? ""
		: lines
				.slice(first, end < 0 ? undefined : end)
				.map((line) => line.slice(11))
				.join("|");
}

test.each(SIZES)("an agent's details, at $columns×$rows", async (size) => {
	const file = `snapshots/details-${size.columns}x${size.rows}.txt`;
	await expect(`${drawn(SCENE, size).join("\n")}\n`).toMatchFileSnapshot(file);
});

describe("the facts", () => {
	test("have the whole task as soon as its file was read, until then its beginning", () => {
		expect(factIn(SCENE, "task").replaceAll("|", "\n")).toContain("\n\nBegin with the symbol table");
		expect(factIn(SCENE, "task")).toMatch(/Then run all tests\.$/);
		expect(factIn({ ...SCENE, details: { ...KNOWN, agent: "1.1" } }, "task")).toBe("linker: fix what is broken");
		const { file: _, ...unreadable } = { ...KNOWN, file: undefined };
		expect(factIn({ ...SCENE, details: { ...unreadable, file: undefined } }, "task")).toBe(
			"linker: fix what is broken|(agent.json cannot be read)",
		);
	});

	test("tell the limits that somebody has set before the others, and what is left of budgets", () => {
		expect(factIn(SCENE, "limits")).toMatch(
			/^max-children 3, max-turns 12, max-budget-usd \$2\|default: max-depth 2, /,
		);
		expect(factIn(SCENE, "budget")).toBe("of the run: $0.072 of $2, $1.93 left");
		expect(factIn(sceneAfter(BUSY_AGENTS, { ui: UI }), "limits")).toMatch(/max-turns 50/);
	});

	test("tell of an agent that is over which process it was, and how it ended", () => {
		const scene = { ...SCENE, ui: { ...UI, selected: "1.3" } };
		expect(factIn(scene, "process")).toMatch(/^pid \d+, started 2025-11-27 20:15:34$/);
		expect(factIn(scene, "state")).toBe("ended: answer");
	});

	test("tell the whole plan of an agent that keeps one", () => {
		const agent = SCENE.run.agents["1.2"];
		if (agent === undefined) throw new Error("no such agent");
		const todo = [{ text: "read", is: "done" } as const, { text: "write \u001b[31mit", is: "doing" } as const];
		const run = { ...SCENE.run, agents: { ...SCENE.run.agents, "1.2": { ...agent, todo } } };
		expect(factIn(sceneOf({ ...SCENE, run }, []), "plan")).toBe("1 [x] read|2 [>] write it");
		expect(factIn(SCENE, "plan")).toBe("");
	});

	test("tell the commands that run", () => {
		const scene = { ...SCENE, ui: { ...UI, selected: "1.2.1" } };
		expect(factIn(scene, "running")).toBe("command 1, pid 49000, for 12s: make linker");
		expect(factIn({ ...scene, ui: { ...UI, selected: "1.3" } }, "running")).toBe("");
	});

	test("tell who has paused the agent", () => {
		const scene = sceneAfter([...BUSY_AGENTS, paused("1", 96_000)], { ui: UI });
		expect(factIn(scene, "paused")).toBe("2025-11-27 20:17:06 by you, with all below 1");
	});

	test("are few for an agent that is not there yet", () => {
		const scene = sceneAfter(BUSY_AGENTS, { ui: { ...UI, selected: "1.9" } });
		expect(drawn(scene, { columns: 60, rows: 9 }).slice(1)).toEqual(["agent 1.9 has not joined yet".padEnd(60)]);
	});
});

describe("scrolling", () => {
	const size = { columns: 38, rows: 7 };
	const uiAfter = (scene: Scene, at: Size, ...actions: Action[]) =>
		actions.reduce((ui, action) => detailsPane.act(action, { ...scene, ui }, at)?.ui ?? ui, scene.ui);
	const firstLine = (ui: UiState) => drawn({ ...SCENE, ui }, size)[1];

	test("shows the rest of what does not fit, and no more", () => {
		const [, first, second] = drawn(SCENE, { columns: 38, rows: 99 });
		expect(firstLine(uiAfter(SCENE, size, "down"))).toBe(second);
		expect(firstLine(uiAfter(SCENE, size, "down", "up", "up"))).toBe(first);
		const end = drawn({ ...SCENE, ui: uiAfter(SCENE, size, "last", "down") }, size);
		expect(end).toHaveLength(8);
		expect(end.at(-1)).toBe(drawn(SCENE, { columns: 38, rows: 99 }).at(-1));
		expect(uiAfter(SCENE, size, "page_down", "page_up")).toEqual(uiAfter(SCENE, size, "first"));
	});

	test("another agent is read from its beginning", () => {
		const ui = select(uiAfter(SCENE, size, "page_down"), "1.1");
		expect(firstLine(ui)).toMatch(/^state +ended: failure/);
	});

	test("is left to the tree when all fits, which then chooses the agent", () => {
		expect(detailsPane.act("down", SCENE, { columns: 106, rows: 60 })).toBeUndefined();
	});
});

test("whatever agents are called, lines have their width and nothing that moves the cursor", () => {
	for (let seed = 1; seed <= 30; seed++) {
		const dice = diceOf(seed);
		const scene = sceneAfter(randomEvents(dice, 60), { ui: { ...UI, selected: "1.1" }, details: KNOWN });
		for (const size of [...SIZES, { columns: 12 + dice.roll(60), rows: 1 + dice.roll(16) }]) {
			const lines = detailsPane.lines(scene, size);
			expect(lines.filter((line) => lineWidth(line) > size.columns)).toEqual([]);
			expect(lines.flatMap((line) => line.map(({ text }) => text)).join("")).not.toMatch(/[\p{Cc}\u202e]/u);
		}
	}
});
