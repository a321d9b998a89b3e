import { expect, test } from "vitest";
import { INTERRUPTED_BY_PERSON, markedText } from "../../../../src/core/model/message-marks.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import type { TranscriptChange, TranscriptItem } from "../../../../src/view/transcript/items.ts";
import { Transcript } from "../../../../src/view/transcript/transcript.ts";
import { messageText, resultText, senderOf } from "../../../../src/view/transcript/words.ts";
import { agentJoined, T0 } from "../../record/fabricate.ts";
import {
	answer,
	call,
	charge,
	commandEnded,
	commandStarted,
	itemsOf,
	paused,
	record,
	result,
	retrying,
	say,
	sent,
	turnCancelled,
	turnEnded,
	turnFailed,
	turnStarted,
	words,
} from "./record-of.ts";

/** An item in a few words. */
function inWords(item: TranscriptItem): string {
	switch (item.is) {
		case "turn": {
			const { turn, startedAt, answer: answered, end } = item;
			return `turn ${turn} from ${startedAt && startedAt - T0}, ${answered === undefined ? (end?.by ?? "open") : "answered"}`;
		}
		case "said":
			return `${item.kind === "text" ? "" : `${item.kind}: `}${item.text}${item.state === "whole" ? "" : ` (${item.state})`}`;
		case "command":
			return `$ ${item.text}: ${item.result === undefined ? undefined : resultText(item)} (${item.command}, ${item.state}, ${item.log})`;
		case "message":
			return `> ${messageText(item)}${item.from === undefined ? "" : ` (${senderOf(item)})`}`;
		case "note":
			return `note ${item.note.note}${item.isOfTurn ? " of a turn" : ""}${item.text === "" ? "" : `: ${item.text}`}`;
		case "notice":
			return `${item.at - T0} ${item.text}`;
	}
}

const told = (...record: Parameters<typeof itemsOf>) => itemsOf(...record).map(inWords);
const PAUSED = "was paused by you, with all agents below it";

test("what happens during a turn stands below its beginning, and a turn without an answer has its error", () => {
	const events = [
		...[paused(5), turnStarted(10, 1), paused(15), turnEnded(20, 1)],
		{ ...turnStarted(30, 2), purpose: "compaction" } as const,
		{ ...turnEnded(40, 2), purpose: "compaction" } as const,
		...[turnStarted(50, 2), paused(55), turnFailed(60, 2), turnStarted(70, 2), turnEnded(80, 2)],
		...[turnStarted(90, 3), paused(95)],
	];
	expect(told(events, [answer(20, 1, say("one")), answer(80, 2, say("two"))])).toEqual([
		...[`5 ${PAUSED}`, "turn 1 from 10, answered", `15 ${PAUSED}`, "one"],
		...["turn 2 from 50, failure", `55 ${PAUSED}`, "60 turn 2 failed: over loaded"],
		...["turn 2 from 70, answered", "two", "turn 3 from 90, open", `95 ${PAUSED}`],
	]);
});

test("messages that go with a call stand above its turn, though they are recorded after it began", () => {
	const events = [turnStarted(10, 1), turnEnded(900, 1)];
	expect(told(events, [words(13, "be quick", "person"), answer(900, 1, say("Done."))])).toEqual([
		"> be quick (you)",
		"turn 1 from 10, answered",
		"Done.",
	]);
});

test("what a killed supervisor left open is cut off, and does not hold back what comes then", () => {
	const { limits } = agentJoined("1", T0) as Extract<RunEvent, { event: "agent_joined" }>;
	const resumed = { event: "run_resumed", at: T0 + 40, limits, pid: 1, startTime: "1", version: "" } as const;
	const events = [turnStarted(10, 1), commandStarted(25, 1, "a"), resumed, turnFailed(60, 1)];
	const entries = [answer(20, 1, call("a", "make")), result(45, "a", "(interrupted)"), answer(80, 2, say("two"))];
	expect(told(events, entries).slice(0, 2)).toEqual([
		"turn 1 from 10, answered",
		"$ make: (interrupted) (1, lost, out/0001.log)",
	]);
	expect(told([turnStarted(10, 1), resumed], [answer(80, 2, say("two"))])).toEqual([
		"turn 1 from 10, cut_off",
		"40 run: resumed by supervisor 1",
		"turn 2 from undefined, answered",
		"two",
	]);
});

test("results find their calls and commands, also those of an agent that was cut off, and what is open stays open", () => {
	const events = [
		...[commandStarted(11, 1, "t1"), commandEnded(15, 1, 3), commandStarted(12, 2, "t2")],
		...[commandStarted(31, 3, undefined, "make all"), commandStarted(32, 4, "gone", "stray")],
	];
	const entries = [
		answer(10, 1, call("t1", "first"), call("t2", "second"), call("t0", "none")),
		result(20, "t1", "one\n[exit status 3]", record(1, "t1", 3)),
		result(21, "t2", "(interrupted)"),
		result(22, "t9", "of an unknown call"),
		answer(30, 2, call("t3", "make   all"), call("t5", "later")),
	];
	expect(told(events, entries)).toEqual([
		"turn 1 from undefined, answered",
		"$ first: one (1, ended, out/0001.log)",
		"$ second: (interrupted) (2, lost, out/0002.log)",
		"$ none: undefined (undefined, lost, undefined)",
		"$ undefined: of an unknown call (undefined, ended, undefined)",
		"turn 2 from undefined, answered",
		"$ make   all: undefined (3, running, out/0003.log)",
		"$ later: undefined (undefined, waiting, undefined)",
		"$ stray: undefined (4, running, out/0004.log)",
	]);
	expect(told(events, entries, { endedAt: 99 }).slice(-3)).toEqual([
		"$ make   all: undefined (3, lost, out/0003.log)",
		"$ later: undefined (undefined, lost, undefined)",
		"$ stray: undefined (4, lost, out/0004.log)",
	]);
});

test("a command knows the agents that it started and the processes that it left", () => {
	const events = [
		...[commandStarted(11, 1, "a"), agentJoined("1.1", T0 + 12, { command: 1 })],
		...[agentJoined("1.2", T0 + 13, { command: 1 }), agentJoined("1.1.1", T0 + 14, { command: 1 })],
		commandEnded(20, 1, 0, [{ pid: 9, name: "sleep" }]),
	];
	expect(itemsOf(events, [answer(10, 1, call("a", "agent x"))]).at(-1)).toMatchObject({
		...{ children: ["1.1", "1.2"], leftRunning: [{ pid: 9, name: "sleep" }], outputBytes: 7 },
		...{ startedAt: T0 + 11, endedAt: T0 + 20, end: { by: "exit", code: 0 } },
	});
});

test("the task is not told again, and of a message its sender and what was sent; a with all agents below it may write like one", () => {
	const message = markedText("1.2", "look\n\nhere");
	const entries = [words(1, " do it\n"), words(2, message, "1.2"), words(3, message), words(4, "plain", "person")];
	expect(told([], entries)).toEqual(["> look\n\nhere (agent 1.2)", `> ${message}`, "> plain (you)"]);
	expect(told([], [words(1, "do it", "person")])).toEqual(["> do it (you)"]); // the same words again
	expect(told([], [words(1, INTERRUPTED_BY_PERSON)])).toEqual([]); // an event tells it
});

test("notes of calls that a turn tells, too, are marked; summaries and resumptions are not", () => {
	const note = { role: "note", note: "call", at: T0 + 30, turn: 1, reason: "cut", ...charge } as const;
	const entries = [
		answer(20, 1, say("one")),
		{ ...note, outcome: "retried", partial: "half" } as const,
		{ ...note, outcome: "compaction" } as const,
		{ ...note, outcome: "failed", turn: 7 } as const,
		{ role: "note", note: "resumed", at: T0 + 40, reason: "killed" } as const,
	];
	expect(told([turnStarted(10, 1), turnEnded(20, 1)], entries).slice(2)).toEqual([
		"note call of a turn: half",
		"note call",
		"note call",
		"note resumed",
	]);
});

// Seen to fail while the histories of agents told each message as it was sent and as it came.
test("a message is told until the agent has got it, or it was taken back; in a copy of the run it does not wait", () => {
	const events = [
		...[sent(1, "a"), { ...sent(2, "b"), from: "1.1" } as const, sent(3, "c"), sent(4, "d")],
		{ event: "message_withdrawn", at: T0 + 5, agent: "1", text: "d" } as const,
		{ event: "message_delivered", at: T0 + 6, agent: "1", messages: 2 } as const,
		{ event: "run_forked", at: T0 + 7, run: "r2", from: "r1" } as const,
		sent(8, "e"),
		{ event: "message_delivered", at: T0 + 9, agent: "1", messages: 1 } as const,
	];
	expect(itemsOf(events, []).map((item) => item.is === "notice" && item.at - T0)).toEqual([3, 4, 5, 7]);
});

test("a pause and a stop are told by the agent that they are of, and by all below it that live then", () => {
	const ended = (at: number, agent: string) => {
		return { event: "agent_ended", at: T0 + at, agent, ending: { by: "answer" } } as const;
	};
	const stopping = { event: "agent_stopping", at: T0 + 50, agent: "1", reason: "Ctrl-C" } as const;
	const events = [
		...[agentJoined("1", T0), agentJoined("1.1", T0 + 10), agentJoined("1.2", T0 + 10)],
		...[paused(20), ended(30, "1.1"), agentJoined("1.2.1", T0 + 40), paused(45, "1.2"), stopping],
	];
	expect(told(events, [])).toEqual([`20 ${PAUSED}`, "50 is stopping: Ctrl-C"]);
	expect(told(events, [], { agent: "1.1" })).toEqual([`20 agent 1 ${PAUSED}`]);
	const resumed = { ...events[0], event: "run_resumed", at: T0 + 15 } as RunEvent; // before it joined
	expect(told([resumed, ...events], [], { agent: "1.1" })).toEqual([`20 agent 1 ${PAUSED}`]);
	expect(told(events, [], { agent: "1.2.1" })).toEqual([`45 agent 1.2 ${PAUSED}`, "50 agent 1 is stopping: Ctrl-C"]);
});

test("of very many notices in a turn only the first are told, and the others counted", () => {
	const refused = { event: "child_refused", parent: "1", code: "depth", reason: "limit", task: "more" } as const;
	const events = Array.from({ length: 250 }, (_, n) => ({ ...refused, at: T0 + n }));
	const all = told([...events, turnStarted(300, 2), turnFailed(400, 2)], []);
	expect([all.length, all[200], all[201]]).toEqual([
		203,
		"300 50 more events: see the event log",
		"turn 2 from 300, failure",
	]);
});

test("a turn knows how long it waited for a slot", () => {
	const queued = { event: "turn_queued", at: T0 + 10, agent: "1" } as const;
	expect(itemsOf([queued, turnStarted(3_010, 1)], [])[0]).toMatchObject({ waitedMs: 3_000 });
	expect(itemsOf([turnStarted(3_010, 1)], [])[0]).toMatchObject({ waitedMs: 0 });
});

test("of one time come the results of commands, the next turn, its answer, and its commands", () => {
	const events = [
		...[turnStarted(0, 1), turnEnded(0, 1), commandStarted(0, 1, "a"), commandEnded(0, 1)],
		...[turnStarted(0, 2), turnEnded(0, 2)],
	];
	const entries = [answer(0, 1, call("a", "make")), result(0, "a", "made", record(1, "a")), answer(0, 2, say("Done."))];
	expect(told(events, entries)).toEqual([
		"turn 1 from 0, answered",
		"$ make: made (1, ended, out/0001.log)",
		"turn 2 from 0, answered",
		"Done.",
	]);
});

/** A transcript as it goes on; each change in a few words. */
function live() {
	const transcript = new Transcript("1", "do it");
	const brief = (changes: readonly TranscriptChange[]) =>
		changes.map((change) => {
			if (change.is === "removed") return `removed ${change.key}`;
			if (change.is === "printed") return `printed ${change.item.command}: ${change.lines.join("|")}`;
			return `${change.is} ${inWords(change.item)}`;
		});
	return {
		event: (...events: Parameters<Transcript["event"]>) => brief(transcript.event(...events)),
		entry: (...entries: Parameters<Transcript["entry"]>) => brief(transcript.entry(...entries)),
		text: (text: string, turn = 1, attempt?: number) =>
			brief(transcript.piece({ turn, delta: { kind: "text", text }, ...(attempt !== undefined && { attempt }) })),
		piece: (kind: "text" | "thinking" | "command", text: string, block?: number) =>
			brief(transcript.piece({ turn: 1, delta: { kind, text, ...(block !== undefined && { block }) } })),
		again: (...running: number[]) => brief(transcript.again(running)),
		tick: (at: number) => brief(transcript.tick(T0 + at)),
		printed: (command: number, ...lines: string[]) => brief(transcript.printed(command, lines, 0)),
	};
}

test("a turn is shown when something comes of it, or after a moment", () => {
	const { event, tick, text } = live();
	expect(event(turnStarted(10, 1))).toEqual([]);
	expect([tick(159), tick(160), tick(200)]).toEqual([[], ["added turn 1 from 10, open"], []]);
	event(turnStarted(300, 2));
	expect(text("One", 2)).toEqual(["added turn 2 from 300, open", "added One (streaming)"]);
});

test("an answer grows while it is written, and is whole when it is recorded, without being told again", () => {
	const { event, entry, piece } = live();
	event(turnStarted(10, 1));
	piece("thinking", "Hm", 0);
	expect(piece("text", "I lo", 1)).toEqual(["changed thinking: Hm", "added I lo (streaming)"]);
	expect(piece("text", "ok", 1)).toEqual(["changed I look (streaming)"]);
	expect(piece("command", "ma", 2)).toEqual(["changed I look", "added command: ma (streaming)"]);
	const thought = { type: "thinking", thinking: "Hm.", signature: "" } as const;
	expect(entry(answer(900, 1, thought, say("I look."), call("a", "make")))).toEqual([
		"changed thinking: Hm.",
		"changed I look.",
		"added $ make: undefined (undefined, waiting, undefined)",
		"removed said:1.2",
		"changed turn 1 from 10, answered",
	]);
	expect(event(turnEnded(901, 1))).toEqual(["changed turn 1 from 10, answered"]);
});

test("a recorded answer that is another one than was written is told whole", () => {
	const { event, entry, text } = live();
	event(turnStarted(10, 1));
	text("I look");
	expect(entry(answer(900, 1, say("No.")))).toEqual([
		"added No.",
		"changed I look (broken)",
		"changed turn 1 from 10, answered",
	]);
});

test("what had streamed of a call that breaks is no part of the answer, and the next try has keys of its own", () => {
	const transcript = new Transcript("1");
	transcript.event(turnStarted(10, 1));
	const piece = { turn: 1, delta: { kind: "text", text: "Half" } } as const;
	const keys = (changes: readonly TranscriptChange[]) =>
		changes.map((change) => ("item" in change ? change.item.key : change.key));
	expect(keys(transcript.piece(piece))).toEqual([`turn:1@${T0 + 10}`, "said:1.0"]);
	const [broken] = transcript.event(retrying(20, 1, 1));
	expect(broken).toMatchObject({ is: "changed", item: { text: "Half", state: "broken" } });
	expect(keys(transcript.piece(piece))).toEqual(["said:1.0/1"]);
	expect(keys(transcript.entry(answer(900, 1, say("Half of it."))))).toEqual(["said:1.0/1", `turn:1@${T0 + 10}`]);
});

test("a failed or cancelled call leaves what had come of its answer, and its note does not tell it again", () => {
	const { event, entry, text } = live();
	const note = { role: "note", note: "call", at: T0 + 2_000, turn: 1, reason: "stop", ...charge } as const;
	event(turnStarted(10, 1));
	text("Three");
	expect(event(turnCancelled(20, 1))).toEqual(["changed Three (broken)", "changed turn 1 from 10, cancelled"]);
	expect(entry({ ...note, outcome: "cancelled", partial: "Three" })).toEqual(["added note call of a turn"]);
	event(turnStarted(30, 2));
	expect(event(turnFailed(40, 2))).toEqual([
		"added turn 2 from 30, open",
		"changed turn 2 from 30, failure",
		"added 40 turn 2 failed: over loaded",
	]);
	expect(entry({ ...note, turn: 2, outcome: "failed", partial: "Never seen" })).toEqual([
		"added note call of a turn: Never seen",
	]);
});

test("pieces that come before their events wait for them, and those of calls of before are dropped", () => {
	const { event, text } = live();
	expect([text("early", 1, 0), text("later", 1, 1)]).toEqual([[], []]);
	expect(event(turnStarted(10, 1))).toEqual(["added turn 1 from 10, open", "added early (streaming)"]);
	expect(event(retrying(20, 1, 1)).at(-2)).toMatch(/^added 20 turn 1: 1st retry/);
	expect(text(" on", 1, 1)).toEqual(["changed later on (streaming)"]);
	expect([text("old", 1, 0), text("far", 2, 0)]).toEqual([[], []]);
	expect(event(turnStarted(30, 2))).toContain("added far (streaming)");
});

test("pieces that come once more from the beginning of an answer are not told again, unless they are others", () => {
	const { again, event, piece } = live();
	event(turnStarted(10, 1));
	piece("thinking", "Hm.");
	piece("text", "One two");
	again();
	expect([piece("thinking", "Hm."), piece("text", "One"), piece("text", " two three")]).toEqual([
		[],
		[],
		["changed One two three (streaming)"],
	]);
	again();
	expect(piece("text", "Another")).toEqual([
		"changed thinking: Hm. (broken)",
		"changed One two three (broken)",
		"added Another (streaming)",
	]);
});

test("a command is told when it starts, as it prints, when it ends, and with its result", () => {
	const { again, entry, event, printed } = live();
	entry(answer(10, 1, call("a", "make"), call("b", "date")));
	expect(event(commandStarted(20, 1, "a"))).toEqual(["changed $ make: undefined (1, running, out/0001.log)"]);
	expect([printed(1, "A", "B"), printed(7, "of nobody")]).toEqual([["printed 1: A|B"], []]);
	expect(event(commandEnded(30, 1))).toEqual(["changed $ make: undefined (1, ended, out/0001.log)"]);
	event(commandStarted(31, 2, "b"));
	expect(again(7)).toEqual(["changed $ date: undefined (2, lost, out/0002.log)"]);
	expect(entry(result(40, "b", "now", record(2, "b")))).toEqual(["changed $ date: now (2, ended, out/0002.log)"]);
	expect(event(commandStarted(50, 2, "b"))).toEqual([]); // a snapshot may be older than the transcript
});

test("who watches hears of a summary that begins and of children; a reader of the past does not", () => {
	const { event } = live();
	expect(event({ ...turnStarted(10, 2), purpose: "compaction" } as Parameters<typeof event>[0])).toEqual([
		"added 10 is summarizing older messages",
	]);
	expect(event(agentJoined("1.2", T0 + 20, { task: "deep\ntask" }))).toEqual(["added 20 agent 1.2 began: deep"]);
	expect(event(agentJoined("1.2.1", T0 + 20))).toEqual([]);
	expect(itemsOf([agentJoined("1.2", T0 + 20)], [])).toEqual([]);
});

test("what happened to the whole run is told by the root alone", () => {
	const slowed = { event: "calls_slowed", at: T0, reason: "429", waitMs: 5_000, maxCalls: 2 } as const;
	expect(told([slowed], [])).toEqual(["0 run: no calls to the model for 5 s: 429; then 2 at once"]);
	expect(told([slowed], [], { agent: "1.1" })).toEqual([]);
});
