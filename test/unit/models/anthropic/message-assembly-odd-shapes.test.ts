import { expect, test } from "vitest";
import type { StreamEvent } from "../../../../src/models/anthropic/message-assembly.ts";
import { assemble, call, delta, ending, json, start, stop, TEXT } from "../../../fixtures/stream-events.ts";

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
