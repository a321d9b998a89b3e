import { expect, test } from "vitest";
import { contextLines } from "../../../../src/faces/chat/requests.ts";

const NONE = {
	...{ system: 0, instructions: 0, tools: 0, messages: 0, answers: 0, thinking: 0, calls: 0, results: 0, summary: 0 },
};

test("what fills the window is told by parts, and empty ones are left out", () => {
	const parts = { ...NONE, system: 1_000, messages: 500, results: 8_500 };
	expect(contextLines({ windowTokens: 100_000, compactAtTokens: 80_000, parts })).toEqual([
		"10.0k of 100.0k tokens (10 %); summarized at 80.0k",
		"  system prompt      1.0k  ##",
		"  your messages       500  #",
		"  command output     8.5k  #################",
	]);
	expect(contextLines({ windowTokens: 100_000, parts: NONE })).toEqual(["0 of 100.0k tokens (0 %)"]);
});

test("what is estimated is told as that, with the whole that the parts make", () => {
	const parts = { ...NONE, system: 300, messages: 100 };
	expect(contextLines({ windowTokens: 100_000, compactAtTokens: 80_000, isEstimated: true, parts })).toEqual([
		"about 400 of 100.0k tokens (<1 %), estimated (the service does not count them); summarized at 80.0k",
		"  system prompt       300  ###############",
		"  your messages       100  #####",
	]);
});
