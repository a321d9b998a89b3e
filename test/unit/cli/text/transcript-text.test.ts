import { expect, test } from "vitest";
import type { LoggedCommand } from "../../../../src/cli/text/logged-commands.ts";
import { PLAIN } from "../../../../src/cli/text/paint.ts";
import { type OpenCommand, TranscriptText } from "../../../../src/cli/text/transcript-text.ts";
import type { CommandEnd } from "../../../../src/core/command.ts";
import type { AssistantBlock } from "../../../../src/core/message.ts";
import type { AssistantEntry, CommandRecord, TranscriptEntry, UserEntry } from "../../../../src/core/transcript.ts";
import { eventLine } from "../../../../src/events/event-text.ts";
import { T0 } from "../../store/fabricate.ts";

process.env.TZ = "UTC"; // the times printed are local

const view = {
	...{ paint: PLAIN, task: "the task", isLive: false },
	commandOf: () => undefined,
	commandOfCall: () => undefined,
	pathOf: (log: string) => `/run/1/${log}`,
};

// Seen to fail with the number of the lines that the model got, which are not the log's.
test.each([19, 20, 21, 23])(
	"of a result of %d lines at most 20 are shown, and it is said where the whole is",
	(lines) => {
		const content = Array.from({ length: lines }, (_, i) => `line ${i + 1}`).join("\n");
		const shown = entryLines({ ...result(`${content}\n`), commands: [{ ...record, outputBytes: 48_894 }] });
		expect(shown.filter((line) => line.startsWith("    line"))).toHaveLength(Math.min(20, lines));
		expect(shown.filter((line) => line.includes("more"))).toEqual(
			lines > 20 ? ["    … more; 48894 bytes in all (/run/1/out/0001.log)"] : [],
		);
	},
);

test.each([
	[21, "1 more line"],
	[22, "2 more lines"],
])("a result of %d lines without a record still shows, and what is left out is counted", (lines, more) => {
	const entry: UserEntry = { role: "user", at: T0, content: [toolResult("x\n".repeat(lines))] };
	expect(entryLines(entry).slice(-2)).toEqual(["    x", `    … ${more} (agent show --json)`]);
});

// Seen to fail when all calls were printed with the answer, and all results behind them.
test("commands that ran side by side are shown one after the other, each with its output and its end", () => {
	const text = new TranscriptText({ ...view, commandOf: (command) => logged(command, { took: 1_500 * command }) });
	const calls = [call("a", "echo a\necho b"), call("b", "false")];
	const entry: UserEntry = {
		...{ role: "user", at: T0, content: [toolResult("A\nB"), { ...toolResult("[exit status 1]"), tool_use_id: "b" }] },
		commands: [record, { ...record, command: 2, toolUseId: "b", end: { by: "exit", code: 1 } }],
	};
	expect(text.lines(answer(calls)).slice(2)).toEqual([]);
	expect(text.lines(entry)).toEqual([
		"$ echo a",
		"> echo b",
		"    A",
		"    B",
		"    command 1: exit status 0, 1s",
		"$ false",
		"    command 2: exit status 1, 3s",
	]);
	expect(text.rest([], undefined)).toEqual([]);
});

test("live, calls are shown at once, and again above their results when there are several", () => {
	const one = new TranscriptText({ ...view, isLive: true });
	expect(one.lines(answer([call("a", "echo a")])).slice(2)).toEqual(["$ echo a"]);
	expect(one.lines(result("A"))).toEqual(["    A", "    command 1: exit status 0"]);
	const two = new TranscriptText({ ...view, isLive: true });
	expect(two.lines(answer([call("a", "echo a"), call("b", "false")])).slice(2)).toEqual(["$ echo a", "$ false"]);
	expect(two.lines(result("A"))).toEqual(["$ echo a", "    A", "    command 1: exit status 0"]);
});

// Seen to fail when only what the transcript has was shown.
test("commands whose results are not recorded are shown as the event log knows them", () => {
	const text = new TranscriptText({ ...view, commandOf: (command) => logged(command, { took: 3_000 }) });
	text.lines(answer([call("a", "sleep  9"), call("b", "yes"), call("c", "true")]));
	const commands: OpenCommand[] = [
		{ logged: logged(1, { text: "yes" }), tail: { text: "y\n".repeat(30), isCut: false, bytes: 60 } },
		{ logged: logged(2, { text: "sleep 9", took: 3_000 }), tail: undefined },
		{ logged: logged(3, { text: "older" }), tail: { text: "x", isCut: true, bytes: 1 } },
	];
	const stopped = "    command 2: stopped: Ctrl-C, 3s, 16 bytes";
	const yes = ["$ yes", "    … earlier output left out", ...Array.from({ length: 20 }, () => "    y")];
	const older = ["$ older", "    … earlier output left out", "    x"];
	expect(text.rest(commands, undefined)).toEqual([
		...["$ sleep  9", stopped],
		...[...yes, "    command 1: cut off, its end is not known, 60 bytes (/run/1/out/0001.log)"],
		...["$ true", "    not started"],
		...[...older, "    command 3: cut off, its end is not known, 1 byte (/run/1/out/0003.log)"],
	]);
	expect(text.rest(commands, T0 + 12_000)).toEqual([
		...["$ sleep  9", stopped],
		...[...yes, "    command 1: running 12s, 60 bytes (/run/1/out/0001.log)"],
		...["$ true", "    not started yet"],
		...[...older, "    command 3: running 12s, 1 byte (/run/1/out/0003.log)"],
	]);
});

test("thinking is told from text without colours, and what goes without saying is not said", () => {
	const thinking = { type: "thinking", thinking: "First.\nThen.", signature: "" } as const;
	const usual = answer([thinking, { type: "text", text: "Done." }]);
	const free = { ...usual, usage: { ...usual.usage, input: 0, output: 0 } };
	expect(entryLines(free)).toEqual(["", "turn 1  20:15:30", "(thinking) First.", "           Then.", "Done."]);
	expect(entryLines(usual)[1]).toBe("turn 1  20:15:30  1 in / 1 out");
	expect(entryLines({ ...free, stopReason: "max_tokens" })[1]).toBe("turn 1  20:15:30  max_tokens");
});

test("the task, which is above, is not shown twice; other words of a user are", () => {
	const say = (text: string) => entryLines({ role: "user", at: T0, content: [{ type: "text", text }] });
	expect(say("the task\n")).toEqual([]);
	expect(say("go on\nplease")).toEqual(["", "> go on", "> please"]);
});

test.each([
	[{ by: "signal", signal: "SIGKILL" }, "    command 1: killed by SIGKILL"],
	[{ by: "timeout", afterMs: 120_000 }, "    command 1: timed out after 120 s"],
	[{ by: "not_started", reason: "no \u001b[2Jbash" }, "    command 1: not started: no bash"],
] satisfies [CommandEnd, string][])("a command that ended by %j says so", (end, line) => {
	expect(entryLines({ ...result(""), commands: [{ ...record, end }] })).toEqual([line]);
});

test("what is no command of ours, and blocks that came later, are shown for what they are", () => {
	const blocks = [
		{ type: "redacted_thinking", data: "x" },
		{ type: "tool_use", id: "a", name: "edit", input: { path: "x\u001b" } },
		{ type: "tool_use", id: "b", name: "bash", input: null },
		{ type: "server_dance" },
	] as AssistantBlock[];
	expect(allLines(answer(blocks)).slice(2)).toEqual([
		"(thinking that the service does not show)",
		'$ edit {"path":"x\\u001b"}',
		"$ bash null",
		"(server_dance)",
	]);
});

test("nothing that a terminal obeys comes out of an answer, a command, a result or an event", () => {
	const evil = "\u001b]52;c;aGk=\u0007\u001b[2J\u009b1m\rx\u0008";
	const lines = [
		...entryLines(answer([{ type: "text", text: evil }])),
		...entryLines(answer([{ type: "thinking", thinking: evil, signature: "" }])),
		...allLines(answer([{ type: "tool_use", id: "a", name: evil, input: { command: evil } }])),
		...entryLines(result(evil)),
		eventLine({ event: "agent_stopping", at: T0, agent: "1", reason: evil }),
	];
	expect(lines.join("")).not.toMatch(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/);
});

/** As one that shows each message by itself. */
function entryLines(entry: TranscriptEntry): string[] {
	return new TranscriptText(view).lines(entry);
}

function allLines(entry: TranscriptEntry): string[] {
	return new TranscriptText({ ...view, isLive: true }).lines(entry);
}

function call(id: string, command: string): AssistantBlock {
	return { type: "tool_use", id, name: "bash", input: { command } };
}

/** Started at T0; ended only when it is said how long it took. */
function logged(command: number, { text = "", took }: { text?: string; took?: number }): LoggedCommand {
	const end = { by: "stopped", reason: "Ctrl-C" } as const;
	const ended = took === undefined ? {} : { ended: { at: T0 + took, end, outputBytes: 16 } };
	return { command, text, log: `out/000${command}.log`, startedAt: T0, ...ended };
}

const record: CommandRecord = {
	command: 1,
	toolUseId: "a",
	end: { by: "exit", code: 0 },
	outputBytes: 1,
	log: "out/0001.log",
};

function toolResult(content: string) {
	return { type: "tool_result", tool_use_id: "a", content } as const;
}

function result(content: string): UserEntry {
	return { role: "user", at: T0, content: [toolResult(content)], commands: [record] };
}

function answer(content: AssistantBlock[]): AssistantEntry {
	const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
	const about = { at: T0, turn: 1, model: "m", stopReason: "end_turn", usage, costUsd: 0 };
	return { role: "assistant", content, ...about };
}

// Seen to fail (the command was shown at the very end once more, as if the newest turn had run it) without `commandOfCall`.
test("a command that was cut off stands below its call, with its log, and is not shown again at the end", () => {
	const logged: LoggedCommand = { command: 2, toolUseId: "b", text: "make", log: "out/0002.log", startedAt: T0 };
	const text = new TranscriptText({ ...view, commandOfCall: (id) => (id === "b" ? logged : undefined) });
	text.lines(answer([{ type: "tool_use", id: "b", name: "bash", input: { command: "make" } }]));
	const block = { type: "tool_result", tool_use_id: "b", content: "Interrupted." } as const;
	const lines = text.lines({ role: "user", at: T0, content: [block] });
	expect(lines).toEqual([
		"$ make",
		"    Interrupted.",
		"    command 2: cut off, its end is not known (/run/1/out/0002.log)",
	]);
	expect(text.isRecorded(2)).toBe(true);
});
