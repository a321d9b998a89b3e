import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readOutput } from "../../../../src/supervisor/calls/last-output.ts";

test("a log that a command has replaced by a FIFO has no text, and nobody waits for its writer", async () => {
	// Seen to hang: a thread waited in open(2), so the supervisor could not even exit.
	const path = fifo();
	expect(await readOutput({ log: path, printedBytes: 3, exitCode: 0 })).toEqual({
		...{ path, text: "", printedBytes: 3, keptBytes: 0, exitCode: 0 },
	});
});

function fifo(): string {
	const directory = mkdtempSync(join(tmpdir(), "agentree-fifo-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	const path = join(directory, "0001.log");
	execFileSync("mkfifo", [path]);
	return path;
}
