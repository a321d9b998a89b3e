import { expect, test } from "vitest";
import { assembleMessage, isStreamEvent, type StreamEvent } from "../../../src/models/message-assembly.ts";

const start = (index: number, content_block: { type: string; [field: string]: unknown }): StreamEvent => ({
	type: "content_block_start",
	index,
	content_block,
});
const delta = (index: number, given: Record<string, unknown>): StreamEvent => ({
	type: "content_block_delta",
	index,
	delta: given,
});
const json = (index: number, partial_json: string) => delta(index, { type: "input_json_delta", partial_json });
const stop = (index: number): StreamEvent => ({ type: "content_block_stop", index });
const call = (index: number, id: string) => start(index, { type: "tool_use", id, name: "bash", input: {} });
const ending = (stop_reason: string): StreamEvent[] => [
	{ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 9 } },
	{ type: "message_stop" },
];

function assemble(...events: StreamEvent[]) {
	const assembly = assembleMessage();
	const deltas = events.map((event) => assembly.take(event)).filter((shown) => shown !== undefined);
	return { deltas, end: assembly.end(), usage: assembly.usage() };
}

const TEXT = [start(0, { type: "text", text: "" }), delta(0, { type: "text_delta", text: "half" }), stop(0)];

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

test("usage is what was reported last, each number for itself, also before the end", () => {
	const usage = { input_tokens: 3, cache_read_input_tokens: 7, cache_creation_input_tokens: 2, output_tokens: 1 };
	const begun: StreamEvent = { type: "message_start", message: { model: "m", usage } };
	expect(assemble(begun).usage).toEqual({ input: 3, output: 1, cacheRead: 7, cacheWrite: 2 });
	expect(assemble(begun, ...ending("end_turn"))).toMatchObject({
		usage: { input: 3, output: 9, cacheRead: 7, cacheWrite: 2 },
		end: { model: "m" },
	});
});

test("events of unknown types are passed over", () => {
	expect(assemble({ type: "novelty" }, ...TEXT, stop(9), ...ending("end_turn")).end).toMatchObject({ is: "whole" });
});

test("what is JSON and no event is known as such, and holes in an event are passed over", () => {
	for (const value of [null, 5, "x", [], {}, { type: null }]) expect(isStreamEvent(value)).toBe(false);
	expect(isStreamEvent({ type: "ping" })).toBe(true);
	const hole = (event: unknown) => event as StreamEvent;
	const { end } = assemble(
		hole({ type: "message_start", message: null }),
		hole({ type: "content_block_start", index: 1, content_block: null }),
		...TEXT,
		hole({ type: "content_block_delta", index: 0, delta: null }),
		hole({ type: "message_delta", delta: null, usage: null }),
		...ending("end_turn"),
	);
	expect(end).toMatchObject({ is: "whole", content: [{ type: "text", text: "half" }] });
});
