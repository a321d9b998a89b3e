import { expect, test } from "vitest";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import type { TranscriptEntry } from "../../../../src/core/schemas/transcript.ts";
import { itemMarkup, type TranscriptPageView } from "../../../../src/faces/html/transcript-markup.ts";
import { agentJoined, T0 } from "../../record/fabricate.ts";
import {
	answer,
	call,
	charge,
	commandEnded,
	commandStarted,
	itemsOf,
	result,
	retrying,
	say,
	turnFailed,
	turnStarted,
	words,
} from "../../view/transcript/record-of.ts";

/** The markup of each item. */
function markupOf(
	events: readonly RunEvent[],
	entries: readonly TranscriptEntry[],
	changes: Partial<TranscriptPageView> & { endedAt?: number } = {},
): string[] {
	const pathOf = (log: string) => `1/${log}`;
	const moment = { now: T0 + 2_020, isOver: changes.endedAt !== undefined };
	const view: TranscriptPageView = { room: 1, ...moment, pathOf, tailOf: () => undefined, ...changes };
	return itemsOf(events, entries, changes).map((item) => itemMarkup(item, view).text.trim());
}

test("the task stands above, other words of a person are quoted, and a turn says why it ended if not as usual", () => {
	const cut = { ...answer(1_000, 1, say("half")), stopReason: "max_tokens" } as TranscriptEntry;
	expect(markupOf([], [words(0, " do it\n"), words(0, "and <more>"), cut])).toEqual([
		"<blockquote><pre>and &#60;more&#62;</pre></blockquote>",
		"<h4>turn 1 <time>20:15:31</time> <small>1.0k in / 80 out, $0.0100 · max_tokens</small></h4>",
		'<pre class="said">half</pre>',
	]);
});

test("a broken call is told by its turn, with its error, and what had come of its answer is folded", () => {
	const note = { role: "note", note: "call", at: T0 + 2_000, turn: 1, reason: "cut", ...charge } as const;
	const notes: TranscriptEntry[] = [
		{ ...note, outcome: "retried", partial: "I wi" },
		{ ...note, outcome: "failed" },
	];
	const events = [turnStarted(0, 1), retrying(1_500, 1, 1), turnFailed(1_800, 1, "overloaded")];
	expect(markupOf(events, notes)).toEqual([
		"<h4>turn 1 <time>20:15:30</time> <small>failed after 1s · 1.0k in / 80 out, $0.0100</small></h4>",
		'<p class="note"><time>20:15:31</time> turn 1: 1st retry in 2 s: busy (1.0k in / 80 out, $0.0100)</p>',
		'<p class="note"><time>20:15:31</time> <span class="bad">turn 1 failed: overloaded</span></p>',
		'<details class="note"><summary><time>20:15:32</time> partial answer</summary><pre>I wi</pre></details>',
		"",
	]);
	expect(markupOf([], notes).join("\n")).toContain("a call broke off and was retried: cut");
});

test("commands without results have their agents, the end of their output, and how they stand", () => {
	const stopped = {
		...commandEnded(2_010, 2),
		end: { by: "timeout", afterMs: 2_000 },
		outputBytes: 70_000,
	} as RunEvent;
	const events = [
		...[commandStarted(10, 1, "t1"), agentJoined("1.1", T0 + 15, { command: 1 })],
		...[commandStarted(10, 2, "t2"), stopped],
	];
	const tailOf = (log: string) =>
		log === "out/0002.log" ? { text: "\u001b[31mlast\u001b[0m\n", isCut: true, bytes: 70_000 } : undefined;
	const entries = [answer(5, 1, call("t1", "agent x"), call("t2", "yes"), call("t3", "date"))];
	expect(markupOf(events, entries, { tailOf }).slice(1)).toEqual([
		'<div class="command"><pre class="call">agent x</pre><p class="facts">command 1: running · 2s · 1/out/0001.log · agents <a href="#agent-1.1">1.1</a></p></div>',
		'<div class="command"><pre class="call">yes</pre><p class="note">earlier output omitted</p><pre class="output">last</pre><p class="facts">command 2: <span class="bad">timed out after 2 s</span> · 2s · 68 KiB printed · 1/out/0002.log</p></div>',
		'<div class="command"><pre class="call">date</pre><p class="facts">not started yet</p></div>',
	]);
	const over = markupOf(events, entries, { tailOf, endedAt: 3_000 });
	expect([over[1], over[3]].map((markup) => /<p class="facts">([^·<]*)/.exec(markup ?? "")?.[1])).toEqual([
		"command 1: cut off, end unknown ",
		"not started",
	]);
});

test("a result of an agent that was interrupted finds its command by its call", () => {
	const events = [
		commandStarted(0, 1, "t1"),
		{ ...commandEnded(2_000, 1), end: { by: "stopped", reason: "its agent ended" } } as RunEvent,
	];
	expect(markupOf(events, [answer(0, 1, call("t1", "make")), result(9_000, "t1", "(interrupted)")])[1]).toBe(
		'<div class="command"><pre class="call">make</pre><pre class="output">(interrupted)</pre><p class="facts">command 1: <span class="bad">stopped: its agent ended</span> · 2s · 7 bytes printed · 1/out/0001.log</p></div>',
	);
});
