import { expect, test } from "vitest";
import { markedText } from "../../../../../src/core/model/message-marks.ts";
import type { ModelDelta } from "../../../../../src/core/model/model.ts";
import type { RunEvent } from "../../../../../src/core/schemas/run-event.ts";
import type { TranscriptEntry } from "../../../../../src/core/schemas/transcript.ts";
import { LiveLines } from "../../../../../src/faces/print/show/live-lines.ts";
import { itemLines, type TranscriptView } from "../../../../../src/faces/print/transcript-lines.ts";
import type { TranscriptChange } from "../../../../../src/view/transcript/items.ts";
import { Transcript } from "../../../../../src/view/transcript/transcript.ts";
import { agentJoined, T0 } from "../../../record/fabricate.ts";
import {
	answer,
	call,
	charge,
	commandEnded,
	commandStarted,
	record,
	result,
	retrying,
	say,
	turnCancelled,
	turnEnded,
	turnFailed,
	turnStarted,
	words,
} from "../../../view/transcript/record-of.ts";
import { liveView } from "../live-view.ts";

/** The transcript of agent 1 or of another one, printed as it goes on. */
function printing(agent = "1", view: TranscriptView = liveView()) {
	const transcript = new Transcript(agent, "the task");
	const live = new LiveLines(view);
	const print = (changes: readonly TranscriptChange[]) => changes.flatMap((change) => live.take(change));
	return {
		event: (event: RunEvent) => print(transcript.event(event)),
		entry: (entry: TranscriptEntry) => print(transcript.entry(entry)),
		piece: (delta: ModelDelta, turn = 1) => print(transcript.piece({ turn, delta })),
		tick: (at: number) => print(transcript.tick(T0 + at)),
		printed: (command: number, lines: readonly string[], skipped = 0) =>
			print(transcript.printed(command, lines, skipped)),
		outputEnds: (command: number, isPrinted: boolean) => {
			const open = transcript.openCommands.find((item) => item.command === command);
			if (open !== undefined) live.outputEnds(open, isPrinted);
		},
		ended: () => print(transcript.ended(T0 + 99_000)),
	};
}

const text = (written: string, block?: number): ModelDelta => {
	return { kind: "text", text: written, ...(block !== undefined && { block }) };
};
const thinking = (written: string): ModelDelta => ({ kind: "thinking", text: written });

test("a turn is printed when it begins, its answer while it is written, and what it took when it is recorded", () => {
	const { event, tick, piece, entry } = printing();
	expect([event(turnStarted(1_000, 1)), tick(1_149)]).toEqual([[], []]);
	expect([tick(1_150), tick(1_500)]).toEqual([["", "turn 1  20:15:31"], []]);
	expect(piece(text("First.\nSec"))).toEqual(["First."]);
	event(turnEnded(3_000, 1));
	expect(entry(answer(3_000, 1, say("First.\nSecond.")))).toEqual([
		"Second.",
		"    turn 1: took 2s, 1.0k in / 80 out, $0.0100",
	]);
});

test("an answer that comes at once is printed like one of the past, below the messages that go with its call", () => {
	const { event, entry } = printing();
	event(turnStarted(1_000, 1));
	expect(entry(words(1_002, markedText(null, "be quick"), "person"))).toEqual([
		"",
		"== 20:15:31  message from you ==",
		"> be quick",
	]);
	expect(entry(answer(1_100, 1, say("Done.")))).toEqual([
		"",
		"turn 1  20:15:31  took 100ms, 1.0k in / 80 out, $0.0100",
		"Done.",
	]);
});

test("a broken call is told when it breaks, and what had streamed of its answer is void", () => {
	const { event, piece, entry } = printing();
	event(turnStarted(1_000, 1));
	expect(event(retrying(1_100, 1, 1))).toEqual([
		"",
		"turn 1  20:15:31",
		"-- 20:15:31  turn 1: 1st retry in 2 s: busy (1.0k in / 80 out, $0.0100)",
	]);
	piece(text("Half\nof"));
	const [rest, notice] = event(retrying(1_200, 1, 2));
	expect([rest, notice?.slice(-34)]).toEqual(["of", "; the partial answer above is void"]);
	piece(text("Half\nof"));
	expect(entry(answer(3_000, 1, say("Half\nof it.")))[0]).toBe("of it.");
});

test("a turn that fails or is cancelled is told with what it took, and its error", () => {
	const { event, ended } = printing();
	event(turnStarted(1_000, 1));
	expect(event(turnCancelled(2_000, 1))).toEqual([
		...["", "turn 1  20:15:31"],
		"    turn 1: canceled after 1s, 1.0k in / 80 out, $0.0100",
	]);
	event(turnStarted(3_000, 2));
	expect(event(turnFailed(4_000, 2)).slice(2)).toEqual([
		"    turn 2: failed after 1s, 1.0k in / 80 out, $0.0100",
		"-- 20:15:34  turn 2 failed: over loaded",
	]);
	expect(ended()).toEqual([]);
});

test("an answer that breaks off is printed once, as far as it had come", () => {
	const { event, piece, entry, ended } = printing();
	const note = { role: "note", note: "call", at: T0 + 2_000, turn: 1, reason: "stop", ...charge } as const;
	event(turnStarted(1_000, 1));
	expect(piece(text("One.\nTw")).slice(2)).toEqual(["One."]);
	expect(entry({ ...note, outcome: "cancelled", partial: "One.\nTw" })).toEqual(["Tw"]);
	expect(event(turnCancelled(2_000, 1))).toHaveLength(1);
	event(turnStarted(3_000, 2));
	expect(entry({ ...note, turn: 2, outcome: "cancelled", partial: "Never printed." }).slice(2)).toEqual([
		"-- 20:15:32  partial answer",
		"   Never printed.",
	]);
	event(turnStarted(5_000, 3));
	piece(text("Four"), 3);
	expect(ended()).toEqual(["Four", "    turn 3: cut off after 1m34s"]);
});

test("a command is printed when it starts, as it prints, and when it ends; then its result is not printed again", () => {
	const { event, entry, printed, outputEnds, ended } = printing();
	entry(answer(1_000, 1, call("a", "make\nall")));
	expect(event(commandStarted(1_100, 1, "a"))).toEqual(["$ make", "> all"]);
	expect(printed(1, ["A\u001b[2J", "", "B"], 2_048)).toEqual([
		...["    … 2 KiB omitted: 1/out/0001.log", "    A", "", "    B"],
	]);
	outputEnds(1, true);
	expect(event(commandEnded(4_100, 1, 3, [{ pid: 9, name: "sleep" }]))).toEqual([
		"    command 1: exit status 3, 3s, left running: sleep (9)",
	]);
	expect(entry(result(4_200, "a", "A\n\nB", record(1, "a", 3)))).toEqual([]);
	expect(ended()).toEqual([]);
});

// Seen to fail when the lines of two commands could not be told apart.
test("the lines of commands that run side by side carry their numbers", () => {
	const { event, entry, printed, outputEnds } = printing();
	entry(answer(1_000, 1, call("a", "first"), call("b", "second\nline"), call("c", "no command")));
	expect([...event(commandStarted(1_100, 1, "a")), ...event(commandStarted(1_101, 12, "b"))]).toEqual([
		...[" 1$ first", "12$ second", "12> line"],
	]);
	expect([...printed(1, ["one"]), ...printed(12, ["two"]), ...printed(1, ["", "three"]), ...printed(7, ["x"])]).toEqual(
		[" 1| one", "12| two", " 1|", " 1| three"],
	);
	outputEnds(12, true);
	expect(event(commandEnded(2_100, 12))).toEqual(["    command 12: exit status 0, 999ms"]);
	outputEnds(1, true);
	event(commandEnded(3_100, 1));
	const all = [result(0, "a", "one\nthree"), result(0, "b", "two"), result(0, "c", "There is no such tool.")];
	const content = all.flatMap((one) => (one.role === "user" ? one.content : []));
	const commands = [record(1, "a"), record(12, "b")];
	expect(entry({ role: "user", at: T0 + 3_200, content, commands })).toEqual([
		"$ no command",
		"    There is no such tool.",
	]);
});

test("the result of a command whose output could not be followed is printed when it is recorded", () => {
	const { event, entry, outputEnds } = printing();
	entry(answer(1_000, 1, call("a", "make")));
	event(commandStarted(1_100, 1, "a"));
	outputEnds(1, false);
	event(commandEnded(2_100, 1));
	expect(entry(result(4_200, "a", "A", record(1, "a")))).toEqual(["    A"]);
});

test("children, pauses and refusals are told, those of others are not", () => {
	const { event } = printing("1.2");
	const paused = { event: "agent_paused", at: T0 + 2_000, from: null } as const;
	expect(event(agentJoined("1.2", T0))).toEqual([]);
	expect(event(agentJoined("1.2.1", T0 + 1_000, { task: "deep\ntask" }))).toEqual([
		"-- 20:15:31  agent 1.2.1 began: deep",
	]);
	expect(event(agentJoined("1.3", T0 + 1_000))).toEqual([]);
	expect(event({ ...paused, agent: "1" })).toEqual([
		"-- 20:15:32  agent 1 was paused by you, with all agents below it",
	]);
	expect(event({ ...paused, agent: "1.3" })).toEqual([]);
	const ending = { by: "failure", reason: "over\nloaded", exitCode: 1 } as const;
	expect(event({ event: "agent_ended", at: T0 + 3_000, agent: "1.2.1", ending })).toEqual([
		"-- 20:15:33  agent 1.2.1 ended: failure: over loaded",
	]);
	expect(event({ event: "agent_ended", at: T0 + 4_000, agent: "1.2", ending })).toEqual([]);
});

test("a command that nobody saw end is cut off, and one that never began says so", () => {
	const { event, entry, ended } = printing();
	entry(answer(1_000, 1, call("a", "make"), call("b", "date")));
	event(commandStarted(1_100, 1, "a"));
	expect(ended()).toEqual(["    command 1: cut off, end unknown", "$ date", "    not started"]);
});

test("what runs when all that is recorded was printed goes on from there", () => {
	const transcript = new Transcript("1");
	const live = new LiveLines(liveView());
	const changes = [turnStarted(0, 1), turnStarted(10, 1)].flatMap((event) => transcript.event(event));
	changes.push(...transcript.entry(answer(20, 1, call("a", "make"), call("b", "date"))));
	changes.push(...transcript.event(commandStarted(30, 1, "a")));
	const items = new Map(changes.flatMap((change) => ("item" in change ? [[change.item.key, change.item]] : [])));
	expect(live.standing([...items.values()]).slice(-1)).toEqual(["$ make"]);
	expect(transcript.printed(1, ["A"], 0).flatMap((change) => live.take(change))).toEqual(["    A"]);
	expect(transcript.event(commandStarted(40, 2, "b")).flatMap((change) => live.take(change))).toEqual([" 2$ date"]);
});

test("rows are printed when they are full, and lines when they have ended", () => {
	const { piece, entry } = printing("1", liveView({ columns: 20 }));
	expect(piece(text("One two three")).slice(2)).toEqual([]);
	expect(piece(text(" four five six"))).toEqual(["One two three four"]);
	expect(piece(text("\n\n\n- li"))).toEqual(["five six"]);
	expect(piece(text("st\nend\n"))).toEqual(["", "", "- list", "end"]);
	expect(entry(answer(1_000, 1, say("One two three four five six\n\n\n- list\nend\n")))[0]).toMatch(/^ {4}turn 1/);
});

test("thinking and text are printed one after the other, and commands not at all", () => {
	const { piece, entry } = printing();
	expect(piece(thinking("First.\nThe")).slice(2)).toEqual(["(thinking) First."]);
	expect(piece(thinking("n."))).toEqual([]);
	expect(piece(text("I look."))).toEqual(["           Then."]);
	expect(piece({ kind: "command", text: "ls\nls" })).toEqual(["I look."]);
	const thought = { type: "thinking", thinking: "First.\nThen.", signature: "" } as const;
	expect(entry(answer(1_000, 1, thought, say("I look."), call("a", "ls\nls")))).toHaveLength(1);
});

test("however an answer is cut into pieces, its rows are those of the recorded one", () => {
	const whole =
		"A long first line that is broken, and\ta tab.\n\n日本語のとても長い行です、そして続く。 \u001b[31mred\u001b[0m\nlast";
	for (const columns of [undefined, 12, 20, 33]) {
		const view = liveView({ columns });
		const said = { is: "said", key: "k", turn: 1, kind: "text", text: whole, state: "whole" } as const;
		const recorded = itemLines(said, view);
		for (let size = 1; size <= 9; size++) {
			const { piece, entry } = printing("1", view);
			const rows: string[] = [];
			for (let at = 0; at < whole.length; at += size) rows.push(...piece(text(whole.slice(at, at + size))));
			rows.push(...entry(answer(1_000, 1, say(whole))));
			expect(rows.slice(2, 2 + recorded.length)).toEqual(recorded);
		}
	}
});
