import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { TranscriptEntry } from "../../../../src/core/schemas/transcript.ts";
import { transcriptPath } from "../../../../src/record/run-directory.ts";
import { createRun } from "../../../../src/record/run-writer.ts";
import { resumedOf } from "../../../../src/supervisor/agents/agent-file.ts";
import { initialState } from "../../../../src/supervisor/decide/supervisor-state.ts";
import { ended, joined, runOf } from "../../core/run-of.ts";
import { agentFile, runFile, temporaryHome } from "../../record/fabricate.ts";
import { fakeCore } from "../fake-core.ts";

const ENTRY = { role: "assistant", at: 1, turn: 1, model: "m", stopReason: "end_turn", costUsd: 0 } as const;
const usage = { input: 0, output: 1, cacheRead: 0, cacheWrite: 0 };

test("a parent is sent its child's words also when they are long, and is told that its own transcript is empty", () => {
	// Seen to fail with one look at the last 256 KiB, with 4,000 characters, and with silence for an empty file.
	const run = createRun(temporaryHome(), runFile());
	run.addAgent(agentFile());
	run.addAgent(agentFile({ agent: "1.1" }));
	const answer: TranscriptEntry = { ...ENTRY, content: [{ type: "text", text: "w".repeat(600_000) }], usage };
	run.record("1.1", answer);
	run.close();
	const { directory } = run;
	const state = initialState(runOf(joined("1"), joined("1.1", {}, 3), ended("1.1"), ended("1")));
	const { core } = fakeCore({ directory, state });
	const was = { by: "crashed", reason: "its supervisor died" } as const;
	const transcript = transcriptPath(directory, "1.1");
	const told = () => resumedOf("1", { was, message: undefined, damage: [] }, core);
	expect(told()).toMatchObject({
		children: [{ agent: "1.1", lastWords: "w".repeat(50_000), characters: 600_000, transcript, command: 3 }],
		damage: [`the transcript of agent 1 is empty: it now starts with its task (${transcriptPath(directory, "1")})`],
	});
	writeFileSync(transcriptPath(directory, "1"), "{}\n");
	expect(told().damage).toEqual([]);
});
