import { expect, test } from "vitest";
import type { FromAgent, Join } from "../../../src/protocol/agent-messages.ts";
import { clientParser } from "../../../src/protocol/from-client.ts";
import type { FromWatcher } from "../../../src/protocol/watcher-messages.ts";

const JOIN: Join = { say: "join", pid: 7, pidNamespace: null, cwd: "/", limits: { maxDepth: 2 } };
const ASK: FromAgent = {
	...{ say: "ask", kind: "turn" },
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
];

test.each([
	{ by: "agent", messages: AGENT },
	{ by: "watcher", messages: WATCHER },
])("what an $by says comes through whole, and is known as its", ({ by, messages }) => {
	const parse = clientParser();
	expect(messages.map((message) => parse(message))).toEqual(messages.map((message) => ({ by, message })));
});

test("a block of a kind that the service has invented since goes on untouched", () => {
	const messages = [{ role: "assistant", content: [{ type: "dance", step: { n: 1 } }] }];
	const parse = clientParser();
	parse(JOIN);
	expect(parse({ ...ASK, messages })).toEqual({ by: "agent", message: { ...ASK, messages } });
});

test.each([
	["no word", {}],
	["a word that nobody says", { say: "dance" }],
	["a word that objects inherit", { say: "toString" }],
	["a list", []],
	["a process id that is text", { ...JOIN, pid: "7" }],
	["a limit that is text", { ...JOIN, limits: { maxDepth: "2" } }],
	["no directory", { ...JOIN, cwd: undefined }],
	["an effort that there is not", { ...JOIN, effort: "huge" }],
	["a question before it has joined", ASK],
	["a signal that there is not", { ...WATCHER[2], signal: 2.5 }],
])("a client that begins with %s says nothing that is understood", (_, value) => {
	expect(clientParser()(value)).toBeUndefined();
});

test.each([
	["an agent that watches", JOIN, { say: "watch" }],
	["a watcher that joins", { say: "watch" }, JOIN],
	["an agent that asks with no list of messages", JOIN, { ...ASK, messages: "t" }],
	["an agent that records a message of another role", JOIN, { say: "record", entry: { role: "system", at: 1 } }],
	["an agent with a command of no number", JOIN, { ...ENDED, command: 1.5 }],
	["an agent whose result names a file that is no log", JOIN, recordOf({ log: "../2/out/0001.log" })],
	[
		"an agent whose text block has no text",
		JOIN,
		{ say: "record", entry: { role: "user", content: [{ type: "text" }], at: 1 } },
	],
])("%s is not understood", (_, first, value) => {
	const parse = clientParser();
	expect(parse(first)).toBeDefined();
	expect(parse(value)).toBeUndefined();
});

test("a message that is nested too deeply to be written again is not understood", () => {
	// Seen to end the run as a bug: JSON.stringify throws on what JSON.parse has read.
	const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
	const record = (inner: unknown) => ({
		...{ say: "record" },
		entry: { role: "user", content: [{ type: "dance", inner }], at: 5 },
	});
	const parse = clientParser();
	parse(JOIN);
	expect(parse(record(nested(900)))).toMatchObject({ by: "agent" });
	expect([parse(record(nested(1_100))), parse(record(nested(100_000)))]).toEqual([undefined, undefined]);
});
