/** A git in a sandbox whose bwrap is killed while it makes the sandbox. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { isAlive, procTable } from "../../../src/processes/table/process-table.ts";
import { runGit } from "../../../src/project/run-git.ts";
import { WAIT } from "../../wait.ts";
import { makeDirectory } from "../bash/bash-command.ts";

test("what a killed bwrap leaves in its group is killed, too, and holds up nobody", async () => {
	// Seen to fail without `killGroupOf`: bwrap's second process waits for the first, which is over, and holds the pipes.
	const cwd = makeDirectory();
	const bwrap = { program: "/bin/bash", environment: { PATH: process.env.PATH }, cwd, isSandboxed: true };
	const args = ["-c", "sleep 600 & echo $! >pid; kill -KILL $$"];
	const { signal } = new AbortController();
	const pidLeft = () => Number(readFileSync(join(cwd, "pid"), "utf8"));
	onTestFinished(() => {
		if (procTable.read(pidLeft())?.name === "sleep") process.kill(pidLeft(), "SIGKILL");
	});
	expect(await runGit(bwrap, { args, signal })).toMatchObject({ is: "failed" });
	const { startTime = "0" } = procTable.read(pidLeft()) ?? {};
	await vi.waitFor(() => expect(isAlive(procTable, { pid: pidLeft(), startTime })).toBe(false), WAIT);
});
