/** The bash tool: how a command runs, and what it leaves behind. */
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { isAlive, procTable } from "../../../src/processes/table/process-table.ts";
import { WAIT } from "../../wait.ts";
import { livesNot, makeDirectory, run, start, timed } from "./bash-command.ts";

test("the result is what was printed, byte for byte, and a log beside it", async () => {
	const result = await run("printf 'one\\ntwo'");
	expect(result).toEqual({
		directory: result.directory,
		end: { by: "exit", code: 0 },
		text: "one\ntwo",
		outputBytes: 7,
		leftRunning: [],
		log: "out/0001.log",
	});
	expect(readFileSync(join(result.directory, "out/0001.log"), "utf8")).toBe("one\ntwo");
});

test("log and directories are for the owner only, whatever the umask", async () => {
	const umask = process.umask(0o000);
	onTestFinished(() => void process.umask(umask));
	const { directory } = await run("true");
	expect(statSync(join(directory, "out")).mode & 0o777).toBe(0o700);
	expect(statSync(join(directory, "out/0001.log")).mode & 0o777).toBe(0o600);
});

test("a command is named by onStarted with pid and start time while it runs", async () => {
	const running = start("read -t 20 < <(sleep 20)");
	const started = await running.started;
	expect(isAlive(procTable, started)).toBe(true);
	running.stop("enough");
	await running.ended;
	expect(isAlive(procTable, started)).toBe(false);
});

test("stdout and stderr keep their order", async () => {
	const { text } = await run("for i in 1 2 3; do echo out$i; echo err$i >&2; done");
	expect(text).toBe("out1\nerr1\nout2\nerr2\nout3\nerr3\n");
});

test("/dev/stderr and /dev/stdout can be written to and lose nothing", async () => {
	const { text } = await run(
		"echo a; echo b > /dev/stderr; echo c > /dev/stdout; echo d >> /dev/stderr; echo e | tee /dev/stderr",
	);
	expect(text).toBe("a\nb\nc\nd\ne\ne\n");
});

test("output is a pipe, stdin is empty, and there is no controlling terminal", async () => {
	const { text } = await run(
		"[ -p /dev/stdout ] && echo pipe; cat; readlink /proc/self/fd/0; (: < /dev/tty) 2>/dev/null || echo no tty",
	);
	expect(text).toBe("pipe\n/dev/null\nno tty\n");
});

test("a command that reads stdin ends at once", async () => {
	const [{ text }, ms] = await timed(run("cat; cat -; read x; echo got=$x"));
	expect(text).toBe("got=\n");
	expect(ms).toBeLessThan(30_000);
});

test("each command is the leader of a session of its own", async () => {
	const running = start("ps -o sid= -p $$; echo $$");
	const { pid } = await running.started;
	expect((await running.ended).text.trim().split(/\s+/)).toEqual([String(pid), String(pid)]);
});

test("no profile and no rc file is read", async () => {
	const directory = makeDirectory();
	for (const name of [".bashrc", ".bash_profile", ".profile"])
		execFileSync("bash", ["-c", `echo 'echo from ${name}' > ${directory}/${name}`]);
	expect((await run("echo only this", { agentDirectory: directory })).text).toBe("only this\n");
});

test("a background process does not hold the call, and is named with its pid", async () => {
	const [result, ms] = await timed(run("sleep 300 & echo ok $!"));
	expect(ms).toBeLessThan(30_000);
	const pid = Number(/ok (\d+)/.exec(result.text)?.[1]);
	expect(result.leftRunning).toEqual([{ pid, name: "sleep" }]);
	expect(result.text).toContain(`ok ${pid}\n[left running: ${pid} (sleep)`);
	expect(livesNot(pid)).toBe(false);
});

test("a background process that has closed its output is named in the result, too", async () => {
	const result = await run("sleep 300 > /dev/null 2>&1 & echo ok");
	expect(result.leftRunning.map(({ name }) => name)).toEqual(["sleep"]);
});

test("a writer in another session is left behind, named, and drained", async () => {
	const [result, ms] = await timed(
		run("setsid bash -c 'while :; do echo tick; sleep 0.01; done' & echo started; sleep 0.2"),
	);
	expect(ms).toBeLessThan(30_000);
	expect(result.text).toMatch(/^(tick\n)*started\ntick\n/);
	expect(result.leftRunning.map(({ name }) => name)).toContain("bash");
	const log = join(result.directory, "out/0001.log");
	const size = statSync(log).size;
	await vi.waitFor(() => expect(statSync(log).size).toBeGreaterThan(size), WAIT);
});

test("exec > >(tee x) loses nothing", async () => {
	const result = await run("exec > >(tee x); seq 1 5000");
	expect(result.outputBytes).toBe(23_893);
	expect(readFileSync(join(result.directory, "x"), "utf8").split("\n").length).toBe(5_001);
});

test("what a process at work prints after the shell's exit is kept", async () => {
	const now = "$" + "{EPOCHREALTIME/[.,]/}"; // microseconds
	const works = `end=$((${now} + 250000)); while ((${now} < end)); do :; done`;
	const result = await run(`exec > >(while read line; do ${works}; echo got $line; done); seq 1 2`);
	expect(result.text).toBe("got 1\ngot 2\n");
});

test("an exit status that is not 0 is stated", async () => {
	const result = await run("echo partly; exit 3");
	expect(result.end).toEqual({ by: "exit", code: 3 });
	expect(result.text).toBe("partly\n[exit status 3]");
});

test("no output at all is said in words", async () => {
	expect((await run("true")).text).toBe("(no output)");
	expect((await run("false")).text).toBe("(no output)\n[exit status 1]");
});

test("a command that closes its output has not ended yet", async () => {
	const result = await run("echo first; exec >&- 2>&-; sleep 0.3; exit 4");
	expect(result.text).toBe("first\n[exit status 4]");
});

test("the result of a shell that a foreign signal killed says so, and its processes are ended", async () => {
	const result = await run("sleep 300 & echo $!; kill -9 $$");
	expect(result.end).toEqual({ by: "signal", signal: "SIGKILL" });
	expect(result.text).toMatch(/^\d+\n\[killed by SIGKILL\]$/);
	expect(result.leftRunning).toEqual([]);
	expect(livesNot(Number.parseInt(result.text, 10))).toBe(true);
});

test("an error of the tool itself is told to the model, and handed on to leave its stack", async () => {
	// Seen to fail as it was: the error's message was all that was left of it.
	const bug = new TypeError("a bug");
	const errors: unknown[] = [];
	const sandbox = { start: () => Promise.reject(bug) };
	const { text } = await run("echo never", { sandbox, onBug: (error) => errors.push(error) });
	expect([text, errors]).toEqual(["[not started: an error in agentree: a bug]", [bug]]);
});
