import { appendFileSync, existsSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TranscriptEntry } from "../../../src/core/schemas/transcript.ts";
import { appendLine, openForAppend } from "../../../src/record/files/private-files.ts";
import { readEvents } from "../../../src/record/read-events.ts";
import { readAgentFile, readRunFile } from "../../../src/record/read-run.ts";
import { createRun } from "../../../src/record/run-writer.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { agentFile, agentJoined, runFile, runStarted, T0, temporaryHome } from "./fabricate.ts";

const entry: TranscriptEntry = { role: "user", content: [{ type: "text", text: "hi\u2028 there" }], at: T0 };

test("what was written is read back as it was", () => {
	const run = createRun(temporaryHome(), runFile());
	const joined = agentJoined("1", T0 + 1);
	run.append(runStarted());
	run.append(joined);
	run.addAgent(agentFile());
	run.record("1", entry);
	run.record("1", entry);
	run.close();
	expect(readRunFile(run.directory)).toEqual(runFile({ origin: run.origin }));
	expect(readAgentFile(run.directory, "1")).toEqual(agentFile());
	expect(readEvents(run.directory)).toEqual({ values: [runStarted(), joined], damage: [] });
	expect(readTranscript(run.directory, "1")).toEqual({ values: [entry, entry], damage: [] });
});

test("run.json and agent.json are replaced whole and leave nothing beside them", () => {
	const run = createRun(temporaryHome(), runFile());
	run.addAgent(agentFile());
	run.writeRun(runFile({ endedAt: T0 + 5, ending: { by: "answer" }, exitCode: 0 }));
	run.writeAgent(agentFile({ endedAt: T0 + 5, turns: 2 }));
	run.close();
	expect(readRunFile(run.directory)).toEqual(runFile({ endedAt: T0 + 5, ending: { by: "answer" }, exitCode: 0 }));
	expect(readAgentFile(run.directory, "1")).toEqual(agentFile({ endedAt: T0 + 5, turns: 2 }));
	expect(readdirSync(join(run.directory, "1")).sort()).toEqual(["agent.json", "out", "transcript.jsonl"]);
});

test("room is kept beside a run while it goes on, is given back piece by piece, and is gone at its end", () => {
	const run = createRun(temporaryHome(), runFile());
	const reserve = join(run.directory, ".reserve");
	const { size, blocks, mode } = statSync(reserve);
	expect([size, blocks * 512 >= size, mode & 0o777]).toEqual([64 * 1024, true, 0o600]);
	expect(run.free(24 * 1024)).toBe(true);
	expect(statSync(reserve).size).toBe(56 * 1024);
	while (run.free(24 * 1024));
	expect(statSync(reserve).size).toBe(24 * 1024);
	while (run.free(0));
	expect(statSync(reserve).size).toBe(0);
	run.close();
	expect([existsSync(reserve), run.free(0)]).toEqual([false, false]);
});

test("a run id that is taken is refused and the run that has it is untouched", () => {
	const home = temporaryHome();
	const { origin, close } = createRun(home, runFile());
	close();
	expect(() => createRun(home, runFile({ task: "other" }))).toThrow(/already exists \(EEXIST\); start again/);
	expect(readRunFile(join(home, "runs", runFile().run))).toEqual(runFile({ origin }));
});

test("a state directory that cannot be made is one line with the path and what to do", () => {
	const home = temporaryHome();
	const file = join(home, "file");
	appendFileSync(file, "");
	expect(() => createRun(file, runFile())).toThrow(
		expect.objectContaining({
			code: "not_writable",
			message: `cannot write ${file}/runs: part of the path is a file (ENOTDIR); set AGENTREE_HOME to a directory`,
		}),
	);
});

test("a full disk is said with the path and what to do", () => {
	const full = openSync("/dev/full", "a");
	expect(() => appendLine(full, "/state/events.jsonl", { a: 1 })).toThrow(
		expect.objectContaining({
			code: "not_writable",
			message:
				"cannot write /state/events.jsonl: the disk is full (ENOSPC); free some space, or set AGENTREE_HOME to a directory on another disk",
		}),
	);
});

test("closing twice does not close a file of somebody else", () => {
	const home = temporaryHome();
	const run = createRun(home, runFile());
	run.close();
	const other = openForAppend(join(home, "other"));
	run.close();
	appendLine(other, "other", { still: "open" });
	expect(readFileSync(join(home, "other"), "utf8")).toBe('{"still":"open"}\n');
});

test.each([
	["a torn line after whole ones", `{"a":1}\n{"b":`, `{"a":1}\n{"c":3}\n`],
	["nothing but a torn line", `{"b":`, `{"c":3}\n`],
	["a torn line longer than one read", `{"a":1}\n${"x".repeat(200_000)}`, `{"a":1}\n{"c":3}\n`],
	["a last line that lost only its line feed", `{"a":1}\n{"b":2}`, `{"a":1}\n{"b":2}\n{"c":3}\n`],
	["only whole lines", `{"a":1}\n`, `{"a":1}\n{"c":3}\n`],
])("a writer that finds %s leaves only whole lines", (_, before, after) => {
	const path = join(temporaryHome(), "events.jsonl");
	appendFileSync(path, before);
	appendLine(openForAppend(path), path, { c: 3 });
	expect(readFileSync(path, "utf8")).toBe(after);
});
