import { expect, test } from "vitest";
import { streamEventOf } from "../../../../src/models/anthropic/anthropic.ts";
import { assembleMessage, type StreamEvent } from "../../../../src/models/anthropic/message-assembly.ts";
import { assemble, BEGIN, call, delta, ending, json, start, stop, TEXT } from "../../../fixtures/stream-events.ts";

test("thinking, redacted thinking and blocks of unknown types come out as they were sent", () => {
	const { end, deltas } = assemble(
		start(0, { type: "thinking", thinking: "", signature: "" }),
		delta(0, { type: "signature_delta", signature: "sig==" }),
		stop(0),
		start(1, { type: "thinking", thinking: "", signature: "" }),
		delta(1, { type: "thinking_delta", thinking: "so " }),
		delta(1, { type: "thinking_delta", thinking: "é🙂" }),
		delta(1, { type: "signature_delta", signature: "abc" }),
		stop(1),
		start(2, { type: "redacted_thinking", data: "xyz" }),
		stop(2),
		start(3, { type: "novel", deep: { a: [1] }, note: null }),
		delta(3, { type: "novel_delta", note: "n" }),
		delta(3, { type: "novel_delta", note: "ew" }),
		stop(3),
		start(4, { type: "text", text: "", citations: null }),
		delta(4, { type: "text_delta", text: "done" }),
		delta(4, { type: "citations_delta", citation: { cited_text: "c" } }),
		stop(4),
		...ending("end_turn"),
	);
	expect(end).toEqual({
		is: "whole",
		model: undefined,
		stopReason: "end_turn",
		content: [
			{ type: "thinking", thinking: "", signature: "sig==" },
			{ type: "thinking", thinking: "so é🙂", signature: "abc" },
			{ type: "redacted_thinking", data: "xyz" },
			{ type: "novel", deep: { a: [1] }, note: "new" },
			{ type: "text", text: "done", citations: [{ cited_text: "c" }] },
		],
	});
	expect(deltas).toEqual([
		{ kind: "thinking", text: "so ", block: 1 },
		{ kind: "thinking", text: "é🙂", block: 1 },
		{ kind: "text", text: "done", block: 4 },
	]);
});

test("blocks that stream at the same time are kept apart, and fields that we do not know stay", () => {
	const { end, deltas } = assemble(
		call(0, "a"),
		start(1, { type: "tool_use", id: "b", name: "bash", input: {}, caller: { type: "direct" } }),
		json(0, '{"command":"l'),
		json(1, '{"command":"p'),
		json(0, 's"}'),
		json(1, 'wd"}'),
		stop(1),
		stop(0),
		...ending("tool_use"),
	);
	expect(end).toMatchObject({
		content: [
			{ type: "tool_use", id: "a", input: { command: "ls" } },
			{ type: "tool_use", id: "b", input: { command: "pwd" }, caller: { type: "direct" } },
		],
	});
	expect(deltas.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
		"command l",
		"command p",
		"command s",
		"command wd",
	]);
});

test.each(['{"command":"rm -rf /ho', '{"command":"ls"', '{"command":"ls"}}', '["ls"]', '"ls"', "null"])(
	"a call whose JSON is %s is never mended: it keeps its place, with an input that cannot be run",
	(broken) => {
		const bad = [call(0, "a"), json(0, broken), stop(0)];
		const good = [call(1, "b"), json(1, '{"command":"pwd"}'), stop(1)];
		expect(assemble(...bad, ...good, ...ending("tool_use")).end).toMatchObject({
			content: [
				{ id: "a", input: { unreadable_json: broken } },
				{ id: "b", input: { command: "pwd" } },
			],
		});
	},
);

test("a call whose block did not close cannot be run; a text that did not close is kept, thinking is not", () => {
	const { end } = assemble(
		start(0, { type: "text", text: "half" }),
		start(1, { type: "thinking", thinking: "h", signature: "" }),
		call(2, "a"),
		json(2, '{"command":"ls"}'),
		call(3, "b"),
		stop(3),
		...ending("tool_use"),
	);
	expect(end).toMatchObject({
		content: [
			{ type: "text", text: "half" },
			{ id: "a", input: { unreadable_json: '{"command":"ls"}' } },
			{ id: "b", input: {} },
		],
	});
});

test("usage is the most that was reported, each number for itself, also before the end", () => {
	const usage = { input_tokens: 3, cache_read_input_tokens: 7, cache_creation_input_tokens: 2, output_tokens: 1 };
	const begun: StreamEvent = { type: "message_start", message: { model: "m", usage } };
	expect(assemble(begun).usage).toEqual({ input: 3, output: 1, cacheRead: 7, cacheWrite: 2 });
	expect(assemble(begun, ...ending("end_turn"))).toMatchObject({
		usage: { input: 3, output: 9, cacheRead: 7, cacheWrite: 2 },
		end: { model: "m" },
	});
});

const DONE = ending("end_turn") as [StreamEvent, StreamEvent];

test.each<[string, StreamEvent[]]>([
	["content_block_start", [start(0, { type: "text", text: "" })]],
	["message_delta", [DONE[0]]],
	["message_stop", [DONE[1]]],
	["message_start", [BEGIN, ...TEXT, BEGIN]],
	["content_block_start", [BEGIN, ...TEXT, ...TEXT]],
	["content_block_delta", [BEGIN, delta(0, { type: "text_delta", text: "x" })]],
	["content_block_delta", [BEGIN, ...TEXT, delta(0, { type: "text_delta", text: "x" })]],
	["content_block_stop", [BEGIN, stop(9)]],
	["content_block_stop", [BEGIN, ...TEXT, stop(0)]],
])("events out of order are no answer, whatever follows: a %s (%#)", (type, events) => {
	const assembly = assembleMessage();
	for (const event of [...events, ...DONE]) assembly.take(event);
	const reason = `the service's answer was out of order at a ${type}`;
	expect([assembly.fault, assembly.end({ isClean: false })]).toEqual([reason, { is: "broken", reason }]);
});

// Seen to fail (zeros) when each number was what was reported last.
test("zeros at the end of an answer take nothing of its usage back", () => {
	const usage = { input_tokens: 3, cache_read_input_tokens: 7, cache_creation_input_tokens: 2, output_tokens: 8 };
	const zeros = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 0 };
	const begun: StreamEvent = { type: "message_start", message: { usage } };
	const end: StreamEvent = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: zeros };
	expect(assemble(begun, end).usage).toEqual({ input: 3, output: 8, cacheRead: 7, cacheWrite: 2 });
});

test("an answer larger than any has to be is refused", () => {
	const assembly = assembleMessage();
	const piece = "x".repeat(1024 * 1024);
	for (const event of [BEGIN, start(0, { type: "text", text: "" })]) assembly.take(event);
	const words = "the service's answer has more than 16 MiB";
	expect(() => {
		for (let n = 0; n < 17; n++) assembly.take(delta(0, { type: "text_delta", text: piece }));
	}).toThrow(words);
	const empty = assembleMessage();
	empty.take(BEGIN);
	expect(() => {
		for (let n = 0; n < 300_000; n++) empty.take(start(n, { type: "text", text: "" }));
	}).toThrow("more than 50000 values");
});

test.each([
	[{ type: "refusal", category: "cyber", explanation: "It asks for malware." }, "cyber: It asks for malware."],
	[{ type: "refusal", category: null, explanation: "No." }, "No."],
	[{ type: "refusal", category: null, explanation: null }, undefined],
	[null, undefined],
])("what the service says about a refusal is kept: %j", (stop_details, stopWords) => {
	const delta: StreamEvent = { type: "message_delta", delta: { stop_reason: "refusal", stop_details } };
	expect(assemble(...TEXT, delta, DONE[1]).end).toMatchObject({ stopReason: "refusal", stopWords });
});

// Seen to fail (a text of null and of none reached validContent, which threw) without withStrings.
test("what is to be a string and is none begins empty", () => {
	const begun = (fields: object) => [start(0, { type: "text", ...fields }), stop(0), ...ending("end_turn")];
	const odd = [{}, { text: null }, { text: 7 }, { text: { a: 1 } }].map((fields) => assemble(...begun(fields)).end);
	const whole = { is: "whole", content: [{ type: "text", text: "" }] };
	expect(odd).toMatchObject([whole, whole, whole, whole]);
	const { end } = assemble(
		start(0, { type: "thinking", thinking: null, signature: 7 }),
		delta(0, { type: "thinking_delta", thinking: null }),
		delta(0, { type: "thinking_delta", thinking: "so" }),
		delta(0, { type: "signature_delta", signature: "s=" }),
		stop(0),
		start(1, { type: "tool_use", id: "a", name: "bash", input: {} }),
		delta(1, { type: "input_json_delta", partial_json: null }),
		json(1, '{"command":"ls"}'),
		stop(1),
		start(2, { type: "text", text: "t", citations: "none" }),
		delta(2, { type: "citations_delta", citation: { cited_text: "c" } }),
		stop(2),
		...ending("tool_use"),
	);
	expect(end).toMatchObject({
		content: [
			{ type: "thinking", thinking: "so", signature: "s=" },
			{ type: "tool_use", input: { command: "ls" } },
			{ type: "text", text: "t", citations: [{ cited_text: "c" }] },
		],
	});
});

// Seen to fail (a piece without an index went into the first block) with an index of 0 taken for none.
test("an event of a block without a number of that block makes no answer", () => {
	const { index: _, ...homeless } = delta(0, { type: "text_delta", text: "q" });
	for (const event of [homeless, { ...homeless, index: null }, { ...homeless, type: "content_block_start" }])
		expect(assemble(...TEXT.slice(0, 2), event as StreamEvent, stop(0), ...ending("end_turn")).end).toEqual({
			is: "broken",
			reason: `the service's answer was out of order at a ${event.type}`,
		});
});

// Seen to fail (the call came out as it was, and no transcript line could be made of it) without isDeeper.
test("a call that is nested thousands of levels deep is none that can be run", () => {
	const nested = (levels: number) => `{"command":${"[".repeat(levels)}${"]".repeat(levels)}}`;
	const inputOf = (levels: number) => {
		const { end } = assemble(call(0, "a"), json(0, nested(levels)), stop(0), ...ending("tool_use"));
		return end.is === "whole" && end.content.map((block) => block.type === "tool_use" && block.input);
	};
	expect(inputOf(20)).toEqual([JSON.parse(nested(20))]);
	expect(inputOf(3_000)).toEqual([{ unreadable_json: nested(3_000).slice(0, 300) }]);
});

// Seen to fail: the answer was taken, and then its agent's next question was more than the supervisor takes.
test("an answer that could not be sent back is none", () => {
	const nested = JSON.parse(`${"[".repeat(3_000)}${"]".repeat(3_000)}`);
	const block = (inside: unknown) => () => assemble(start(0, { type: "new", inside }), stop(0), ...ending("end_turn"));
	expect(block(nested)).toThrow("it is nested more than 200 levels deep");
	expect(block(Array(60_000).fill(0))).toThrow("the service's answer has more than 50000 values");
	const cited = delta(0, { type: "citations_delta", citation: nested });
	expect(() => assemble(start(0, { type: "text" }), cited, stop(0), ...ending("end_turn"))).toThrow("levels deep");
	const many = `{"command":"true","list":[${"0,".repeat(60_000)}0]}`;
	const { end } = assemble(call(0, "a"), json(0, many), stop(0), ...ending("tool_use"));
	expect(end).toMatchObject({ content: [{ input: { unreadable_json: many.slice(0, 300) } }] });
});

// Seen to fail: the sum of two such counts is infinite, which no message and no file can have.
test("a count that no call can have is none", () => {
	const used = { input_tokens: 1e308, output_tokens: 7, cache_read_input_tokens: 1e10 };
	const { usage } = assemble({ type: "message_start", message: { usage: used } }, ...TEXT, ...ending("end_turn"));
	expect(usage).toEqual({ input: 0, output: 9, cacheRead: 0, cacheWrite: 0 });
});

test("an event of the name error is one, whatever its data", () => {
	const error = { message: "m", type: "overloaded_error" };
	expect(streamEventOf("error", JSON.stringify({ type: "error", error }))).toEqual({ type: "error", error });
	expect(streamEventOf("error", JSON.stringify({ error }))).toEqual({ type: "error", error });
	expect(streamEventOf("error", "it broke")).toEqual({ type: "error", message: "it broke" });
});

test("what is neither JSON nor an event throws", () => {
	for (const data of ["null", "[]", "7", "{}"])
		expect(() => streamEventOf(undefined, data)).toThrow("it sent something that is not an event");
	expect(() => streamEventOf(undefined, "{")).toThrow("JSON");
});
