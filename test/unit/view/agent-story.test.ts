import { expect, test } from "vitest";
import type { AssistantBlock } from "../../../src/core/model/message.ts";
import { INTERRUPTED_BY_PERSON, toldText } from "../../../src/core/model/told-message.ts";
import type { TranscriptEntry } from "../../../src/core/model/transcript.ts";
import { NO_USAGE } from "../../../src/core/model/usage.ts";
import { AgentStory, type StoryItem, type StoryOf } from "../../../src/view/agent-story.ts";
import { NO_AGENT_NOTICES } from "../../../src/view/events/agent-notices.ts";
import { type CommandSpan, EMPTY_TIMELINE, type TurnEnd, type TurnSpan } from "../../../src/view/timeline.ts";

const ANSWER: TurnEnd = { by: "answer", stopReason: "end_turn", usage: NO_USAGE, costUsd: 0 };
const FAILURE: TurnEnd = { by: "failure", reason: "over\nloaded", usage: NO_USAGE, costUsd: 0 };

const turn = (from: number, to: number, changes: Partial<TurnSpan>): TurnSpan => {
	return { from, to, turn: 1, retries: [], end: undefined, ...changes };
};
const command = (number: number, changes: Partial<CommandSpan> = {}): CommandSpan => {
	const facts = { toolUseId: `t${number}`, text: `cmd ${number}`, log: `out/000${number}.log` };
	return {
		from: 1,
		to: 2,
		command: number,
		waits: [],
		end: undefined,
		outputBytes: undefined,
		children: [],
		...facts,
		...changes,
	};
};
const happened = (at: number, text: string) => ({ at, text, isTrouble: false });
const call = (id: string, text: string): AssistantBlock => {
	return { type: "tool_use", id, name: "bash", input: { command: text } };
};
const answer = (at: number, number: number, ...content: AssistantBlock[]): TranscriptEntry => {
	const facts = { turn: number, model: "m", stopReason: "end_turn", usage: NO_USAGE, costUsd: 0 };
	return { role: "assistant", content, at, ...facts };
};
const result = (at: number, id: string, content: string): TranscriptEntry => {
	return { role: "user", at, content: [{ type: "tool_result", tool_use_id: id, content }] };
};

/** Each item in a few words. */
function told(entries: readonly TranscriptEntry[], changes: Partial<StoryOf> = {}): string[] {
	const story = new AgentStory({ task: "do it", timeline: EMPTY_TIMELINE, agentNotices: NO_AGENT_NOTICES, ...changes });
	return [...entries.flatMap((entry) => story.entry(entry)), ...story.rest()].map(inWords);
}

function inWords(item: StoryItem): string {
	switch (item.is) {
		case "happened":
			return `${item.agentNotice.at} ${item.agentNotice.text}`;
		case "turn":
			return `turn ${item.turn} from ${item.span?.from}, ${item.answer === undefined ? (item.span?.end?.by ?? "open") : "answered"}`;
		case "said":
			return item.block.type === "text" ? item.block.text : item.block.type;
		case "told":
			return `> ${item.text}${item.sender === undefined ? "" : ` (${item.sender})`}`;
		case "note":
			return `note ${item.note.note}${item.isKnown ? ", known" : ""}`;
		case "command":
			return `$ ${item.text}: ${item.result} (${item.command}, ${item.log})`;
	}
}

test("what happened during a turn stands below its beginning, and a turn without an answer has its error", () => {
	const turns = [
		turn(10, 20, { end: ANSWER }),
		turn(30, 40, { turn: 2, end: ANSWER, purpose: "compaction" }),
		turn(50, 60, { turn: 2, end: FAILURE }),
		turn(70, 80, { turn: 2, end: ANSWER }),
		turn(90, 99, { turn: 3 }),
	];
	const list = [happened(5, "paused"), happened(15, "retrying"), happened(55, "retrying"), happened(95, "retrying")];
	const agentNotices = { list, more: 0 };
	const entries = [answer(20, 1, { type: "text", text: "one" }), answer(80, 2, { type: "text", text: "two" })];
	expect(told(entries, { timeline: { ...EMPTY_TIMELINE, turns }, agentNotices })).toEqual([
		"5 paused",
		"turn 1 from 10, answered",
		"15 retrying",
		"one",
		"turn 2 from 50, failure",
		"55 retrying",
		"60 turn 2 failed: over loaded",
		"turn 2 from 70, answered",
		"two",
		"turn 3 from 90, open",
		"95 retrying",
	]);
});

test("a turn that a killed supervisor left open does not hold back those after it", () => {
	const turns = [turn(10, 90, {}), turn(50, 60, { turn: 1, end: FAILURE })];
	const entries = [answer(80, 2, { type: "text", text: "two" })];
	expect(told(entries, { timeline: { ...EMPTY_TIMELINE, turns } })).toEqual([
		"turn 1 from 10, open",
		"turn 1 from 50, failure",
		"60 turn 1 failed: over loaded",
		"turn 2 from undefined, answered",
		"two",
	]);
});

test("results find their calls and commands, also those of an agent that was cut off, and the rest is told at the end", () => {
	const commands = [
		command(1),
		command(2),
		command(3, { toolUseId: undefined, text: "make all" }),
		command(4, { toolUseId: undefined, text: "stray" }),
	];
	const record = {
		command: 1,
		toolUseId: "t1",
		end: { by: "exit", code: 3 },
		outputBytes: 9,
		log: "out/1.log",
	} as const;
	const entries: TranscriptEntry[] = [
		answer(10, 1, call("t1", "first"), call("t2", "second"), call("t0", "none")),
		{ ...result(20, "t1", "one\n[exit status 3]"), commands: [record] } as TranscriptEntry,
		result(21, "t2", "(interrupted)"),
		result(22, "t9", "of an unknown call"),
		answer(30, 2, call("t3", "make   all"), call("t5", "later")),
	];
	expect(told(entries, { timeline: { ...EMPTY_TIMELINE, commands } })).toEqual([
		"turn 1 from undefined, answered",
		"$ first: one (1, out/1.log)",
		"$ second: (interrupted) (2, out/0002.log)",
		"$ undefined: of an unknown call (undefined, undefined)",
		"$ none: undefined (undefined, undefined)",
		"turn 2 from undefined, answered",
		"$ make   all: undefined (3, out/0003.log)",
		"$ later: undefined (undefined, undefined)",
		"$ stray: undefined (4, out/0004.log)",
	]);
});

test("the task is not told again, and of a message its sender and what was sent; a person may write like one", () => {
	const said = (text: string, from?: string): TranscriptEntry => {
		return { role: "user", at: 1, content: [{ type: "text", text }], ...(from !== undefined && { from }) };
	};
	const message = toldText("1.2", "look\n\nhere");
	expect(told([said(" do it\n"), said(message, "1.2"), said(message), said("plain", "person")])).toEqual([
		"> look\n\nhere (agent 1.2)",
		`> ${message}`,
		"> plain (the person)",
	]);
	expect(told([said("do it", "person")])).toEqual(["> do it (the person)"]); // the same words again
	expect(told([said(INTERRUPTED_BY_PERSON)])).toEqual([]); // an event tells it
});

test("notes of calls that a turn tells, too, are marked; summaries and resumptions are not", () => {
	const note = { role: "note", note: "call", at: 30, turn: 1, reason: "cut", usage: NO_USAGE, costUsd: 0 } as const;
	const entries: TranscriptEntry[] = [
		{ ...note, outcome: "retried" },
		{ ...note, outcome: "compaction" },
		{ ...note, outcome: "failed", turn: 7 },
		{ role: "note", note: "resumed", at: 40, reason: "killed" },
	];
	const turns = [turn(10, 20, { end: ANSWER })];
	expect(told(entries, { timeline: { ...EMPTY_TIMELINE, turns } })).toEqual([
		"note call, known",
		"note call",
		"note call",
		"note resumed",
	]);
});

test("a message that was delivered is told where it came, and not where it was sent", () => {
	const agentNotices = {
		list: [{ ...happened(2, "a message"), isDelivered: true as const }, happened(3, "a pause")],
		more: 0,
	};
	const message: TranscriptEntry = {
		role: "user",
		at: 4,
		content: [{ type: "text", text: toldText(null, "look") }],
		from: "person",
	};
	expect(told([message], { agentNotices })).toEqual(["3 a pause", "> look (the person)"]);
});
