import { expect, test } from "vitest";
import type { TranscriptEntry } from "../../../src/core/schemas/transcript.ts";
import { fromFile, toFile } from "../../../src/record/spelling.ts";

const ANSWER: TranscriptEntry = {
	role: "assistant",
	content: [{ type: "tool_use", id: "a", name: "bash", input: { aKey: { of_the: "model" } } }],
	...{ at: 5, turn: 1, model: "m", stopReason: "tool_use", costUsd: null },
	usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
};

test("keys are written in snake_case at every depth, and come back as they were", () => {
	expect(toFile(ANSWER)).toEqual({
		...{ role: "assistant", content: ANSWER.content, at: 5, turn: 1, model: "m" },
		...{ stop_reason: "tool_use", cost_usd: null },
		usage: { input: 1, output: 2, cache_read: 3, cache_write: 4 },
	});
	expect(fromFile(toFile(ANSWER))).toEqual(ANSWER);
});

test("keys that are in camelCase already stay, as those of an older format", () => {
	expect(fromFile({ leftRunning: [{ pid: 7 }], end: { afterMs: 5 } })).toEqual({
		leftRunning: [{ pid: 7 }],
		end: { afterMs: 5 },
	});
});

test("a value that is nested too deeply to be walked is none", () => {
	const deep: unknown = JSON.parse(`{"content":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
	expect(fromFile(deep)).toBeUndefined();
});
