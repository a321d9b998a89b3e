import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AgentreeError } from "../../../src/core/errors.ts";
import { Bugs } from "../../../src/terminal/bugs.ts";

function bugsIn(): Bugs & { file: string } {
	const directory = mkdtempSync(join(tmpdir(), "agentree-bugs-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	return Object.assign(new Bugs(() => 0), { file: join(directory, "bugs.log") });
}

test("an error that the process goes on after leaves its stack and its causes in the run's file", () => {
	const bugs = bugsIn();
	bugs.note(new Error("broken", { cause: new Error("the cause") }));
	const lines = readFileSync(bugs.file, "utf8").split("\n");
	expect(lines.filter((line) => !/^ {4}at |^$/.test(line))).toEqual([
		expect.stringMatching(/^1970-01-01T00:00:00.000Z .*pid \d+/),
		"Error: broken",
		"caused by: Error: the cause",
	]);
	expect(lines[2]).toMatch(/^ {4}at .*bugs.test.ts/);
});

test("a refusal and a shortage leave none: they are no bugs", () => {
	const bugs = bugsIn();
	bugs.note(new AgentreeError("usage", "no such file"));
	bugs.note(Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" }));
	expect(() => readFileSync(bugs.file)).toThrow("ENOENT");
});
