import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TranscriptEntry } from "../../../../src/core/model/transcript.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { reduce } from "../../../../src/core/run/run-state.ts";
import { replayRun } from "../../../../src/record/load-run.ts";
import { lostAgents } from "../../../../src/record/repair.ts";
import { agentFilePath } from "../../../../src/record/run-directory.ts";
import { createRun } from "../../../../src/record/run-writer.ts";
import { agentFile, agentJoined, runFile, runStarted, T0, temporaryHome } from "../fabricate.ts";

const usage = { ...NO_USAGE, output: 7 };
const answer = (turn: number): TranscriptEntry => ({
	...{ role: "assistant", content: [{ type: "text", text: "so" }], at: T0 + turn, turn, model: "m" },
	...{ stopReason: "end_turn", usage, costUsd: 0.5 },
});

test("what a lost agent had spent before its run was copied is not the copy's", () => {
	const run = createRun(temporaryHome(), runFile());
	run.append(runStarted());
	run.addAgent(agentFile());
	run.record("1", answer(1));
	run.record("1", { role: "note", note: "forked", at: T0 + 5, from: "r0/1" });
	run.record("1", answer(2));
	run.close();
	const { state } = replayRun(run.directory);
	const { agents } = lostAgents(run.directory, state).reduce(reduce, state);
	expect(agents["1"]).toMatchObject({ turns: 2, costUsd: 0.5, usage: { output: 7 } });
});

test("agents of which the event log says nothing are known by their files: turns, costs, ending, number", () => {
	const run = createRun(temporaryHome(), runFile());
	run.append(runStarted());
	run.append(agentJoined("1.2", T0 + 1));
	run.addAgent(agentFile({ endedAt: T0 + 9, ending: { by: "answer" } }));
	for (const agent of ["1.2", "1.3", "1.3.10"]) run.addAgent(agentFile({ agent }));
	for (const turn of [1, 2]) run.record("1", answer(turn));
	run.record("1", { ...answer(2), role: "note", note: "call", outcome: "failed", reason: "broke" } as TranscriptEntry);
	rmSync(agentFilePath(run.directory, "1.3.10"));
	run.close();
	const { state } = replayRun(run.directory);
	const { agents } = lostAgents(run.directory, state).reduce(reduce, state);
	expect(Object.keys(agents).sort()).toEqual(["1", "1.2", "1.3", "1.3.10"]);
	expect(agents["1"]).toMatchObject({
		turns: 2,
		costUsd: 1.5,
		usage: { output: 21 },
		task: "count the lines of every folder",
	});
	expect(agents["1"]?.state).toEqual({ is: "ended", at: T0 + 9, ending: { by: "answer" } });
	const unknown = { by: "crashed", reason: "its end was not recorded" };
	expect(agents["1.3.10"]).toMatchObject({ task: "count the lines of every folder", state: { ending: unknown } });
	expect(agents["1.2"]).toMatchObject({ task: "task of 1.2", state: { is: "queued" } });
	expect(lostAgents(join(run.directory, "nowhere"), state)).toEqual([]);
});
