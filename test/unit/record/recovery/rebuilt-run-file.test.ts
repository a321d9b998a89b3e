import { renameSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import { rebuiltRunFile } from "../../../../src/record/repair.ts";
import { eventsPath } from "../../../../src/record/run-directory.ts";
import { createRun } from "../../../../src/record/run-writer.ts";
import { agentFile, runFile, runStarted, T0, temporaryHome } from "../fabricate.ts";

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
