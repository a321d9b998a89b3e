import { expect, test } from "vitest";
import { assembleMessage, isStreamEvent, type StreamEvent } from "../../../../src/models/anthropic/message-assembly.ts";
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

test("an answer whose end was not seen is broken, whatever came before", () => {
	const broken = { is: "broken", reason: "the service's answer was cut off before its end" };
	expect(assemble(...TEXT).end).toEqual(broken);
	expect(assemble(...TEXT, ending("end_turn")[0] as StreamEvent).end).toEqual(broken);
	expect(assemble().end).toEqual(broken);
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

test("events of unknown types are passed over", () => {
	expect(assemble({ type: "novelty" }, ...TEXT, ...ending("end_turn")).end).toMatchObject({ is: "whole" });
});

test("what is JSON and no event is known as such, and holes in an event are passed over", () => {
	for (const value of [null, 5, "x", [], {}, { type: null }]) expect(isStreamEvent(value)).toBe(false);
	expect(isStreamEvent({ type: "ping" })).toBe(true);
	const hole = (event: unknown) => event as StreamEvent;
	const { end } = assemble(
		hole({ type: "message_start", message: null }),
		hole({ type: "content_block_start", index: 1, content_block: null }),
		...TEXT.slice(0, 2),
		hole({ type: "content_block_delta", index: 0, delta: null }),
		stop(0),
		hole({ type: "message_delta", delta: null, usage: null }),
		...ending("end_turn"),
	);
	expect(end).toMatchObject({ is: "whole", content: [{ type: "text", text: "half" }] });
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

test("a stream that ends by itself after the stop reason, with all blocks closed, is whole without message_stop", () => {
	const end = (isClean: boolean, ...events: StreamEvent[]) => {
		const assembly = assembleMessage();
		for (const event of [BEGIN, ...events]) assembly.take(event);
		return assembly.end({ isClean }).is;
	};
	const [stopReason] = DONE;
	const open = start(1, { type: "text", text: "" });
	expect(end(true, ...TEXT, ...[stopReason as StreamEvent])).toBe("whole");
	expect(end(false, ...TEXT, ...[stopReason as StreamEvent])).toBe("broken");
	expect(end(true, ...TEXT)).toBe("broken");
	expect(end(true, ...TEXT, open, ...[stopReason as StreamEvent])).toBe("broken");
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

test("what comes after an answer's end changes nothing of it", () => {
	const late: StreamEvent = { type: "message_delta", delta: { stop_reason: "refusal" }, usage: { output_tokens: 99 } };
	expect(assemble(...TEXT, ...DONE, late)).toMatchObject({ end: { stopReason: "end_turn" }, usage: { output: 9 } });
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

test("a number of tokens that is none is not counted", () => {
	const usage = { input_tokens: "3", output_tokens: -1, cache_read_input_tokens: null } as unknown as object;
	expect(assemble({ type: "message_start", message: { usage } }).usage).toEqual({
		input: 0,
		output: 0,
		cacheRead: 0,
		cacheWrite: 0,
	});
});
