import { expect, test } from "vitest";
import type { TranscriptEntry } from "../../../../src/core/model/transcript.ts";
import { type HistoryView, historyMarkup } from "../../../../src/faces/html/history.ts";
import { AgentStory, type StoryOf } from "../../../../src/view/agent-story.ts";
import { NO_AGENT_NOTICES } from "../../../../src/view/events/agent-notices.ts";
import { type CommandSpan, EMPTY_TIMELINE } from "../../../../src/view/timeline.ts";
import { T0 } from "../../record/fabricate.ts";

const usage = { input: 200, output: 80, cacheRead: 0, cacheWrite: 0 };

function historyOf(entries: readonly TranscriptEntry[], changes: Partial<StoryOf & HistoryView> = {}): string[] {
	const pathOf = (log: string) => `1/${log}`;
	const view: HistoryView = { room: 1, isOver: true, pathOf, tailOf: () => undefined, ...changes };
	const story = new AgentStory({ task: "do it", timeline: EMPTY_TIMELINE, agentNotices: NO_AGENT_NOTICES, ...changes });
	const items = [...entries.map((entry) => story.entry(entry)), story.rest()];
	return items.map((some) =>
		some
			.map((item) => historyMarkup(item, view).text)
			.join("")
			.trim(),
	);
}

const call = (id: string, command: string) => ({ type: "tool_use", id, name: "bash", input: { command } }) as const;
const answer = (at: number, ...content: Extract<TranscriptEntry, { role: "assistant" }>["content"]) =>
	({ role: "assistant", content, at, turn: 1, model: "m", stopReason: "max_tokens", usage, costUsd: 0.5 }) as const;
const span = (command: number, changes: Partial<CommandSpan> = {}): CommandSpan => {
	const facts = {
		toolUseId: `t${command}`,
		text: `cmd ${command}`,
		log: `out/000${command}.log`,
		waits: [],
		children: [],
	};
	return { from: T0, to: T0 + 2_000, command, end: undefined, outputBytes: undefined, ...facts, ...changes };
};

test("the task stands above, other words of a person are quoted, and a turn says why it ended if not as usual", () => {
	const said = (text: string): TranscriptEntry => ({ role: "user", at: T0, content: [{ type: "text", text }] });
	const text = { type: "text", text: "half" } as const;
	expect(historyOf([said(" do it\n"), said("and <more>"), answer(T0 + 1_000, text)])).toEqual([
		"",
		"<blockquote><pre>and &#60;more&#62;</pre></blockquote>",
		`<h4>turn 1 <time>20:15:31</time> <small>200 in / 80 out, $0.5000 · max_tokens</small></h4>\n<pre class="said">half</pre>`,
		"",
	]);
});

test("a broken call is told by its turn, with its error, and what had come of its answer is folded", () => {
	const note = { role: "note", note: "call", at: T0 + 2_000, turn: 1, reason: "cut", usage, costUsd: 0 } as const;
	const notes: TranscriptEntry[] = [
		{ ...note, outcome: "retried", partial: "I wi" },
		{ ...note, outcome: "failed" },
	];
	const happened = { at: T0 + 1_500, text: "turn 1: retrying", isTrouble: false };
	const end = { by: "failure", reason: "overloaded", usage, costUsd: null } as const;
	const turn = { from: T0, to: T0 + 1_800, turn: 1, purpose: undefined, retries: [], end };
	const told = { timeline: { ...EMPTY_TIMELINE, turns: [turn] }, agentNotices: { list: [happened], more: 3 } };
	expect(historyOf(notes, told).map((markup) => markup.split("\n"))).toEqual([
		[
			"<h4>turn 1 <time>20:15:30</time> <small>failed after 1s · 200 in / 80 out, cost unknown</small></h4>",
			'<p class="note"><time>20:15:31</time> turn 1: retrying</p>',
			'<p class="note"><time>20:15:31</time> <span class="bad">turn 1 failed: overloaded</span></p>',
			`<details class="note"><summary><time>20:15:32</time> what had come of the answer</summary><pre>I wi</pre></details>`,
		],
		[""],
		[""],
	]);
	expect(historyOf(notes).join("\n")).toContain("a call broke, and was made again: cut");
});

test("commands without results have their agents, the end of their output, and how they stand", () => {
	const commands = [
		span(1, { children: ["1.1"] }),
		span(2, { end: { by: "timeout", afterMs: 2_000 }, outputBytes: 70_000 }),
	];
	const tailOf = (log: string) =>
		log === "out/0002.log" ? { text: "\u001b[31mlast\u001b[0m\n", isCut: true, bytes: 70_000 } : undefined;
	const open = { timeline: { ...EMPTY_TIMELINE, commands }, tailOf, isOver: false };
	expect(
		historyOf([answer(T0, call("t1", "agent x"), call("t2", "yes"), call("t3", "date"))], open)[1]?.split("</div>\n"),
	).toEqual([
		'<div class="command"><pre class="call">agent x</pre><p class="facts">command 1: is running · 2s · 1/out/0001.log · agents <a href="#agent-1.1">1.1</a></p>',
		'<div class="command"><pre class="call">yes</pre><p class="note">earlier output is left out here</p><pre class="output">last</pre><p class="facts">command 2: <span class="bad">timed out after 2 s</span> · 2s · 68 KiB printed · 1/out/0002.log</p>',
		'<div class="command"><pre class="call">date</pre><p class="facts">not started</p></div>',
	]);
	expect(historyOf([], { ...open, isOver: true })[0]).toContain("command 1: its end is not known · 2s");
});

test("a result of an agent that was interrupted finds its command by its call", () => {
	const result = { type: "tool_result", tool_use_id: "t1", content: "(interrupted)" } as const;
	const timeline = {
		...EMPTY_TIMELINE,
		commands: [span(1, { end: { by: "stopped", reason: "its agent ended" } })],
	};
	const entries: TranscriptEntry[] = [
		answer(T0, call("t1", "make")),
		{ role: "user", at: T0 + 9_000, content: [result] },
	];
	expect(historyOf(entries, { timeline }).slice(1)).toEqual([
		'<div class="command"><pre class="call">make</pre><pre class="output">(interrupted)</pre><p class="facts">command 1: <span class="bad">stopped: its agent ended</span> · 2s · 1/out/0001.log</p></div>',
		"",
	]);
});
