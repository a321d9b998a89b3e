import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lastWordsIn } from "../../../../src/cli/result/last-words.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import type { CallNote, TranscriptEntry } from "../../../../src/core/schemas/transcript.ts";
import { transcriptPath } from "../../../../src/record/run-directory.ts";

const spent = { at: 1, turn: 1, usage: NO_USAGE, costUsd: 0 };
const note = (outcome: CallNote["outcome"], partial?: string): TranscriptEntry => ({
	...{ role: "note", note: "call", outcome, reason: "r", ...spent },
	...(partial === undefined ? {} : { partial }),
});
const answer = (text: string): TranscriptEntry => ({
	...{ role: "assistant", content: [{ type: "text", text }], model: "m", stopReason: "tool_use", ...spent },
});

// Seen to fail ("one", "one") when only messages were read.
test("the last words are the newest text, also of an answer that never came whole", async () => {
	const directory = mkdtempSync(join(tmpdir(), "last-words-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const path = transcriptPath(directory, "1");
	mkdirSync(dirname(path), { recursive: true });
	const after = async (...entries: TranscriptEntry[]) => {
		for (const entry of entries) appendFileSync(path, `${JSON.stringify(entry)}\n`);
		return (await lastWordsIn(directory)).text;
	};
	expect([
		await after(answer("one"), note("failed")),
		await after(note("cancelled", "half of two")),
		await after(note("compaction")),
		await after(answer("three")),
	]).toEqual(["one", "half of two", "half of two", "three"]);
});
