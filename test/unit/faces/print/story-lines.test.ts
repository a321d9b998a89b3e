import { expect, test } from "vitest";
import type { AssistantBlock } from "../../../../src/core/model/message.ts";
import type { CallNote } from "../../../../src/core/model/transcript.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import { EventLines } from "../../../../src/faces/print/event-lines.ts";
import { PLAIN } from "../../../../src/faces/print/paint.ts";
import { endingLines, standingLines, storyLines, turnTitle } from "../../../../src/faces/print/story-lines.ts";
import type { StoryView } from "../../../../src/faces/print/story-view.ts";
import type { StoryItem, ToldTurn } from "../../../../src/view/agent-story.ts";
import { agentJoined, runStarted, T0 } from "../../record/fabricate.ts";

const usage = { input: 200, output: 80, cacheRead: 900, cacheWrite: 100 };

function viewWith(changes: Partial<StoryView> = {}): StoryView {
	return {
		...{ paint: PLAIN, columns: undefined, now: T0 + 12_000, isOver: true, isWhole: false, ref: "RUN/1" },
		pathOf: (log) => `1/${log}`,
		tailOf: () => undefined,
		...changes,
	};
}

const lines = (item: StoryItem, changes: Partial<StoryView> = {}) => storyLines(item, viewWith(changes));
const said = (block: unknown) => lines({ is: "said", block: block as Exclude<AssistantBlock, { type: "tool_use" }> });
const note = (changes: Partial<CallNote>, isKnown = false) => {
	const call = {
		role: "note",
		note: "call",
		at: T0,
		turn: 1,
		outcome: "retried",
		reason: "cut",
		usage,
		costUsd: null,
	} as const;
	return lines({ is: "note", note: { ...call, ...changes }, isKnown });
};

test("a turn says when it began, how long it took, what it used, and why it ended if not as usual", () => {
	const span = { from: T0, to: T0 + 2_000, turn: 2, retries: [], end: undefined };
	const facts = { at: T0 + 2_000, turn: 2, model: "m", stopReason: "end_turn", usage, costUsd: 0.0123 };
	const answer: ToldTurn["answer"] = { role: "assistant", content: [], ...facts };
	const title = (told: Partial<ToldTurn>, changes: Partial<StoryView> = {}) =>
		turnTitle({ turn: 2, span, answer: undefined, ...told }, viewWith(changes)).join("|");
	const free = { ...answer, usage: NO_USAGE, costUsd: 0 };
	expect(title({ answer })).toBe("turn 2  20:15:30  took 2s, 1.2k in / 80 out, $0.0123");
	expect(title({ answer, span: undefined })).toBe("turn 2  20:15:32  1.2k in / 80 out, $0.0123");
	expect(title({ answer: { ...free, stopReason: "max_tokens" } })).toBe("turn 2  20:15:30  took 2s, max_tokens");
	const failed = { by: "failure", reason: "x", usage: NO_USAGE, costUsd: null } as const;
	expect(title({ span: { ...span, end: failed } })).toBe(
		"turn 2  20:15:30  failed after 2s, 0 in / 0 out, cost unknown",
	);
	expect(title({ answer }, { columns: 40 })).toBe(
		"turn 2  20:15:30  took 2s, 1.2k in / 80|                  out, $0.0123",
	);
	expect(title({}, { isOver: false })).toBe("turn 2  20:15:30  under way for 2s");
	expect(title({ span: { ...span, end: { by: "cut_off" } } })).toBe("turn 2  20:15:30  cut off after 2s");
});

test("what happened is a line with its time, broken at the terminal's width", () => {
	const agentNotice = { at: T0, text: "turn 2: retrying 1st time in 1 s:\noverloaded", isTrouble: false };
	expect(lines({ is: "happened", agentNotice }, { columns: 40 })).toEqual([
		"-- 20:15:30  turn 2: retrying 1st time",
		"             in 1 s: overloaded",
	]);
});

test("thinking is told from text without colours", () => {
	expect(said({ type: "thinking", thinking: "First.\nThen.", signature: "" })).toEqual([
		"(thinking) First.",
		"           Then.",
	]);
	expect(said({ type: "text", text: "Done.\n\n" })).toEqual(["Done."]);
	expect(said({ type: "redacted_thinking", data: "x" })).toEqual(["(thinking that the service does not show)"]);
	expect(said({ type: "server_dance" })).toEqual(["(server_dance)"]);
});

test("words are quoted, and a message says whose it is", () => {
	expect(lines({ is: "told", at: T0, text: "go on\n\nplease", sender: undefined })).toEqual([
		"",
		"> go on",
		"> ",
		"> please",
	]);
	expect(lines({ is: "told", at: T0, text: "look", sender: "agent 1.2" })).toEqual([
		"",
		"== 20:15:30  message from agent 1.2 ==",
		"> look",
	]);
});

test("a compaction is a mark with both counts, its summary below", () => {
	const compaction = { role: "note", note: "compaction", at: T0, turn: 3, how: "summary", keptMessages: 4 } as const;
	const summary = "Asked to count.\u001b[2J\nDone: src.\n";
	const counted = { ...compaction, summary, tokensBefore: 812_000, tokensAfter: 45_200 };
	expect(lines({ is: "note", note: counted, isKnown: false })).toEqual([
		"",
		"== 20:15:30  older rounds replaced by a summary: 812.0k → 45.2k tokens ==",
		"   Asked to count.",
		"   Done: src.",
	]);
});

test("a resumption is a mark that says how it had ended", () => {
	const resumed = { role: "note", note: "resumed", at: T0, reason: "stopped: Ctrl-C" } as const;
	expect(lines({ is: "note", note: resumed, isKnown: false })).toEqual([
		"",
		"== 20:15:30  the agent was stopped here (Ctrl-C); it goes on from here ==",
	]);
});

test.each<[Partial<CallNote>, string[]]>([
	[{ partial: "half" }, ["a call broke, and was made again: cut (1.2k in / 80 out, cost unknown)"]],
	[
		{ outcome: "failed", partial: "half\nof it" },
		["a call failed: cut (1.2k in / 80 out, cost unknown)", "half", "of it"],
	],
	[{ outcome: "cancelled", usage: NO_USAGE, costUsd: 0 }, ["a call was cancelled: cut"]],
	[{ outcome: "compaction", costUsd: 0.01 }, ["a call wrote the summary (1.2k in / 80 out, $0.0100)"]],
])("a call that gave no message, %j, is a line", (changes, [line, ...below]) => {
	expect(note(changes)).toEqual([`-- 20:15:30  ${line}`, ...below.map((words) => `   ${words}`)]);
});

test("of a call that its turn tells only what had come of its answer is told", () => {
	expect(note({ partial: "half" }, true)).toEqual([]);
	expect(note({ outcome: "failed" }, true)).toEqual([]);
	expect(note({ outcome: "failed", partial: "half" }, true)).toEqual([
		"-- 20:15:30  what had come of the answer",
		"   half",
	]);
});

test("the cause of an ending is never cut, and an error that stands right above is not told again", () => {
	const reason = `overloaded ${"very ".repeat(30)}much`;
	const ending = { by: "failure", reason, exitCode: 1 } as const;
	const rows = endingLines(ending, T0, { view: viewWith({ columns: 60 }) });
	expect(rows.every((row) => row.length <= 60)).toBe(true);
	expect(rows.join(" ").replaceAll(/\s+/g, " ")).toBe(` ended 20:15:30 failure: ${reason}`);
	expect(endingLines(ending, T0, { view: viewWith(), known: reason })).toEqual([
		"",
		"ended  20:15:30  failure, by the error above",
	]);
	expect(endingLines(ending, T0, { view: viewWith(), known: "another" })[1]).toContain(reason);
});

test("an agent that lives says what it does now", () => {
	const { agents } = [runStarted(), agentJoined("1", T0)].reduce(reduce, EMPTY_RUN);
	expect(agents["1"] && standingLines(agents["1"], viewWith())).toEqual(["", "now    20:15:42  queued 12s"]);
});

test("nothing that a terminal obeys comes out of what agents say", () => {
	const evil = "\u001b]52;c;aGk=\u0007\u001b[2J\u009b1m\rx\u0008";
	const all = [
		...said({ type: "text", text: evil }),
		...said({ type: "thinking", thinking: evil, signature: "" }),
		...said({ type: evil }),
		...lines({ is: "told", at: T0, text: evil, sender: evil }),
		...lines({ is: "happened", agentNotice: { at: T0, text: evil, isTrouble: true } }),
		...lines({
			is: "command",
			callId: "a",
			text: evil,
			command: 1,
			span: undefined,
			result: evil,
			end: { by: "stopped", reason: evil },
			outputBytes: 1,
			log: undefined,
		}),
		...endingLines({ by: "crashed", reason: evil }, T0, { view: viewWith() }),
		new EventLines({ paint: PLAIN, columns: () => undefined }).line({
			event: "agent_stopping",
			at: T0,
			agent: "1",
			reason: evil,
		}),
	];
	expect(all.join("")).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/);
});
