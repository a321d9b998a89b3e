/** `--detach`: the run goes on by itself, and whoever has started it is done at once. */
import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { procTable } from "../../../src/processes/table/process-table.ts";
import { readRunFile } from "../../../src/record/read-run.ts";
import { runDirectory } from "../../../src/record/run-directory.ts";
import { runProgram, temporaryHome } from "../program.ts";

const WAITS = 'agent "until [ -e go ]; do sleep 0.05; done; echo went"';

test.each(["run", "tree"])("agent %s --detach prints the id and is done, while the run goes on", async (word) => {
	const home = temporaryHome();
	const { exit, stdout, stderr } = await runProgram([word, "--detach", "--model", "shell", WAITS], { home });
	expect({ exit, stderr, stdout }).toEqual({
		...{ exit: 0, stderr: "" },
		stdout: expect.stringMatching(/^\d{8}-\d{6}-[a-z0-9]{4}\n$/),
	});
	const run = stdout.trim();
	const { supervisor } = readRunFile(runDirectory(join(home, "agentree"), run));
	// Seen to fail with the supervisor spawned without `detached`: a closed terminal ends all of its session.
	expect(procTable.read(supervisor.pid)?.session).toBe(supervisor.pid);
	writeFileSync(join(home, "go"), "");
	expect(await runProgram(["wait", run], { home })).toMatchObject({ exit: 0 });
	expect((await runProgram(["show", run], { home })).stdout).toMatch(/^went$/m);
});

test("a detached run holds nothing of who has started it open", async () => {
	const home = temporaryHome();
	const { stdout } = await runProgram(["run", "--detach", "--model", "shell", WAITS], { home });
	const { supervisor } = readRunFile(runDirectory(join(home, "agentree"), stdout.trim()));
	const terminal = readFileSync(`/proc/${supervisor.pid}/stat`, "utf8").split(") ")[1]?.split(" ")[4];
	expect(terminal).toBe("0");
	expect(readlinkSync(`/proc/${supervisor.pid}/fd/2`)).toBe("/dev/null");
});

test("what keeps a detached run from starting is said, with the exit code of its class, and no run is left", async () => {
	const home = temporaryHome();
	const started = async (...args: string[]) => {
		const { exit, stdout, stderr } = await runProgram(["run", "--detach", ...args], { home });
		return [exit, stdout, stderr.split(":")[1]];
	};
	expect([
		await started("--model", "sonnet", "x y"),
		await started("--model", "script:none.yaml", "x y"),
		await started("--model", "shell", "--output-format", "json", "x y"),
		await started("--model", "shell", "-C", "nowhere", "x y"),
	]).toEqual([
		[77, "", expect.any(String)],
		[2, "", expect.any(String)],
		[
			2,
			expect.stringContaining("agent wait RUN --output-format json"),
			expect.stringContaining(" --detach prints only the"),
		],
		[2, "", " --cd nowhere"],
	]);
	expect((await runProgram(["ps", "-a"], { home })).stdout).not.toMatch(/\d{8}-/);
});

test("inside a run --detach is refused, since nothing may outlive the run", async () => {
	const { exit, stdout } = await runProgram([
		"run",
		"--model",
		"shell",
		'agent tree --detach "echo out" 2>&1; echo $?',
	]);
	expect([exit, stdout]).toEqual([
		0,
		expect.stringMatching(/^agent: --detach is not available inside a run; .*\n2\n$/),
	]);
});
