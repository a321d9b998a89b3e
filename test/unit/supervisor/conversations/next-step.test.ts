import { expect, test } from "vitest";
import type { AssistantBlock, ToolUseBlock } from "../../../../src/core/model/message.ts";
import { unreadableInput } from "../../../../src/models/protocol/valid-content.ts";
import {
	MAX_UNFINISHED,
	type NextStep,
	NONE_UNFINISHED,
	nextStep,
	type Unfinished,
} from "../../../../src/supervisor/conversations/next-step.ts";

const call = (id: string): ToolUseBlock => ({ type: "tool_use", id, name: "bash", input: { command: "ls" } });
const broken = (id: string): ToolUseBlock => ({ ...call(id), input: unreadableInput('{"command":"rm -rf /ho') });
const text = (words: string): AssistantBlock => ({ type: "text", text: words });
const thinking: AssistantBlock = { type: "thinking", thinking: "hm", signature: "s" };

const after = (content: AssistantBlock[], stopReason: string, before: Partial<Unfinished> = {}, mayBeEmpty = false) =>
	nextStep({ content, stopReason }, { ...NONE_UNFINISHED, ...before }, mayBeEmpty);

/** The same answer again and again: how often it is gone on with, and how it ends. */
function again(content: AssistantBlock[], stopReason: string): { times: number; last: NextStep } {
	let unfinished = NONE_UNFINISHED;
	for (let times = 0; ; times++) {
		const last = nextStep({ content, stopReason }, unfinished, false);
		if (last.do !== "continue") return { times, last };
		unfinished = last.unfinished;
	}
}

test.each(["tool_use", "end_turn", "stop_sequence"])(
	"calls of an answer that ended by %s are run, all of them in their order, whatever is said beside them",
	(stopReason) => {
		expect(after([thinking, text("first"), call("a"), call("b")], stopReason)).toEqual({
			do: "run",
			calls: [call("a"), call("b")],
		});
	},
);

test("text without a call is the answer", () => {
	for (const stopReason of ["end_turn", "stop_sequence"])
		expect(after([thinking, text("done"), text("all of it")], stopReason)).toEqual({
			do: "answer",
			text: "done\n\nall of it",
		});
});

test.each([[[]], [[thinking]], [[text(" \n")]]])("nothing said is asked about once, then a failure: %j", (content) => {
	expect(after(content, "end_turn")).toMatchObject({
		do: "continue",
		calls: [],
		instruction: expect.stringContaining("empty"),
	});
	expect(again(content, "end_turn")).toEqual({
		times: 1,
		last: { do: "fail", reason: "the model gave an empty answer" },
	});
	expect(after(content, "end_turn", {}, true).do).toBe("answer");
});

test("a stop for a call that is not there is asked about once, then a failure that says so", () => {
	expect(after([text("I look:")], "tool_use")).toMatchObject({ do: "continue", calls: [] });
	expect(again([text("I look:")], "tool_use")).toEqual({
		times: 1,
		last: { do: "fail", reason: "the model stopped for a tool call (tool_use) and made none" },
	});
});

test("text that is cut at the token limit is gone on with, and the answer is the whole of it", () => {
	const cut = after([text("one two th")], "max_tokens");
	expect(cut).toMatchObject({
		do: "continue",
		calls: [],
		instruction: expect.stringContaining("exactly where it stopped"),
	});
	const unfinished = cut.do === "continue" ? cut.unfinished : NONE_UNFINISHED;
	expect(after([text("ree")], "end_turn", unfinished)).toEqual({ do: "answer", text: "one two three" });
	expect(after([], "end_turn", unfinished)).toEqual({ do: "answer", text: "one two th" });
	expect(again([text("more")], "max_tokens")).toEqual({
		times: MAX_UNFINISHED,
		last: { do: "fail", reason: "the model's answer was cut at its token limit (max_tokens), 6 times in a row" },
	});
});

test("a cut before anything was said is told, too", () => {
	expect(after([], "max_tokens")).toMatchObject({ do: "continue", instruction: expect.stringContaining("Think less") });
});

test("no call of an answer that was cut is run: each is answered with the advice to use a smaller command, a few times", () => {
	const step = after([text("I write"), call("a"), broken("b")], "max_tokens");
	expect(step).toMatchObject({ do: "continue", calls: [{ id: "a" }, { id: "b" }], unfinished: { text: "" } });
	expect(step.do === "continue" && step.instruction).toContain("smaller command");
	expect(again([broken("a")], "max_tokens")).toMatchObject({ times: MAX_UNFINISHED, last: { do: "fail" } });
});

test("calls that are no JSON are written anew a few times; beside one that can be read each gets its own result", () => {
	expect(after([broken("a")], "tool_use")).toMatchObject({ do: "continue", calls: [{ id: "a" }] });
	expect(again([broken("a")], "tool_use")).toEqual({
		times: MAX_UNFINISHED,
		last: { do: "fail", reason: "the model's tool calls were not valid JSON, 6 times in a row" },
	});
	expect(after([broken("a"), call("b")], "tool_use")).toEqual({ do: "run", calls: [broken("a"), call("b")] });
});

test("a pause is gone on with, its text is a part of the answer, and it has an end", () => {
	const pause = after([text("so far")], "pause_turn");
	const unfinished = pause.do === "continue" ? pause.unfinished : NONE_UNFINISHED;
	expect(after([text("and more")], "end_turn", unfinished)).toEqual({ do: "answer", text: "so far\n\nand more" });
	expect(again([], "pause_turn")).toMatchObject({
		times: MAX_UNFINISHED,
		last: { do: "fail", reason: expect.stringContaining("pause_turn") },
	});
});

test("no call of an answer that was refused is run, and the failure names the reason", () => {
	const step = after([text("I will"), call("a")], "refusal", {}, true);
	expect(step).toEqual({ do: "fail", reason: expect.stringContaining("refusal") });
});

test("when the context was full in the middle, room is made once and the answer is gone on with; then it is a failure", () => {
	const full = "model_context_window_exceeded";
	const cut = after([text("one two th")], full);
	expect(cut).toMatchObject({ do: "compact", calls: [], instruction: expect.stringContaining("where it stopped") });
	const unfinished = cut.do === "compact" ? cut.unfinished : NONE_UNFINISHED;
	expect(after([text("ree")], "end_turn", unfinished)).toEqual({ do: "answer", text: "one two three" });
	expect(after([text("ree")], full, unfinished)).toEqual({ do: "fail", reason: expect.stringContaining(full) });
	expect(after([], full)).toMatchObject({
		do: "compact",
		instruction: expect.stringContaining("before you said anything"),
	});
	expect(after([text("I will"), call("a")], full)).toMatchObject({
		...{ do: "compact", calls: [{ id: "a" }], instruction: expect.stringContaining("none of its calls was run") },
		unfinished: { text: "" },
	});
});

test("a reason to stop that nobody knows is a failure that names it", () => {
	expect(after([call("a")], "vendor_whim", {}, true)).toEqual({
		do: "fail",
		reason: "the model stopped for an unknown reason: vendor_whim",
	});
});

test.each([
	"end_turn",
	"max_tokens",
	"stop_sequence",
	"tool_use",
	"pause_turn",
	"refusal",
	"model_context_window_exceeded",
])("the service's reason to stop %s is known", (stopReason) => {
	const step = after([text("x")], stopReason);
	expect(step.do === "fail" && step.reason.includes("unknown")).toBe(false);
});
