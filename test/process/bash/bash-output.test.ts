/** The bash tool: its output, and what happens when the system has no more to give. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { expect, test, vi } from "vitest";
import type { CommandResult } from "../../../src/agent/bash/bash.ts";
import { commandEnvironment } from "../../../src/agent/bash/environment.ts";
import { createPipes } from "../../../src/agent/bash/pipe.ts";
import { WAIT } from "../../wait.ts";
import { makeDirectory, PROGRAMS, RUN, run } from "./bash-command.ts";

test("invalid and split UTF-8 comes out as text", async () => {
	const { text } = await run("printf '\\xe2\\x82'; sleep 0.1; printf '\\xac \\xff\\xfe \\xc3'");
	expect(text).toBe("€ �� �");
});

test("NUL bytes and control sequences are gone from the text and are in the log", async () => {
	const result = await run("printf 'a\\0b \\033[31mred\\033[0m \\033]0;title\\007end\\n10%%\\r100%%\\n'");
	expect(result.text).toBe("ab red end\n100%\n");
	expect(readFileSync(join(result.directory, "out/0001.log")).includes(0)).toBe(true);
});

test("output over the limit keeps head and tail around one marker with true totals and the path of the whole", async () => {
	const result = await run("seq 1 100000");
	expect(result.text.length).toBeLessThanOrEqual(20_000);
	expect(result.text.startsWith("1\n2\n3\n")).toBe(true);
	expect(result.text.endsWith("99999\n100000\n")).toBe(true);
	const log = join(result.directory, "out/0001.log");
	expect(result.text).toContain(`588,895 bytes in 100,000 lines in all; the whole is in ${log}`);
	expect(result.text.match(/left out/g)).toHaveLength(1);
	expect(statSync(log).size).toBe(588_895);
	expect(result.outputBytes).toBe(588_895);
});

test("a log stops at its cap with a line that says so, and the true total is in the result", async () => {
	const result = await run("yes | head -c 300000", { limits: { maxLogBytes: 100_000 } });
	const log = readFileSync(join(result.directory, "out/0001.log"), "utf8");
	expect(log.slice(100_000)).toBe("\n[agentree: cut at 100000 bytes; the rest was not saved]\n");
	expect(result.outputBytes).toBe(300_000);
	expect(result.text).toContain("300,000 bytes in 150,000 lines in all; the first 100,000 bytes are in ");
});

test("a log that cannot be written costs the log, not the command", async () => {
	const agentDirectory = makeDirectory();
	mkdirSync(join(agentDirectory, "out/0001.log"), { recursive: true });
	const result = await run("echo fine", { agentDirectory });
	expect(result.text).toBe("fine\n");
	expect("log" in result).toBe(false);
});

/** In a process of its own, as agents are: the event loop of this test has other work. */
function buildProgram(directory: string): string {
	const outfile = join(directory, "runs-command.mjs");
	const entryPoints = [join(PROGRAMS, "runs-command.ts")];
	buildSync({ entryPoints, outfile, bundle: true, platform: "node", format: "esm", logLevel: "error" });
	return outfile;
}

function runInOwnProcess(command: string): { result: CommandResult & { ms: number; grownBytes: number }; ms: number } {
	const directory = makeDirectory();
	const program = buildProgram(directory);
	const from = performance.now();
	const { stdout, stderr } = spawnSync(process.execPath, [program, command, directory], { encoding: "utf8" });
	expect(stderr).toBe("");
	return { result: JSON.parse(stdout), ms: performance.now() - from };
}

test("however few files may be open, a call has a result and the agent lives on", () => {
	const directory = makeDirectory();
	const program = buildProgram(directory);
	const empty = join(directory, "empty.mjs");
	writeFileSync(empty, "");
	const ends: string[] = [];
	for (let files = 16; !ends.includes("exit") && files < 100; files++) {
		const limited = (...argv: string[]) =>
			spawnSync("bash", ["-c", `ulimit -n ${files}; exec "$@"`, "bash", process.execPath, ...argv], {
				encoding: "utf8",
			});
		if (limited(empty).status !== 0) continue; // too few for Node itself
		const { stdout, stderr, status } = limited(program, "sleep 0.1 & echo hi", directory);
		expect({ files, stderr, status }).toEqual({ files, stderr: "", status: 0 });
		const { end, text } = JSON.parse(stdout) as CommandResult;
		if (end.by === "not_started") expect(text).toContain("too many files are open (EMFILE)");
		ends.push(end.by);
	}
	expect(new Set(ends)).toEqual(new Set(["not_started", "exit"]));
}, 120_000); // some ten starts, of which Node's own at too few files may be slow

test("600 MB of output go by in flat memory", () => {
	const { result } = runInOwnProcess("yes | head -c 600M");
	expect(result.outputBytes).toBe(600 * 1024 ** 2);
	expect(result.text.length).toBeLessThanOrEqual(20_000);
	expect(result.text).toContain("629,145,600 bytes in all; the first 67,108,864 bytes are in ");
	expect(result.grownBytes).toBeLessThan(30 * 1024 ** 2);
	console.log(`throughput: ${Math.round(629 / (result.ms / 1000))} MB/s, grown ${result.grownBytes >> 20} MiB`);
});

test("after the end of a call nothing keeps the event loop alive, not even a process that holds the pipe", () => {
	const { result, ms } = runInOwnProcess("sleep 20 & echo ok");
	for (const { pid } of result.leftRunning) process.kill(pid, "SIGKILL");
	expect(result.leftRunning.map(({ name }) => name)).toEqual(["sleep"]);
	expect(ms).toBeLessThan(30_000);
});

test("a command longer than an argument may be runs as bash -c would run it", async () => {
	const padding = "# some comment\n".repeat(20_000);
	const result = await run(`${padding}echo "$0 $#" 'it'"'"'s'; nosuchcommand; cat <<'X'\nhere\nX`);
	expect(result.text).toContain("bash 0 it's\n");
	expect(result.text).toMatch(/^bash: .*nosuchcommand: command not found$/m);
	expect(result.text).toContain("here\n");
	await vi.waitFor(() => expect(readdirSync(result.directory)).toEqual(["out"]), WAIT);
});

test("without bash in PATH the result says so", async () => {
	const result = await run("echo hi", { env: { PATH: "/nowhere" } });
	expect(result).toMatchObject({ end: { by: "not_started" }, outputBytes: 0, leftRunning: [] });
	expect(result.text).toBe("[not started: bash was not found in PATH=/nowhere (ENOENT)]");
	expect("log" in result).toBe(false);
});

test("a working directory that is gone is told apart from a missing bash", async () => {
	const result = await run("echo hi", { cwd: "/nowhere/at/all" });
	expect(result.text).toContain("[not started: the working directory /nowhere/at/all no longer exists");
});

test("a bash that may not be executed is named", async () => {
	const directory = makeDirectory();
	execFileSync("bash", ["-c", `echo '#!/bin/sh' > ${directory}/bash`]);
	chmodSync(join(directory, "bash"), 0o600);
	const result = await run("echo hi", { env: { PATH: directory } });
	expect(result.text).toContain("EACCES");
});

test("an environment that is too large is a result, not an exception", async () => {
	const result = await run("echo hi", { env: { PATH: process.env.PATH ?? "", BIG: "x".repeat(200_000) } });
	expect(result.text).toContain("[not started: the environment is too large for a new process (E2BIG)]");
});

test("when no pipe can be made the result says why", async () => {
	const result = await run("echo hi", { pipes: createPipes("/dev/null/at/all", { owner: "1", given: [] }) });
	expect(result.end.by).toBe("not_started");
	expect(result.text).toContain("no pipe for the output could be made in /dev/null/at/all");
});

test("exported bash functions work in commands, and an editor fails with a reason", async () => {
	const env = commandEnvironment(
		{ PATH: process.env.PATH, "BASH_FUNC_greet%%": "() { echo hello $1; }" },
		{ run: RUN, agent: "1", command: 1, token: "t", socket: "/s", shimDirectory: "/shim", home: "/h" },
	);
	const { text } = await run('greet you; eval "$EDITOR file" || echo failed; echo "$PAGER $TERM"', { env });
	expect(text).toMatch(/^hello you\nno editor can be opened here: .*\nfailed\ncat dumb\n$/);
});

// Seen to fail without "--" in either place: bash, or eval, takes the command for its own options.
test("a command that begins with a dash is a command, a very long one, too", async () => {
	for (const more of ["", "#".repeat(140_000)]) {
		const { text } = await run(`-c 'echo no' ; echo yes ${more}`);
		expect(text).toContain("-c: command not found\nyes\n");
	}
});
