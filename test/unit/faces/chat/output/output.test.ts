import { describe, expect, test } from "vitest";
import { ROOT } from "../../../../../src/core/model/agent.ts";
import { RAN_HERE } from "../../../../../src/core/model/message-marks.ts";
import { bash, FREE, Scenario, styledOf, text, thinking } from "./scenario.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}`);

test("a line of an answer is appended when it is whole, and the begun one is live", () => {
	const scenario = new Scenario();
	scenario.turn(1);
	scenario.streams(1, "First **li");
	expect([scenario.texts, scenario.live()]).toEqual([[], ["First li", "· thinking 0s, turn 1"]]);
	scenario.streams(1, "ne**\nSecond");
	expect([scenario.texts, scenario.live()[0]]).toEqual([["First line"], "Second"]);
	scenario.answers(1, [text("First **line**\nSecond line")]);
	expect(scenario.texts).toEqual(["First line", "Second line"]);
});

test("an answer that was streamed otherwise than it is recorded is told whole", () => {
	const scenario = new Scenario();
	scenario.streams(1, "One.\nTwo");
	scenario.answers(1, [text("Another one.")]);
	expect(scenario.texts).toEqual(["One.", "Another one."]);
});

test("what had been shown of a call that is made again is void, and said so once", () => {
	const scenario = new Scenario();
	const again = { event: "turn_retrying" as const, agent: ROOT, turn: 1, waitMs: 2_000, reason: "overloaded", ...FREE };
	scenario.turn(1);
	scenario.streams(1, "Nothing whole");
	scenario.event({ ...again, attempt: 1 });
	scenario.streams(1, "Begun.\nSec");
	scenario.event({ ...again, attempt: 2 });
	scenario.streams(1, "Begun.\nSecond.");
	scenario.answers(1, [text("Begun.\nSecond.")]);
	expect(scenario.texts).toEqual([
		"· 1st retry in 2 s: overloaded",
		...["", "Begun.", ""],
		"· 2nd retry in 2 s: overloaded",
		"· the partial answer above is void",
		...["", "Begun.", "Second."],
	]);
});

describe("a link that was made anew", () => {
	test("tells an answer from its beginning once more, which is shown once", () => {
		const scenario = new Scenario();
		scenario.streams(1, "Let me see.", "thinking");
		scenario.streams(1, "One.\nTwo.\nTh", "text", 1);
		scenario.update({ is: "again", running: [] });
		scenario.streams(1, "Let me", "thinking");
		scenario.streams(1, " see.", "thinking");
		scenario.streams(1, "One.\nTwo.\nThree.\nFo", "text", 1);
		scenario.streams(1, "ur.\n", "text", 1);
		scenario.answers(1, [thinking("Let me see."), text("One.\nTwo.\nThree.\nFour.\n")]);
		expect(scenario.texts).toEqual(["thinking: Let me see.", "", "One.", "Two.", "Three.", "Four."]);
	});

	test("shows by its result what became of a command of whose end it was not told", () => {
		const scenario = new Scenario();
		scenario.answers(1, [bash("a", "ls"), bash("b", "make")], "tool_use");
		scenario.starts("ls", "a");
		scenario.starts("make", "b");
		scenario.update({ is: "again", running: [2] });
		expect(scenario.live()).toEqual(["  running 0s"]);
		scenario.results({ id: "a", text: "file\n", record: { command: 1, end: { by: "exit", code: 0 }, outputBytes: 5 } });
		expect(scenario.texts).toEqual(["$ ls", "$ make", "$ ls", "  file"]);
	});
});

test.each(["thinking", "command", "text"] as const)("nothing of a call that was ended is live: %s", (kind) => {
	const scenario = new Scenario();
	scenario.turn(1);
	scenario.streams(1, "a thought, or a line of it", kind);
	scenario.event({ event: "agent_interrupted", agent: ROOT, from: null });
	scenario.event({ event: "turn_cancelled", agent: ROOT, turn: 1, ...FREE });
	scenario.event({ event: "agent_listening", agent: ROOT });
	expect(scenario.live()).toEqual([]);
});

describe("thinking", () => {
	test("is one dim line, with how much more there is; while it goes on its newest words are live", () => {
		const scenario = new Scenario(40);
		scenario.streams(1, "First I read the lexer, which is long, since it was written by hand.\n", "thinking");
		scenario.streams(1, "Then\nthe parser.", "thinking");
		expect(scenario.live().slice(0, -1).at(-1)).toBe("          the parser.");
		scenario.streams(1, "Done.", "text", 1);
		expect(scenario.lines.map(styledOf)).toEqual(["<dim thinking: First I read the lexer, wh…><dim  +2>"]);
	});

	test("is shown whole when that was asked for", () => {
		const scenario = new Scenario(40);
		scenario.output.showThinking(true);
		scenario.answers(1, [thinking("One.\n\n- two\n"), text("Done.")]);
		expect(scenario.texts).toEqual(["  One.", "", "  - two", "", "Done."]);
	});
});

describe("commands", () => {
	test("stand where they start, with the ends of their output when they have ended", () => {
		const scenario = new Scenario();
		scenario.answers(1, [text("I test."), bash("a", "npm test")], "tool_use");
		const command = scenario.starts("npm test", "a");
		expect(scenario.texts).toEqual(["I test.", "", "$ npm test"]);
		scenario.prints(command, ...numbers(3));
		scenario.now += 12_000;
		expect(scenario.live()).toEqual(["  line 1", "  line 2", "  line 3", "  running 12s"]);
		scenario.prints(command, ...numbers(20).slice(3));
		scenario.ends(command, 1);
		scenario.results({ id: "a", text: "the model's" });
		expect(scenario.lines.slice(2).map(styledOf)).toEqual([
			"<command $ ><command npm test>",
			...[
				"  line 1",
				"  line 2",
				"<dim   … 14 more lines (/expand 1)>",
				"  line 17",
				"  line 18",
				"  line 19",
				"  line 20",
			],
			"<bad   ><bad exit status 1, 12s>",
		]);
	});

	test("a short output is whole, and nothing is said of a command that prints nothing and succeeds", () => {
		const scenario = new Scenario();
		for (const lines of [numbers(7), []]) {
			const command = scenario.starts(`print ${lines.length}`);
			scenario.prints(command, ...lines);
			scenario.ends(command);
		}
		expect(scenario.texts).toEqual(["$ print 7", ...numbers(7).map((line) => `  ${line}`), "", "$ print 0"]);
	});

	test("of several at once the output names its command again", () => {
		const scenario = new Scenario();
		scenario.answers(1, [bash("a", "make one"), bash("b", "make two")], "tool_use");
		const [one, two] = [scenario.starts("make one", "a"), scenario.starts("make two", "b")];
		scenario.prints(one, "1");
		scenario.prints(two, "2");
		expect(scenario.live()).toEqual(["  1", "  running 0s $ make one", "  2", "  running 0s $ make two"]);
		scenario.ends(two);
		scenario.ends(one);
		expect(scenario.texts).toEqual(["$ make one", "$ make two", "  2", "", "$ make one", "  1"]);
	});

	test("a line of a megabyte, and control sequences, take a row each", () => {
		const scenario = new Scenario(30);
		const command = scenario.starts("x");
		scenario.prints(command, "a".repeat(1_000_000), "\u001b[2Jred\u001b[31m\tx", "世".repeat(100));
		scenario.ends(command);
		expect(scenario.texts).toEqual(["$ x", `  ${"a".repeat(27)}…`, "  red x", `  ${"世".repeat(13)}…`]);
	});

	test("are told once, also when their results are known before it is told that they start", () => {
		const scenario = new Scenario();
		scenario.answers(1, [bash("a", "echo x")], "tool_use");
		scenario.results({ id: "a", text: "x" });
		const command = scenario.starts("echo x", "a");
		scenario.prints(command, "x");
		scenario.ends(command);
		expect(scenario.texts).toEqual(["$ echo x", "  x"]);
	});

	test("of an agent that goes on stand with what their model got", () => {
		const scenario = new Scenario();
		scenario.answers(1, [bash("a", "false"), bash("b", "seq 30")], "tool_use");
		const end = (code: number) => ({ by: "exit", code }) as const;
		scenario.results(
			{ id: "a", text: "[exit status 1]", record: { command: 7, end: end(1), outputBytes: 0, log: "out/0007.log" } },
			{ id: "b", text: numbers(30).join("\n"), record: { command: 8, end: end(0), outputBytes: 9 } },
		);
		expect(scenario.texts).toEqual([
			...["$ false", "  exit status 1", "", "$ seq 30", "  line 1", "  line 2", "  … 24 more lines (/expand 8)"],
			...["  line 27", "  line 28", "  line 29", "  line 30"],
		]);
	});
});

describe("messages", () => {
	test("that carry what the person's own commands printed are shown without that", () => {
		const scenario = new Scenario();
		scenario.said(`why?\n\n${RAN_HERE}\n$ make\nfailed\n\n${RAN_HERE}\n$ ls\na`);
		expect(scenario.texts).toEqual(["> why?", "  with the output of 2 commands you ran"]);
	});

	test("of the person stand with a mark, those of agents with who they are, and what else the root is told in a line", () => {
		const scenario = new Scenario();
		scenario.said("do it", null);
		scenario.said("and\nthen?");
		scenario.said("[Message from agent 1.2]\n\nI am done", "1.2");
		scenario.said("[The person interrupted you here.]", null);
		scenario.said("Note: 80 % of your turns are used.\nMore", null);
		expect(scenario.lines.map(styledOf)).toEqual([
			"<strong > ><strong do it>",
			...["", "<strong > ><strong and>", "<strong > ><strong then?>", ""],
			"<strong agent 1.2: ><strong I am done>",
			"",
			"<dim · Note: 80 % of your turns are used.>",
		]);
	});

	test("that wait are live and marked, the newest of many", () => {
		const scenario = new Scenario(30);
		scenario.turn(1);
		for (const n of [1, 2, 3, 4, 5])
			scenario.event({ event: "message_sent", agent: ROOT, from: null, text: `message number ${n}, a long one` });
		expect(scenario.live().slice(-3)).toEqual([
			"  … 3 more queued",
			"> message number 4, a…  queued",
			"> message number 5, a…  queued",
		]);
		scenario.event({ event: "message_delivered", agent: ROOT, messages: 5 });
		expect(scenario.live()).toEqual(["· thinking 0s, turn 1"]);
	});
});

describe("child agents", () => {
	test("have a live line each, and one line when they end", () => {
		const scenario = new Scenario(78);
		scenario.turn(1);
		scenario.answers(1, [], "tool_use");
		scenario.starts("agent 'fix the lexer' & agent 'fix the parser' & wait");
		scenario.joins("1.1", "fix the lexer");
		scenario.joins("1.2", "fix the parser");
		scenario.turn(1, "1.1");
		scenario.now += 65_000;
		expect(scenario.live()).toEqual([
			"  running 1m05s",
			"  1.1  lexer   thinking 1m05s  turn 1",
			"  1.2  parser  queued 1m05s",
		]);
		scenario.event({
			event: "turn_ended",
			agent: "1.1",
			turn: 1,
			stopReason: "end_turn",
			usage: FREE.usage,
			costUsd: 0.5,
		});
		scenario.childEnds("1.1", "## Result\n\nThe lexer is **fixed**.");
		scenario.event({
			event: "agent_ended",
			agent: "1.2",
			ending: { by: "limit", limit: "maxTurns", reason: "turn limit reached" },
		});
		expect(scenario.lines.slice(-2).map(styledOf)).toEqual([
			"<good ✓ 1.1 lexer><dim   1m05s, 1 turn, $0.5000>: Result: The lexer is fixed.",
			"<bad ✗ 1.2 parser><dim   1m05s, 0 turns>: turn limit reached",
		]);
	});

	test("of many take a few rows", () => {
		const scenario = new Scenario(60);
		for (let n = 1; n <= 20; n++) scenario.joins(`1.${n}`, `task ${n}`);
		scenario.turn(1, "1.17");
		const rows = scenario.live(20);
		expect(rows).toHaveLength(9);
		expect([rows[0], rows.at(-2)]).toEqual(["  1.17  task 17  thinking 0s  turn 1", "  … 13 more agents"]);
	});
});

test("a plan is appended when it is made, and is live while it is worked on", () => {
	const scenario = new Scenario();
	scenario.turn(1);
	const plan = (...done: number[]) =>
		["read", "write", "test"].map((text, n) => ({
			text,
			is: done.includes(n) ? ("done" as const) : ("open" as const),
		}));
	scenario.event({ event: "todo_changed", agent: ROOT, items: plan() });
	scenario.event({ event: "todo_changed", agent: ROOT, items: plan(0) });
	expect(scenario.texts).toEqual(["  ○ read", "  ○ write", "  ○ test"]);
	expect(scenario.live()).toEqual(["  ✓ read", "  ○ write", "  ○ test", "· thinking 0s, turn 1"]);
	scenario.event({ event: "agent_listening", agent: ROOT });
	expect(scenario.live()).toEqual([]);
});

test("why a call has failed is told once, also when the agent comes to wait for that reason", () => {
	// Seen to fail: the reason stood there a second time.
	const scenario = new Scenario(80);
	const failed = { event: "turn_failed" as const, agent: ROOT, reason: "overloaded", ...FREE };
	scenario.event({ ...failed, turn: 1 });
	scenario.event({ event: "agent_listening", agent: ROOT, reason: "overloaded" });
	expect(scenario.texts).toEqual(["· turn 1 failed: overloaded"]);
	scenario.event({ event: "agent_listening", agent: ROOT, reason: "overloaded" });
	expect(scenario.texts).toEqual(["· turn 1 failed: overloaded", "· overloaded"]);
});

test("an agent that is gone on with tells in words how it had ended, and of what it is told only the person's words", () => {
	const scenario = new Scenario();
	scenario.said("begin");
	for (const reason of ["answer", "stopped: Ctrl-C", "killed by SIGKILL", "crashed: its supervisor died"])
		scenario.update({ is: "entry", entry: { role: "note", note: "resumed", at: 1, reason } });
	scenario.said("You were interrupted (killed by SIGKILL) and go on now. Look first.\n\nAlso: and then?", null);
	scenario.said("You were interrupted (killed by SIGKILL) and go on now. Look first.", null);
	expect(scenario.texts).toEqual([
		...["> begin", ""],
		"· the agent ended here with its answer and was resumed",
		"· the agent was stopped here (Ctrl-C) and was resumed",
		"· the agent was killed here (SIGKILL) and was resumed",
		"· the agent crashed here (its supervisor died) and was",
		...["  resumed", "", "> and then?"],
	]);
});

test("however little room there is, no more rows are live, and what waits is the last to go", () => {
	const scenario = new Scenario(40);
	const command = scenario.starts("make");
	scenario.prints(command, ...numbers(10));
	for (let n = 1; n <= 9; n++) scenario.joins(`1.${n}`, `task ${n}`);
	scenario.streams(2, "Words that are not whole");
	scenario.event({ event: "message_sent", agent: ROOT, from: null, text: "wait" });
	for (let room = 0; room <= 20; room++) {
		const rows = scenario.live(room);
		expect(rows.length, `room ${room}`).toBeLessThanOrEqual(room);
		if (room > 0) expect(rows.at(-1), `room ${room}`).toBe("> wait  queued");
	}
});

test("another model is said once, by its event; of what was before the note tells", () => {
	const scenario = new Scenario();
	const note = { role: "note", note: "changed", model: "opus", at: 1 } as const;
	scenario.event({ event: "agent_changed", agent: ROOT, model: "opus" });
	scenario.update({ is: "entry", entry: note });
	expect(scenario.texts).toEqual(["· changed to model opus"]);
	const earlier = new Scenario();
	earlier.update({ is: "entry", entry: note });
	expect(earlier.texts).toEqual(["· switched to the model opus"]);
});

test("a call that waits for the service says so, for how long no calls are made, and why", () => {
	const scenario = new Scenario(90);
	const slowed = (maxCalls: number) =>
		scenario.event({ event: "calls_slowed", reason: "overloaded", waitMs: 30_000, maxCalls });
	scenario.turn(1);
	slowed(1);
	const held = new Map([[ROOT, scenario.now - 2_000]]);
	expect(scenario.live(12, held)).toEqual(["· waiting for the service 2s: no calls for 30 s: overloaded"]);
	expect(scenario.live()).toEqual(["· thinking 0s, turn 1"]);
	scenario.now += 30_000;
	expect(scenario.live(12, held)).toEqual(["· waiting for the service 32s: 1 call at once: overloaded"]);
	slowed(2);
	scenario.joins("1.1", "look");
	scenario.turn(1, "1.1");
	expect(scenario.live(12, new Map([["1.1", scenario.now]]))[0]).toBe(
		"  1.1  look  thinking 0s  waiting for the service 0s: no calls for 30 s: overloaded",
	);
});

test("days of chat take as much memory as minutes", () => {
	const scenario = new Scenario();
	const kept = () => JSON.stringify(scenario.output).length;
	let afterFew = 0;
	for (let turn = 1; turn <= 300; turn++) {
		scenario.turn(turn);
		scenario.streams(turn, `${numbers(20).join("\n")}\n`);
		scenario.answers(turn, [text(numbers(20).join("\n")), bash(`t${turn}`, "make")], "tool_use");
		const command = scenario.starts("make", `t${turn}`);
		scenario.prints(command, ...numbers(50));
		scenario.ends(command);
		scenario.results({ id: `t${turn}`, text: "done" });
		if (turn === 10) afterFew = kept();
	}
	expect(kept()).toBeLessThan(afterFew + 50);
});
