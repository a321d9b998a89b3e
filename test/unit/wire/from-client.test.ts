import { expect, test } from "vitest";
import type { FromAgent, Join } from "../../../src/wire/agent-messages.ts";
import { type FromClient, parseFromClient } from "../../../src/wire/from-client.ts";
import type { FromWatcher } from "../../../src/wire/watcher-messages.ts";

const JOIN: Join = { say: "join", pid: 7, pidNamespace: null, cwd: "/", limits: { maxDepth: 2 } };
const ASK: FromAgent = {
	...{ say: "ask" },
	messages: [
		{ role: "user", content: [{ type: "text", text: "t" }] },
		{ role: "assistant", content: [{ type: "tool_use", id: "a", name: "bash", input: { command: "ls" } }] },
		{ role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "x", is_error: true }] },
	],
};
const AGENT: FromAgent[] = [
	JOIN,
	{ say: "record", entry: { role: "user", content: [{ type: "text", text: "t" }] } },
	ASK,
	{ say: "command_ended", command: 1, end: { by: "timeout", afterMs: 5 }, outputBytes: 3, leftRunning: [] },
	{ say: "finish", ending: { by: "killed", signal: "SIGKILL", isInferred: true }, lastWords: "w" },
];
const ENDED = { say: "command_ended", end: { by: "exit", code: 0 }, outputBytes: 3, leftRunning: [] };
const recordOf = (command: object) => ({
	say: "record",
	entry: { role: "user", content: [], at: 1, commands: [{ ...ENDED, command: 1, toolUseId: "a", ...command }] },
});
const WATCHER: FromWatcher[] = [
	{ say: "watch" },
	{ say: "focus", agent: null },
	{ say: "stop_agent", agent: "1.2", reason: "r", signal: 15, isHurry: false },
	{ say: "watch", activity: true },
];

const HELLO = { say: "hello", version: 2, role: "person", pid: 7 } as const;

test.each([
	{ by: "client", messages: [HELLO] },
	{ by: "agent", messages: AGENT },
	{ by: "watcher", messages: WATCHER },
])("what a $by says comes through whole, and is known as its", ({ by, messages }) => {
	expect(messages.map(parseFromClient)).toEqual(
		messages.map((message) => ({ is: "message", said: { by, message } as FromClient })),
	);
});

test("a block of a kind that the service has invented since goes on untouched", () => {
	const messages = [{ role: "assistant", content: [{ type: "dance", step: { n: 1 } }] }];
	expect(parseFromClient({ ...ASK, messages })).toMatchObject({ said: { message: { ...ASK, messages } } });
});

const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
const recordOfBlock = (inner: unknown) => ({
	...{ say: "record" },
	entry: { role: "user", content: [{ type: "dance", inner }], at: 5 },
});

test.each([
	["no word", {}, "an unknown message: undefined"],
	["a word that nobody says", { say: "dance" }, 'an unknown message: "dance"'],
	["a long word", { say: "x".repeat(100_000) }, `an unknown message: "${"x".repeat(39)}`],
	["a word that objects inherit", { say: "toString" }, 'an unknown message: "toString"'],
	["a list", [], "a message that is not an object"],
	["no JSON", undefined, "a message that is not an object"],
	["a process id that is text", { ...JOIN, pid: "7" }, '"join" of the wrong shape: pid'],
	["a limit that is text", { ...JOIN, limits: { maxDepth: "2" } }, '"join" of the wrong shape: limits'],
	["no directory", { ...JOIN, cwd: undefined }, '"join" of the wrong shape: cwd'],
	["a directory longer than any", { ...JOIN, cwd: "/".repeat(5_000) }, '"join" of the wrong shape: cwd'],
	["a share of the window that is none", { ...JOIN, compactAt: -1 }, '"join" of the wrong shape: compactAt'],
	["an effort that there is not", { ...JOIN, effort: "huge" }, '"join" of the wrong shape: effort'],
	["a signal that there is not", { ...WATCHER[2], signal: 2.5 }, '"stop_agent" of the wrong shape: signal'],
	["a command of no number", { ...ENDED, command: 1.5 }, '"command_ended" of the wrong shape: command'],
	[
		"a size that is below 0",
		{ ...ENDED, command: 1, outputBytes: -1 },
		'"command_ended" of the wrong shape: outputBytes',
	],
	[
		"an exit status that there is not",
		{ ...ENDED, command: 1, end: { by: "exit", code: 1e300 } },
		'"command_ended" of the wrong shape: end.code',
	],
	[
		"a process left that there cannot be",
		{ ...ENDED, command: 1, leftRunning: [{ pid: -4.5, name: "x" }] },
		'"command_ended" of the wrong shape: leftRunning.0.pid',
	],
	["a count beyond all", { say: "repeats", command: 1, times: 1e308 }, '"repeats" of the wrong shape: times'],
	[
		"a result that names a file that is no log",
		recordOf({ log: "../2/out/0001.log" }),
		'"record" of the wrong shape: entry.commands.0.log',
	],
	["no words", { say: "send", agent: "1", text: " \n" }, '"send" of the wrong shape: text'],
	["too many words", { say: "send", agent: "1", text: "x".repeat(1_000_001) }, '"send" of the wrong shape: text'],
	["no list of messages", { ...ASK, messages: "t" }, '"ask" of the wrong shape: messages'],
	[
		"a role that there is not",
		{ say: "record", entry: { role: "system", at: 1 } },
		'"record" of the wrong shape: entry.role',
	],
	["a role for a hello that there is not", { ...HELLO, role: "root" }, '"hello" of the wrong shape: role'],
])("a message with %s is bad, and it is said why in a few words", (_, value, reason) => {
	expect(parseFromClient(value)).toEqual({ is: "bad", reason });
});

test("many levels are understood", () => {
	expect(parseFromClient(recordOfBlock(nested(900)))).toMatchObject({ is: "message" });
});

test("texts that go into the state are cut in their middle, and lists of processes, too", () => {
	const finish = { say: "finish", ending: { by: "crashed", reason: `${"x".repeat(5_000_000)}THE END` } };
	const ended = {
		...AGENT[3],
		leftRunning: Array.from({ length: 5_000 }, () => ({ pid: 7, name: "n".repeat(5_000) })),
	};
	const [finished, left] = [parseFromClient(finish), parseFromClient(ended)].map(
		(parsed) => Object(parsed).said.message,
	);
	expect(finished.ending.reason).toMatch(/^x+ \[… \d+ characters omitted …\] x+THE END$/);
	expect(finished.ending.reason.length).toBeLessThan(73_000);
	expect([left.leftRunning.length, left.leftRunning[0].name.length < 4_100]).toEqual([100, true]);
});
