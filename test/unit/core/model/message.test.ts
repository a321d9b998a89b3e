import { expect, test } from "vitest";
import { textOf } from "../../../../src/core/model/message.ts";

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
