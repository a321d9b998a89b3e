import { expect, test } from "vitest";
import type { Agent } from "../../../../src/core/agent.ts";
import type { CallNote } from "../../../../src/core/transcript.ts";
import type { Block } from "../../../../src/dashboard/panes/block.ts";
import { type BlockWindow, scrollBy, windowLines } from "../../../../src/dashboard/panes/block-window.ts";
import { historyBlocks } from "../../../../src/dashboard/panes/history-blocks.ts";
import {
	type AgentHistory,
	emptyHistory,
	withCommandEnd,
	withDelta,
	withEntries,
	withRunning,
	withTail,
} from "../../../../src/dashboard/scene/agent-history.ts";
import { END, TOP } from "../../../../src/dashboard/scene/ui-state.ts";
import {
	agentEnded,
	answered,
	asked,
	BUSY_RUN,
	calls,
	commandStarted,
	joined,
	replay,
	resulted,
	runStarted,
	STARTED_AT,
} from "../../../fixtures/dashboard-run.ts";

const EMPTY = emptyHistory("1");

function windowOf(
	history: AgentHistory,
	agent?: Agent,
	size = { width: 40, height: 1_000 },
	children: readonly Agent[] = [],
): BlockWindow {
	return { blocks: historyBlocks(history, { agent, children, now: STARTED_AT + 10_000 }), ...size };
}

function textOf(history: AgentHistory, agent?: Agent): string[] {
	return windowLines(windowOf(history, agent), TOP).map((line) => line.map(({ text }) => text).join(""));
}

function agentRunning(...commands: string[]): Agent {
	const started = commands.map((text, index) => commandStarted("1", 2_000, text, index + 1));
	const agent = replay([runStarted(), joined("1", 100, "the task"), ...started]).agents["1"];
	if (agent === undefined) throw new Error("it has joined");
	return agent;
}

test("before anything is recorded the task is shown", () => {
	expect(textOf(EMPTY, agentRunning())).toEqual(["the task", ""]);
});

test("results stand below their calls, whatever their order", () => {
	const one = resulted("t1", 1, "one");
	const two = resulted("t2", 2, "two\n[exit status 3]", 3);
	const both = {
		...one,
		content: [...two.content, ...one.content],
		commands: [...(two.commands ?? []), ...(one.commands ?? [])],
	};
	const history = withEntries(EMPTY, [asked("go"), answered(1, [calls("t1", "first"), calls("t2", "second")]), both]);
	expect(textOf(history)).toEqual([
		"go",
		"",
		...["$ first", "│ one", "└ exit status 0", ""],
		...["$ second", "│ two", "└ exit status 3", ""],
	]);
});

// Seen to fail when the line after an answer was taken for its results.
test("notes between an answer and its results part them no more than they are a message", () => {
	const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 };
	const call = { role: "note", note: "call", at: STARTED_AT, turn: 1, usage, costUsd: null } as const;
	const note: CallNote = { ...call, outcome: "failed", reason: "cut", partial: "half" };
	const asking = withEntries(EMPTY, [asked("go"), answered(1, [calls("t1", "first")]), note]);
	const failed = ["↻ a call failed: cut (10 in / 5 out,", "  cost unknown)", "  half", ""];
	expect(textOf(asking)).toEqual(["go", "", ...failed, "$ first", ""]);
	expect(textOf(withEntries(asking, [resulted("t1", 1, "one")]))).toEqual([
		...["go", "", "$ first", "│ one", "└ exit status 0", ""],
		...failed,
	]);
});

test("pieces of two calls are two commands, though nothing comes between", () => {
	const piece = (text: string, block: number) => ({ kind: "command", text, block }) as const;
	const first = withDelta(withDelta(EMPTY, 1, piece("l", 1)), 1, piece("s", 1));
	expect(textOf(withDelta(first, 1, piece("pwd", 2)))).toEqual(["$ ls", "", "$ pwd", ""]);
});

test("a command that runs stands below its call with its output so far, and once only", () => {
	const agent = agentRunning("sleep 9", "make");
	const asking = [asked("go"), answered(1, [calls("t1", "make"), calls("t2", "sleep 9")])];
	const history = withTail(withRunning(withEntries(EMPTY, asking), agent), 2, "cc a.c\n", false);
	expect(textOf(history, agent)).toEqual([
		"go",
		"",
		...["$ make", "│ cc a.c", "└ running 8s", ""],
		...["$ sleep 9", "└ running 8s", ""],
	]);
	const recorded = withEntries(history, [resulted("t1", 2, "cc a.c")]);
	expect(recorded.commands.map(({ command }) => command)).toEqual([1]);
});

test("a command that has ended keeps its output until its result is recorded", () => {
	const history = withTail(withRunning(EMPTY, agentRunning("make")), 1, "cc a.c\n", true);
	const end = { by: "signal", signal: "SIGKILL" } as const;
	const ended = withCommandEnd(history, {
		event: "command_ended",
		at: STARTED_AT,
		agent: "1",
		command: 1,
		end,
		outputBytes: 7,
		leftRunning: [],
	});
	expect(textOf(ended, agentRunning())).toEqual([
		"the task",
		"",
		...["$ make", "│ … earlier output left out", "│ cc a.c", "└ killed by SIGKILL", ""],
	]);
});

test("no command of an agent that is over is shown as running", () => {
	const agent = BUSY_RUN.agents["1.2"];
	const history = withRunning(emptyHistory("1.2"), agent ?? agentRunning());
	const over = replay([agentEnded("1.2", 9_000, { by: "killed", signal: "SIGKILL" })], BUSY_RUN).agents["1.2"];
	expect(textOf(history, over)).toEqual(["report on test", "", "$ npm test", "└ no result", "", "✗ killed by SIGKILL"]);
});

test("an answer is shown while it streams, and once it is recorded only as recorded", () => {
	let history = withEntries(EMPTY, [asked("go")]);
	for (const text of ["I ", "think"]) history = withDelta(history, 1, { kind: "thinking", text });
	for (const text of ["Now ", "this:"]) history = withDelta(history, 1, { kind: "text", text });
	history = withDelta(history, 1, { kind: "command", text: "ls -" });
	expect(textOf(history)).toEqual(["go", "", "I think", "", "Now this:", "", "$ ls -", ""]);
	history = withEntries(history, [answered(1, [{ type: "text", text: "Now this: done." }])]);
	expect(textOf(history)).toEqual(["go", "", "Now this: done.", ""]);
	expect(withDelta(history, 1, { kind: "text", text: "late" })).toBe(history);
});

test("pieces of a new turn replace those of a turn that failed", () => {
	const failed = withDelta(EMPTY, 1, { kind: "text", text: "cut o" });
	expect(textOf(withDelta(failed, 2, { kind: "text", text: "again" }))).toEqual(["again", ""]);
});

test("words are wrapped at blanks, output where the line is full, a wide character never in two", () => {
	const words = answered(1, [
		{ type: "text", text: "a few words that do not fit into forty columns" },
		calls("t", "x"),
	]);
	const result = resulted("t", 1, `${"0123456789".repeat(4)}\n${"漢".repeat(20)}`);
	expect(textOf(withEntries(EMPTY, [asked("go"), words, result]))).toEqual([
		"go",
		"",
		"a few words that do not fit into forty",
		"columns",
		"",
		"$ x",
		"│ 01234567890123456789012345678901234567",
		"│ 89",
		`│ ${"漢".repeat(19)}`,
		"│ 漢",
		"└ exit status 0",
		"",
	]);
});

test("scrolling goes line by line through all blocks, and sticks to the end", () => {
	const entries = Array.from({ length: 9 }, (_, turn) =>
		answered(turn + 1, [{ type: "text", text: `a${turn}\nb${turn}` }]),
	);
	const window = windowOf(withEntries(EMPTY, [asked("go"), ...entries]), undefined, { width: 40, height: 5 });
	const all = windowLines({ ...window, height: 1_000 }, TOP);
	let scroll = scrollBy(window, TOP, 0);
	for (let top = 0; top < all.length - window.height; top++) {
		expect(windowLines(window, scroll)).toEqual(all.slice(top, top + window.height));
		expect(scrollBy(window, scroll, -top)).toEqual(TOP);
		scroll = scrollBy(window, scroll, 1);
	}
	expect(scroll).toEqual(END);
	expect(windowLines(window, END)).toEqual(all.slice(-window.height));
	expect(windowLines(window, scrollBy(window, END, -3))).toEqual(all.slice(-window.height - 3, -3));
});

test("what is short needs no scrolling: every place is the end", () => {
	const window = windowOf(withEntries(EMPTY, [asked("go")]));
	for (const lines of [-10, -1, 0, 1, 10]) expect(scrollBy(window, END, lines)).toEqual(END);
	expect(scrollBy(window, TOP, 0)).toEqual(END);
});

test("below a command that runs stand the agents that it has started, and no others", () => {
	const events = [
		...[runStarted(), joined("1", 100, "t"), commandStarted("1", 1_000, "agent one & agent two", 4)],
		...[joined("1.1", 1_500, "before", 3), joined("1.2", 2_000, "one", 4), joined("1.3", 2_100, "two", 4)],
	];
	const { agents } = replay(events);
	const children = ["1.1", "1.2", "1.3"].flatMap((id) => agents[id] ?? []);
	const history = agents["1"] === undefined ? EMPTY : withRunning(EMPTY, agents["1"]);
	const lines = windowLines(windowOf(history, agents["1"], undefined, children), TOP);
	const text = lines.map((line) => line.map((piece) => piece.text).join(""));
	expect(text.slice(-4)).toEqual(["$ agent one & agent two", "→ 1.2, 1.3", "└ running 9s", ""]);
});

test("of 100,000 blocks only those around the pane are wrapped", () => {
	let reads = 0;
	const block = (): Block => ({
		get text() {
			reads++;
			return "some words";
		},
		...{ tone: "plain", mark: "", bar: "" },
	});
	const window: BlockWindow = { blocks: Array.from({ length: 100_000 }, block), width: 40, height: 20 };
	const up = scrollBy(window, scrollBy(window, END, -20), -20);
	expect(windowLines(window, up).length).toBe(20);
	expect(reads).toBeLessThan(100);
});
