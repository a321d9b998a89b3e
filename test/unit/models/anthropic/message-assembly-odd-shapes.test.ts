import { expect, test } from "vitest";
import { assembleMessage, type StreamEvent } from "../../../../src/models/anthropic/message-assembly.ts";

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

const BEGIN: StreamEvent = { type: "message_start" };

function assemble(...events: StreamEvent[]) {
	const assembly = assembleMessage();
	const whole = events[0]?.type === "message_start" ? events : [BEGIN, ...events];
	const deltas = whole.map((event) => assembly.take(event)).filter((shown) => shown !== undefined);
	return { deltas, end: assembly.end({ isClean: false }), usage: assembly.usage() };
}

const TEXT = [start(0, { type: "text", text: "" }), delta(0, { type: "text_delta", text: "half" }), stop(0)];

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
