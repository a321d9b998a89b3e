import { expect, test } from "vitest";
import { nextStep } from "../../../src/agent/next-step.ts";
import { type AssistantBlock, STOP_REASONS, type ToolUseBlock } from "../../../src/core/model.ts";

const call = (id: string): ToolUseBlock => ({ type: "tool_use", id, name: "bash", input: { command: "ls" } });
const text = (words: string): AssistantBlock => ({ type: "text", text: words });
const thinking: AssistantBlock = { type: "thinking", thinking: "hm", signature: "s" };

test("calls are run, all of them in their order, whatever is said beside them", () => {
	expect(nextStep([thinking, text("first"), call("a"), call("b")], "tool_use", false)).toEqual({
		do: "run",
		calls: [call("a"), call("b")],
	});
});

test("text without a call is the answer", () => {
	expect(nextStep([thinking, text("done"), text("all of it")], "end_turn", false)).toEqual({
		do: "answer",
		text: "done\n\nall of it",
	});
});

test.each([[[]], [[thinking]], [[text(" \n")]]])("nothing said is a failure, unless the model may: %j", (content) => {
	expect(nextStep(content, "end_turn", false)).toEqual({ do: "fail", reason: "the model gave an empty answer" });
	expect(nextStep(content, "end_turn", true).do).toBe("answer");
});

test.each(["max_tokens", "refusal", "pause_turn", "model_context_window_exceeded"])(
	"no call of an answer that stopped by %s is run, and the failure names the reason",
	(stopReason) => {
		const step = nextStep([text("I will"), call("a")], stopReason, true);
		expect(step).toEqual({ do: "fail", reason: expect.stringContaining(stopReason) });
	},
);

test("a reason to stop that nobody knows is a failure that names it", () => {
	expect(nextStep([call("a")], "vendor_whim", true)).toEqual({
		do: "fail",
		reason: "the model stopped for a reason that is not known here: vendor_whim",
	});
});

test("every known reason to stop is known here", () => {
	for (const stopReason of STOP_REASONS) {
		const step = nextStep([text("x")], stopReason, false);
		expect(step.do === "fail" && step.reason.includes("not known")).toBe(false);
	}
});
