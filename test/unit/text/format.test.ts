import { expect, test } from "vitest";
import type { Agent, AgentState, Ending } from "../../../src/core/agent.ts";
import { formatBytes } from "../../../src/core/bytes.ts";
import { DEFAULT_LIMITS } from "../../../src/core/limits.ts";
import { NO_USAGE } from "../../../src/core/usage.ts";
import {
	describeEnding,
	describeState,
	displayWidth,
	firstLine,
	fitWidth,
	formatCost,
	formatDollars,
	formatDuration,
	formatTokens,
	oneLine,
	ordinal,
	padWidth,
	stripControl,
} from "../../../src/text/format.ts";

test.each([
	[-5, "0ms"],
	[0, "0ms"],
	[850.9, "850ms"],
	[999, "999ms"],
	[1000, "1s"],
	[12_999, "12s"],
	[59_999, "59s"],
	[60_000, "1m00s"],
	[185_000, "3m05s"],
	[3_599_999, "59m59s"],
	[3_720_000, "1h02m"],
	[360_000_000, "100h00m"],
])("a duration of %d ms reads %s", (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
	[0, "0"],
	[999, "999"],
	[1000, "1.0k"],
	[12_345, "12.3k"],
	[999_949, "999.9k"],
	[999_950, "1.0M"],
	[1_234_567, "1.2M"],
])("%d tokens read %s", (tokens, text) => expect(formatTokens(tokens)).toBe(text));

test.each([
	[null, "?"],
	[0, "-"],
	[0.00001, "<$0.0001"],
	[0.01234, "$0.0123"],
	[12.345, "$12.35"],
])("a cost of %s reads %s", (usd, text) => expect(formatCost(usd)).toBe(text));

test.each([
	["colours", "\u001b[1;31mred\u001b[0m", "red"],
	["a cursor movement with intermediate bytes", "a\u001b[2 qb", "ab"],
	["a colour that is cut off at the end", "a\u001b[38;5", "a"],
	["a window title ended by BEL", "a\u001b]0;title\u0007b", "ab"],
	["a hyperlink ended by ST", "\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
	["an unterminated title, up to its line's end", "a\u001b]0;title\nb", "a\nb"],
	["an unterminated title at the text's end", "a\u001b]52;c;aGk=", "a"],
	["a device control string", "a\u001bPq#0;2;0\u001b\\b", "ab"],
	["8-bit forms", "a\u009b31mb\u009d0;t\u009cc", "abc"],
	["charset switches and resets", "\u001b(0a\u001bcb\u001b", "ab"],
	["bells, backspaces, NULs and DEL", "a\u0000\u0007\u0008\u007fb", "ab"],
	["marks that reverse text", "a\u202eb\u2066c", "abc"],
])("%s are stripped", (_, text, stripped) => expect(stripControl(text)).toBe(stripped));

test("tabs, line feeds and letters of any script are kept", () => {
	expect(stripControl("a\tb\nçé 日本 😀")).toBe("a\tb\nçé 日本 😀");
});

test("a carriage return begins a line, so nothing is hidden by overwriting", () => {
	expect(stripControl("rm -rf /\recho hi\r\nend")).toBe("rm -rf /\necho hi\nend");
});

test("stripping takes time in proportion to the text", () => {
	const text = "\u001b]".repeat(500_000);
	expect(stripControl(text)).toBe("");
});

test("one line has single spaces; the first line is the first that is not blank", () => {
	expect(oneLine("  a\n\n b\tc ")).toBe("a b c");
	expect(firstLine("\n \n  first \nsecond")).toBe("first");
	expect(firstLine("\u001b[31m\nred")).toBe("red");
	expect(firstLine(" \n")).toBe("");
});

test.each([
	["abc", 3],
	["日本", 4],
	["한글", 4],
	["é", 1],
	["e\u0301", 1],
	["😀", 2],
	["❤️", 1],
	["a\u200bb", 2],
	["…", 1],
	["ｆｕｌｌ", 8],
])("%s takes %d columns", (text, width) => expect(displayWidth(text)).toBe(width));

test.each([
	["abc", 3, "abc"],
	["abcd", 3, "ab…"],
	["日本語", 6, "日本語"],
	["日本語", 5, "日本…"],
	["日本語", 4, "日…"],
	["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
	["👩\u200d👩\u200d👧", 4, "👩…"],
	["abc", 1, "…"],
	["abc", 0, ""],
	["", 0, ""],
])("%s cut to %d columns is %s", (text, columns, cut) => expect(fitWidth(text, columns)).toBe(cut));

test("padding fills to the exact width on the side asked for", () => {
	expect(padWidth("日", 4)).toBe("日  ");
	expect(padWidth("12", 4, true)).toBe("  12");
	expect(padWidth("12345", 4, true)).toBe("123…");
});

test.each<[Ending, string]>([
	[{ by: "answer" }, "answer"],
	[{ by: "failure", reason: "model said\nno", exitCode: 1 }, "failure: model said no"],
	[{ by: "limit", limit: "max-turns", reason: "turn limit reached" }, "limit: turn limit reached"],
	[{ by: "stopped", reason: "Ctrl-C", signal: 2 }, "stopped: Ctrl-C"],
	[{ by: "killed", signal: "SIGKILL" }, "killed by SIGKILL"],
	[{ by: "crashed", reason: "its supervisor died" }, "crashed: its supervisor died"],
])("the ending %j reads %s", (ending, text) => expect(describeEnding(ending)).toBe(text));

test.each<[AgentState, string]>([
	[{ is: "queued", since: 0 }, "queued 12s"],
	[{ is: "thinking", since: 0, turn: 3 }, "thinking 12s, turn 3"],
	[{ is: "thinking", since: 0, turn: 3, purpose: "compaction" }, "summarising older rounds 12s, turn 3"],
	[{ is: "thinking", since: 0, turn: 3, retry: retryAt(24_000) }, "retrying 3rd time in 12 s: overloaded"],
	[{ is: "thinking", since: 0, turn: 3, retry: retryAt(12_001) }, "retrying 3rd time in 1 s: overloaded"],
	[{ is: "thinking", since: 0, turn: 3, retry: retryAt(132_001) }, "retrying 3rd time in 2m01s: overloaded"],
	[{ is: "thinking", since: 0, turn: 3, retry: retryAt(12_000) }, "thinking (3rd retry) 12s, turn 3"],
	[{ is: "running", since: 0 }, "running 12s, 2 commands"],
	[{ is: "waiting", since: 0 }, "waiting 12s, 2 commands"],
	[{ is: "ended", at: 5, ending: { by: "answer" } }, "ended: answer"],
])("the state %j reads %s", (state, text) => expect(describeState(agentIn(state), 12_000)).toBe(text));

function retryAt(nextAt: number) {
	return { attempt: 3, nextAt, reason: "overloaded\n" };
}

test.each([
	[2, "$2"],
	[0.42, "$0.42"],
	[1.5, "$1.50"],
	[0.005, "$0.005"],
	[0, "$0"],
])("the budget %d reads %s", (usd, text) => expect(formatDollars(usd)).toBe(text));

function agentIn(state: AgentState): Agent {
	const command = { text: "true", pid: 1, since: 0, log: "out/0001.log" };
	return {
		id: "1",
		pid: 1,
		startTime: "1",
		task: "t",
		model: "shell",
		limits: DEFAULT_LIMITS,
		joinedAt: 0,
		state,
		turns: 0,
		commands: 2,
		running: [
			{ ...command, command: 1, children: 0 },
			{ ...command, command: 2, children: 0 },
		],
		usage: NO_USAGE,
		costUsd: 0,
	};
}

test("an ordinal is written as it is spoken", () => {
	expect([1, 2, 3, 4, 5, 11, 12, 13, 20, 21, 102, 111].map(ordinal).join(" ")).toBe(
		"1st 2nd 3rd 4th 5th 11th 12th 13th 20th 21st 102nd 111th",
	);
});

test.each([
	[0, "0 bytes"],
	[1, "1 byte"],
	[1023, "1023 bytes"],
	[1024, "1 KiB"],
	[1590, "1.5 KiB"],
	[999_999, "976 KiB"],
	[1024 ** 2 - 1, "1023 KiB"],
	[16 * 1024 ** 2, "16 MiB"],
	[2 * 1024 ** 3, "2 GiB"],
	[1024 ** 6, "1024 PiB"],
])("%d bytes read %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
