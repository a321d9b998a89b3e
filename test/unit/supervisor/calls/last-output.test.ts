import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readOutput } from "../../../../src/supervisor/calls/model-calls.ts";

/** What is read of the log of agent 1.2's first command, once `plant` has been at work in the run's directory. */
async function outputAfter(plant: (directory: string) => void) {
	const directory = mkdtempSync(join(tmpdir(), "agentree-output-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	for (const agent of ["1/1", "1/2"]) mkdirSync(join(directory, agent, "out"), { recursive: true });
	writeFileSync(join(directory, "1/1/out/0001.log"), "of another agent");
	plant(directory);
	const command = { directory, log: "1/2/out/0001.log", printedBytes: 3, exitCode: 0 };
	const { path, ...read } = (await readOutput(command)) ?? { path: "" };
	expect(path).toBe(join(directory, "1/2/out/0001.log"));
	return read;
}

const NOTHING = { text: "", printedBytes: 3, keptBytes: 0, exitCode: 0 };

test("the log is read as the command's output", async () => {
	const read = await outputAfter((directory) => writeFileSync(join(directory, "1/2/out/0001.log"), "own"));
	expect(read).toEqual({ text: "own", printedBytes: 3, keptBytes: 3, exitCode: 0 });
});

// Seen to fail: of a FIFO a thread waited in open(2), so the supervisor could not even exit; links were followed.
test.each([
	["a FIFO", (directory: string) => execFileSync("mkfifo", [join(directory, "1/2/out/0001.log")])],
	["a directory", (directory: string) => mkdirSync(join(directory, "1/2/out/0001.log"))],
	[
		"a link to the log of another agent",
		(directory: string) => symlinkSync("../../1/out/0001.log", join(directory, "1/2/out/0001.log")),
	],
	[
		"a link in place of out/",
		(directory: string) => {
			renameSync(join(directory, "1/2/out"), join(directory, "moved"));
			symlinkSync("../1/out", join(directory, "1/2/out"));
		},
	],
	[
		"a link in place of the agent's directory",
		(directory: string) => {
			renameSync(join(directory, "1/2"), join(directory, "moved"));
			symlinkSync("1", join(directory, "1/2"));
		},
	],
])("%s that a command has put in place of its log has no text, and nobody waits for it", async (_, plant) => {
	expect(await outputAfter(plant)).toEqual(NOTHING);
});
