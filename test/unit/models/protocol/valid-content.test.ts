import { expect, test } from "vitest";
import { parseBashInput } from "../../../../src/core/model/bash-tool.ts";
import type { AssistantBlock, Message } from "../../../../src/core/model/message.ts";
import { validContent } from "../../../../src/models/protocol/valid-content.ts";

const call = (id: string, input: unknown = { command: "ls" }, name = "bash"): AssistantBlock => ({
	...{ type: "tool_use", id, name, input },
});
const valid = (content: AssistantBlock[], stopReason = "tool_use", messages: Message[] = []) =>
	validContent(content, stopReason, { messages, turn: 3 });

// Seen to fail ("lone surrogate" from the service at the next request) before toWellFormed.
test("half a character in a text or anywhere in a call's input is replaced", () => {
	const deep = { command: "echo \ud800 x", "k\udc00": [{ a: "\udfff" }], n: 1, whole: "🙂", none: null };
	expect(valid([{ type: "text", text: "a\ud83d" }, call("a", deep)])).toEqual([
		{ type: "text", text: "a\ufffd" },
		call("a", { command: "echo \ufffd x", "k\ufffd": [{ a: "\ufffd" }], n: 1, whole: "🙂", none: null }),
	]);
});

// Seen to fail (a text between call and result, which the service refuses) when the order was kept.
test("a text after a call goes before the first call; all other blocks keep their order", () => {
	const text = (words: string): AssistantBlock => ({ type: "text", text: words });
	const thinking: AssistantBlock = { type: "thinking", thinking: "t", signature: "s" };
	expect(valid([thinking, text("1"), call("a"), text("2"), call("b"), text("3")])).toEqual([
		thinking,
		text("1"),
		text("2"),
		text("3"),
		call("a"),
		call("b"),
	]);
	expect(valid([text("1"), thinking, text("2")], "end_turn")).toEqual([text("1"), thinking, text("2")]);
});

// Seen to fail ("lone surrogate" from the service at the next request) when they were passed on.
test("thinking and blocks of unknown types stay to the byte, but one with half a character is left out", () => {
	const thinking: AssistantBlock = { type: "thinking", thinking: "🙂", signature: "s" };
	const novel = { type: "novel", deep: [{ a: "é" }] } as unknown as AssistantBlock;
	const halves = [
		{ ...thinking, thinking: "\ud800" },
		{ ...thinking, signature: "\udc00" },
		{ type: "redacted_thinking", data: "\ud83d" },
		{ type: "novel", deep: [{ "k\ud83d": 1 }] },
	] as unknown as AssistantBlock[];
	const content = valid([thinking, ...halves, novel]);
	expect(content).toEqual([thinking, novel]);
	expect(content[0]).toBe(thinking);
});

test("an id that is used already, in this answer or before it, or is none, gives way to one of ours", () => {
	const before: Message[] = [{ role: "assistant", content: [call("old"), call("toolu_agentree_3_4")] }];
	const ids = valid([call("a"), call("a"), call("old"), call(""), call("x.1"), call("b")], "tool_use", before);
	expect(ids.map((block) => block.type === "tool_use" && block.id)).toEqual([
		"a",
		"toolu_agentree_3_2",
		"toolu_agentree_3_3",
		"toolu_agentree_3_4_1",
		"toolu_agentree_3_5",
		"b",
	]);
});

test("a name that the service would not take back is made one that it does", () => {
	const names = [call("a", {}, ""), call("b", {}, "my tool!"), call("c", {}, "x".repeat(300))].map((block) =>
		valid([block]),
	);
	expect(names).toMatchObject([[{ name: "unnamed" }], [{ name: "my_tool_" }], [{ name: "x".repeat(64) }]]);
});

test.each([[["ls"]], ["ls"], [null], [7], [undefined]])(
	"an input that is no object is none that can be run: %j",
	(input) => {
		const [block] = valid([{ ...call("a"), input } as AssistantBlock]);
		expect(block).toMatchObject({ id: "a", input: expect.objectContaining({}) });
		expect(block?.type === "tool_use" && parseBashInput(block.input)).toMatchObject({
			is: "invalid",
			reason: expect.stringContaining("not a complete JSON object"),
		});
	},
);

const STAY = ["tool_use", "end_turn", "stop_sequence", "max_tokens"];

test.each([...STAY, "refusal", "pause_turn", "model_context_window_exceeded", "new_reason"])(
	"whether calls of an answer stay that ended by %s",
	(stopReason) => {
		const content = valid([{ type: "text", text: "half" }, { type: "text", text: " \n" }, call("a")], stopReason);
		expect(content.map(({ type }) => type)).toEqual(STAY.includes(stopReason) ? ["text", "tool_use"] : ["text"]);
	},
);
