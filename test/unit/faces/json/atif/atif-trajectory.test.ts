import { expect, test } from "vitest";
import { NO_USAGE } from "../../../../../src/core/model/usage.ts";
import type { TranscriptEntry } from "../../../../../src/core/schemas/transcript.ts";
import { atifTrajectory } from "../../../../../src/faces/json/atif/atif-trajectory.ts";
import { createRun } from "../../../../../src/record/run-writer.ts";
import { atifErrors } from "../../../../atif-errors.ts";
import { agentFile, agentJoined, runFile, runStarted, T0, temporaryHome } from "../../../record/fabricate.ts";
import { END, EVENTS, recordRun } from "../../print/recorded-run.ts";
import { type Fabricated, recordedRun } from "../fabricated-run.ts";

const documentOf = (run: Fabricated) => [...atifTrajectory(recordedRun(run))].join("");

test("the root's trajectory has those of the agents below it, and results refer to the agents that their command started", async () => {
	const directory = recordRun(temporaryHome(), {});
	const json = documentOf({ directory, events: [...EVENTS, ...END], now: T0 + 68_200 });
	expect(atifErrors(JSON.parse(json))).toEqual([]);
	await expect(`${JSON.stringify(JSON.parse(json), null, "\t")}\n`).toMatchFileSnapshot("atif-trajectory.txt");
});

test("an agent that is alive is noted as such, and its commands without results are observed all the same", () => {
	const directory = recordRun(temporaryHome(), {});
	const document = JSON.parse(documentOf({ directory, events: EVENTS.slice(0, 3), now: T0 + 5_000 }));
	expect(atifErrors(document)).toEqual([]);
	expect(document.notes).toBe("The agent was still running when this was written, at 2026-11-27T20:15:35.000Z.");
	expect(document.extra).toEqual({ state: "queued", joined_at: "2026-11-27T20:15:30.100Z" });
});

test("steps that were copied from another run say so, and leave what they have cost to that one", () => {
	const run = createRun(temporaryHome(), runFile());
	run.addAgent(agentFile());
	const answer = (turn: number): TranscriptEntry => ({
		...{ role: "assistant", content: [{ type: "text", text: "so" }], at: T0 + turn * 1_000, turn, model: "m" },
		...{ stopReason: "end_turn", usage: { ...NO_USAGE, output: 7 }, costUsd: 0.5 },
	});
	run.record("1", answer(1));
	run.record("1", { role: "note", note: "forked", at: T0 + 1_500, from: "r0/1" });
	run.record("1", answer(2));
	run.close();
	const forked = { event: "run_forked", at: T0 + 1_500, run: "r1", from: "r0" } as const;
	const events = [runStarted(), agentJoined("1", T0), forked];
	const file = { forkedFrom: "r0" };
	const recorded = recordedRun({ directory: run.directory, events, now: T0 + 9_000, file });
	const document = JSON.parse([...atifTrajectory(recorded)].join(""));
	expect(atifErrors(document)).toEqual([]);
	const steps: { source: string; is_copied_context?: boolean; metrics?: object }[] = document.steps;
	const answers = steps.filter(({ source }) => source === "agent");
	expect(answers.map((step) => [step.is_copied_context, step.metrics === undefined])).toEqual([
		[true, true],
		[undefined, false],
	]);
});

test("an agent without files has its task as its one step, and what could not be read is said", () => {
	const run = createRun(temporaryHome(), runFile());
	run.addAgent(agentFile());
	run.close();
	const events = [runStarted(), agentJoined("1", T0), agentJoined("1.2", T0, { task: "lost" })];
	const recorded = recordedRun({ directory: run.directory, events, now: T0 + 1_000 });
	const document = JSON.parse([...atifTrajectory(recorded)].join(""));
	expect(atifErrors(document)).toEqual([]);
	expect(document.subagent_trajectories[0].steps).toEqual([
		{ step_id: 1, timestamp: "2026-11-27T20:15:30.000Z", source: "user", message: "lost" },
	]);
	expect(recorded.damage).toEqual(expect.arrayContaining([expect.stringContaining("1/2/agent.json: no such file")]));
});

test("a run whose log knows no agent has no trajectory", () => {
	const { directory } = createRun(temporaryHome(), runFile());
	expect(() => documentOf({ directory, events: [runStarted()], now: T0 })).toThrow("has no agent");
});
