import { expect, test } from "vitest";
import { messageParams } from "../../../src/models/message-params.ts";
import { afterCommand, asksWith, BASH, FIRST } from "../../fixtures/fake-call.ts";

test("a request asks for caching and for summaries of adaptive thinking, and for nothing that newer models refuse", () => {
	expect(messageParams("claude-opus-5-5", asksWith(FIRST))).toEqual({
		model: "claude-opus-5-5",
		max_tokens: 32_000,
		system: "You are an agent.",
		tools: [BASH],
		messages: FIRST,
		stream: true,
		cache_control: { type: "ephemeral" },
		thinking: { type: "adaptive", display: "summarized" },
	});
});

test.each([
	["claude-haiku-4-5", false],
	["claude-haiku-4-5-20251001", false],
	["claude-sonnet-4-20250514", false],
	["claude-3-5-haiku-latest", false],
	["claude-opus-4-6", true],
	["claude-sonnet-5-5", true],
	["claude-unheard-of-9", true],
])("%s is asked to think adaptively: %s", (model, isAdaptive) => {
	expect("thinking" in messageParams(model, asksWith(FIRST))).toBe(isAdaptive);
});

test("effort is passed on when it is asked for", () => {
	expect(messageParams("claude-opus-5", asksWith(FIRST, { effort: "xhigh" })).output_config).toEqual({
		effort: "xhigh",
	});
	expect(messageParams("claude-opus-5", asksWith(FIRST))).not.toHaveProperty("output_config");
});

test("a call without tools has the same system and tools to the byte, and says that none may be used", () => {
	const first = messageParams("claude-sonnet-5-5", asksWith(FIRST));
	const last = messageParams("claude-sonnet-5-5", asksWith(afterCommand("x"), { mayUseTools: false }));
	expect(JSON.stringify([last.system, last.tools])).toBe(JSON.stringify([first.system, first.tools]));
	expect(last.tool_choice).toEqual({ type: "none" });
	expect(first).not.toHaveProperty("tool_choice");
});

test("an answer is bounded as it was asked for, never above the model's own bound, and nothing else changes", () => {
	const params = messageParams("claude-opus-5", asksWith(FIRST));
	const lowered = messageParams("claude-opus-5", asksWith(FIRST, { maxTokens: 1024 }));
	expect(JSON.stringify(lowered)).toBe(JSON.stringify(params).replace("32000", "1024"));
	expect(messageParams("claude-opus-5", asksWith(FIRST, { maxTokens: 64_000 }))).toEqual(params);
});
