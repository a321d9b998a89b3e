import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/core/limits/limits.ts";
import { NO_USAGE } from "../../../src/core/model/usage.ts";
import { reduce } from "../../../src/core/run/run-state.ts";
import type { TranscriptEntry } from "../../../src/core/schemas/transcript.ts";
import { replayRun } from "../../../src/record/load-run.ts";
import { lostAgents, rebuiltRunFile, requireValid } from "../../../src/record/repair.ts";
import { agentFilePath, eventsPath } from "../../../src/record/run-directory.ts";
import { createRun } from "../../../src/record/run-writer.ts";
import { writeShims } from "../../../src/supervisor/processes/shims.ts";
import { agentFile, agentJoined, runFile, runStarted, T0, temporaryHome } from "./fabricate.ts";

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

test("run.json is made anew from the event log, or else from the root's agent.json, and from nothing else", () => {
	// Seen to fail without the events of a later supervisor: the run was that of the first one.
	const run = createRun(temporaryHome(), runFile());
	run.append(runStarted());
	run.addAgent(agentFile());
	const { directory } = run;
	const { socket } = runFile();
	expect(rebuiltRunFile(directory, socket)).toEqual(runFile());
	const end = { ending: { by: "answer" }, exitCode: 0, survivors: [] } as const;
	run.append({ event: "run_ended", at: T0 + 9, ...end });
	const ended = { endedAt: T0 + 9, ending: { by: "answer" }, exitCode: 0 } as const;
	expect(rebuiltRunFile(directory, socket)).toEqual(runFile(ended));
	const limits = { ...DEFAULT_LIMITS, maxTurns: 9 };
	const again = { limits, model: "m2", pid: 5000, startTime: "99", version: "0.1.1" };
	run.append({ event: "run_resumed", at: T0 + 20, ...again });
	run.append({ event: "run_forked", at: T0 + 30, run: runFile().run, from: "r0" });
	expect(rebuiltRunFile(directory, socket)).toMatchObject({
		...{ forkedFrom: "r0", startedAt: T0 + 30, supervisor: { pid: 1, startTime: "" }, model: "m2" },
	});
	run.append({ event: "run_resumed", at: T0 + 40, ...again });
	run.close();
	const supervisor = { pid: 5000, startTime: "99" };
	const copied = { startedAt: T0 + 30, forkedFrom: "r0" };
	const resumed = runFile({ limits, model: "m2", supervisor, version: "0.1.1", ...copied });
	expect(rebuiltRunFile(directory, socket)).toEqual(resumed);
	rmSync(eventsPath(directory));
	const fromRoot = { startedAt: T0 + 100, version: "", supervisor: { pid: 1, startTime: "" } };
	expect(rebuiltRunFile(directory, socket)).toEqual(runFile(fromRoot));
	renameSync(directory, `${directory}.bak`);
	expect(rebuiltRunFile(`${directory}.bak`, socket)).toBeUndefined();
	expect(rebuiltRunFile("/nowhere/at/all", socket)).toBeUndefined();
});

// Seen to fail: such a run was no conversation any more, and had no name.
test("run.json that is made anew has the run's name, and that it is or was a conversation", () => {
	const run = createRun(temporaryHome(), runFile());
	const { socket } = runFile();
	run.append(runStarted({ isConversation: true }));
	run.append({ event: "run_named", at: T0 + 1, name: "the parser" });
	const again = { limits: DEFAULT_LIMITS, pid: 5000, startTime: "99", version: "0.1.1" };
	run.append({ event: "run_resumed", at: T0 + 2, ...again });
	const rebuilt = () => rebuiltRunFile(run.directory, socket);
	expect(rebuilt()).toMatchObject({ name: "the parser", isConversation: true });
	run.append({ event: "run_named", at: T0 + 3, name: "" });
	expect(rebuilt()).not.toHaveProperty("name");
	run.close();
});

test("a run's directory is valid when each thing in it is of its kind, or missing", () => {
	// Seen to fail without requireValid: a FIFO, a directory or a file in their places gave a stack trace, and links were followed.
	const run = createRun(temporaryHome(), runFile());
	run.addAgent(agentFile());
	run.addAgent(agentFile({ agent: "1.1" }));
	run.close();
	const { directory } = run;
	expect(() => requireValid(directory)).not.toThrow();
	const makeDirectory = (path: string) => mkdirSync(path);
	const makeFile = (path: string) => writeFileSync(path, "");
	const makeFifo = (path: string) => execFileSync("mkfifo", [path]);
	const makeLink = (path: string) => symlinkSync(temporaryHome(), path);
	for (const [name, make, kind] of [
		["run.json", makeLink, "a regular file"],
		["1/agent.json", makeLink, "a regular file"],
		["1/out", makeLink, "a directory"],
		["bin", makeLink, "a directory"],
		["1/2", makeLink, "a directory"],
		["2", makeLink, "a directory"],
		["1/transcript.jsonl", makeFifo, "a regular file"],
		["1/1/transcript.jsonl", makeDirectory, "a regular file"],
		["events.jsonl", makeDirectory, "a regular file"],
		[".lock.1", makeDirectory, "a regular file"],
		["bin", makeFile, "a directory"],
		["1/out", makeFile, "a directory"],
	] as const) {
		const path = join(directory, name);
		rmSync(path, { recursive: true, force: true });
		make(path);
		expect(() => requireValid(directory)).toThrow(`this run cannot be resumed: ${path} is not ${kind}; move it away`);
		if (name === "bin")
			expect(() =>
				writeShims(directory, { nodeProgram: "node", agentProgram: "agent.js", hasExtraCertificates: false }),
			).toThrow(`cannot write ${path}`);
		rmSync(path, { recursive: true });
	}
	expect(() => requireValid(directory)).not.toThrow();
});
