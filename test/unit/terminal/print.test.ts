import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { printFile } from "../../../src/terminal/print.ts";

test("a FIFO in place of the answer's file is printed as nothing, and nobody waits for its writer", async () => {
	expect(await printFile(1, fifo())).toEqual({ is: "written" });
});

function fifo(): string {
	const directory = mkdtempSync(join(tmpdir(), "agentree-fifo-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	const path = join(directory, "0001.log");
	execFileSync("mkfifo", [path]);
	return path;
}
