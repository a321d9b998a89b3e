import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openCommandLog } from "../../../../src/agent/bash/command-log.ts";

test("a FIFO in place of a log costs the log, and nobody waits for its reader", () => {
	const log = openCommandLog(fifo(), 100);
	log.write(Buffer.from("text"));
	log.close();
	expect(log.failure).toBe("ENXIO");
});

function fifo(): string {
	const directory = mkdtempSync(join(tmpdir(), "agentree-fifo-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	const path = join(directory, "0001.log");
	execFileSync("mkfifo", [path]);
	return path;
}
