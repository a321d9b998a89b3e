import { expect, test } from "vitest";
import { textOf } from "../../../src/core/model.ts";
import { addUsage, NO_USAGE, totalTokens } from "../../../src/core/usage.ts";

test("the text of a message leaves out thinking and calls", () => {
	expect(
		textOf([
			{ type: "thinking", thinking: "hm", signature: "s" },
			{ type: "text", text: "first" },
			{ type: "redacted_thinking", data: "x" },
			{ type: "tool_use", id: "a", name: "bash", input: { command: "ls" } },
			{ type: "text", text: "second" },
		]),
	).toBe("first\n\nsecond");
	expect(textOf([])).toBe("");
});

test("usage adds up kind by kind, and all that went in or out counts", () => {
	const usage = { input: 1, output: 20, cacheRead: 300, cacheWrite: 4000 };
	expect(addUsage(usage, usage)).toEqual({ input: 2, output: 40, cacheRead: 600, cacheWrite: 8000 });
	expect(addUsage(NO_USAGE, usage)).toEqual(usage);
	expect(totalTokens(usage)).toBe(4321);
});
