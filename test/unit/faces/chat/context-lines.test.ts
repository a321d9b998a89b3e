import { expect, test } from "vitest";
import { contextLines } from "../../../../src/faces/chat/requests.ts";

const NONE = {
	...{ system: 0, instructions: 0, tools: 0, messages: 0, answers: 0, thinking: 0, calls: 0, results: 0, summary: 0 },
};

test("what is estimated is told as that, with the whole that the parts make", () => {
	const parts = { ...NONE, system: 300, messages: 100 };
	expect(contextLines({ windowTokens: 100_000, compactAtTokens: 80_000, isEstimated: true, parts })).toEqual([
		"about 400 of 100.0k tokens (<1 %), estimated (the service does not count them); summarized at 80.0k",
		"  system prompt       300  ###############",
		"  your messages       100  #####",
	]);
});
