import { expect, test } from "vitest";
import { type AssistantBlock, isOfAnyModel } from "../../../../src/core/model/message.ts";
import { isMarked, markedThinking, thinkingOf } from "../../../../src/models/provider/marked-thinking.ts";

test("thinking without a signature, or with one that is no text, belongs to no service", () => {
	for (const signature of [undefined, null, 1, {}]) {
		const block = { type: "thinking", thinking: "x", signature } as unknown as AssistantBlock; // as schemas let it pass
		expect([isMarked(block), thinkingOf(block, "a"), isOfAnyModel(block)]).toEqual([false, undefined, false]);
	}
	expect(thinkingOf(markedThinking("x", "a", "d"), "a")).toEqual({ thinking: "x", data: "d" });
});
