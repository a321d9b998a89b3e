import { execFileSync, spawnSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { buildSync } from "esbuild";
import { expect, onTestFinished, test, vi } from "vitest";
import { type CommandResult, type CommandSpec, type RunningBash, startCommand } from "../../src/agent/bash.ts";
import { commandEnvironment } from "../../src/agent/environment.ts";
import { isAlive, procTable } from "../../src/processes/process-table.ts";

const PROGRAMS = resolve("test/fixtures/programs");
const RUN = "20261127-201530-test";

function makeDirectory(): string {
	const directory = mkdtempSync(join(tmpdir(), "agentree-bash-"));
	onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
	return directory;
}

interface Started extends RunningBash {
	directory: string;
	/** Resolves when the shell has started. */
	started: Promise<{ pid: number; startTime: string; log: string }>;
}

function start(command: string, changes: Partial<CommandSpec> & { agent?: string } = {}): Started {
	const { agent = "1", ...rest } = changes;
	const directory = rest.agentDirectory ?? makeDirectory();
	const place = { run: `${RUN}-${directory.slice(-6)}`, agent, command: rest.number ?? 1, token: "t", socket: "/s" };
	const env = commandEnvironment(
		{ PATH: process.env.PATH, HOME: directory },
		{ ...place, shimDirectory: "/shim", home: directory },
	);
	let onStarted: CommandSpec["onStarted"] = () => {};
	const started = new Promise<{ pid: number; startTime: string; log: string }>((resolve) => {
		onStarted = resolve;
	});
	const running = startCommand({
		number: 1,
		command,
		timeoutMs: 20_000,
		agentDirectory: directory,
		cwd: directory,
		env,
		table: procTable,
		onStarted,
		...rest,
	});
	onTestFinished(async () => {
		running.stop("the test is over");
		for (const { pid } of (await running.ended).leftRunning) endIfLeft(pid, place.run);
	});
	return { ...running, directory, started };
}

/** Only a process that carries this test's cookie, or that is named by its result. */
function endIfLeft(pid: number, run: string): void {
	if (procTable.environment(pid)?.AGENTREE_AGENT?.startsWith(run) !== true) return;
	try {
		process.kill(pid, "SIGKILL");
	} catch {}
}

async function run(
	command: string,
	changes: Partial<CommandSpec> = {},
): Promise<CommandResult & { directory: string }> {
	const running = start(command, changes);
	return { ...(await running.ended), directory: running.directory };
}

async function timed<T>(promise: Promise<T>): Promise<[T, number]> {
	const from = performance.now();
	const value = await promise;
	return [value, performance.now() - from];
}

const livesNot = (pid: number) => {
	const info = procTable.read(pid);
	return info === undefined || info.state === "Z";
};

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

test("a command is named by onStarted with pid, start time and log while it runs", async () => {
	const running = start("read -t 20 < <(sleep 20)");
	const started = await running.started;
	expect(started.log).toBe("out/0001.log");
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
	expect(ms).toBeLessThan(5_000);
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
	expect(ms).toBeLessThan(1_500);
	const pid = Number(/ok (\d+)/.exec(result.text)?.[1]);
	expect(result.leftRunning).toEqual([{ pid, name: "sleep" }]);
	expect(result.text).toContain(`ok ${pid}\n[left running: ${pid} (sleep)`);
	expect(livesNot(pid)).toBe(false);
});

test("a background process that has closed its output is named, too", async () => {
	const result = await run("sleep 300 > /dev/null 2>&1 & echo ok");
	expect(result.leftRunning.map(({ name }) => name)).toEqual(["sleep"]);
});

test("a writer in another session is left behind, named, and drained", async () => {
	const [result, ms] = await timed(
		run("setsid bash -c 'while :; do echo tick; sleep 0.01; done' & echo started; sleep 0.2"),
	);
	expect(ms).toBeLessThan(5_000);
	expect(result.text).toMatch(/^(tick\n)*started\ntick\n/);
	expect(result.leftRunning.map(({ name }) => name)).toContain("bash");
	const log = join(result.directory, "out/0001.log");
	const size = statSync(log).size;
	await vi.waitFor(() => expect(statSync(log).size).toBeGreaterThan(size), 5_000);
});

test("exec > >(tee x) loses nothing", async () => {
	const result = await run("exec > >(tee x); seq 1 5000");
	expect(result.outputBytes).toBe(23_893);
	expect(readFileSync(join(result.directory, "x"), "utf8").split("\n").length).toBe(5_001);
});

test("what a process that still works prints after the shell's exit is kept", async () => {
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

test("a shell killed by a signal that we did not send says so, and its processes are ended", async () => {
	const result = await run("sleep 300 & echo $!; kill -9 $$");
	expect(result.end).toEqual({ by: "signal", signal: "SIGKILL" });
	expect(result.text).toMatch(/^\d+\n\[killed by SIGKILL\]$/);
	expect(result.leftRunning).toEqual([]);
	expect(livesNot(Number.parseInt(result.text, 10))).toBe(true);
});

test("at the timeout the output so far is kept and the result says what happened", async () => {
	const [result, ms] = await timed(run("echo before; sleep 300", { timeoutMs: 300 }));
	expect(result.end).toEqual({ by: "timeout", afterMs: 300 });
	expect(result.text).toBe("before\n[timed out after 0.3 s]");
	expect(ms).toBeLessThan(3_000);
});

test("a command that ignores SIGTERM gets the grace and is then killed, with all of its processes", async () => {
	const command = "trap '' TERM; sleep 300 & echo $!; while :; do sleep 0.05; done";
	const [result, ms] = await timed(run(command, { timeoutMs: 300, limits: { graceMs: 400 } }));
	expect(result.end).toEqual({ by: "timeout", afterMs: 300 });
	expect(ms).toBeGreaterThan(650);
	expect(ms).toBeLessThan(5_000);
	expect(livesNot(Number.parseInt(result.text, 10))).toBe(true);
});

test("SIGTERM comes first: a command may clean up, and what it prints then is kept; the timeout stays the cause", async () => {
	const result = await run("trap 'echo cleaned; exit 0' TERM; echo on; while :; do sleep 0.05; done", {
		timeoutMs: 300,
	});
	expect(result.text).toMatch(/^on\n(Terminated\n)?cleaned\n\[timed out after 0.3 s\]$/);
});

test("descendants that left the session and their parent are found by their cookie at the timeout", async () => {
	const result = await run(`node ${PROGRAMS}/leaves-orphan.js; sleep 300`, { timeoutMs: 1_500 });
	const pid = Number.parseInt(result.text, 10);
	expect(pid).toBeGreaterThan(1);
	expect(livesNot(pid)).toBe(true);
});

test("an orphan in another session is named when the command ends by itself, and lives on", async () => {
	const result = await run(`node ${PROGRAMS}/leaves-orphan.js`);
	const pid = Number.parseInt(result.text, 10);
	expect(result.leftRunning).toEqual([{ pid, name: "sleep" }]);
	expect(livesNot(pid)).toBe(false);
});

test("the end of one command spares the processes of another command of the same agent", async () => {
	const agentDirectory = makeDirectory();
	const ended = start("setsid sleep 300 & wait", { agentDirectory, number: 1 });
	await ended.started;
	const spared = start("setsid sleep 300 & echo $!; wait", { agentDirectory, number: 2 });
	await spared.started;
	const pid = await vi.waitFor(() => {
		const printed = Number.parseInt(readFileSync(join(agentDirectory, "out/0002.log"), "utf8"), 10);
		expect(printed).toBeGreaterThan(1);
		return printed;
	});
	ended.stop("enough");
	await ended.ended;
	expect(livesNot(pid)).toBe(false);
	spared.stop("enough");
	await spared.ended;
	expect(livesNot(pid)).toBe(true);
});

test("while its clock is held a command is not timed out; afterwards the rest of its time runs", async () => {
	const running = start("sleep 300", { timeoutMs: 200 });
	running.holdClock(true);
	await running.started;
	const isOver = await Promise.race([
		running.ended.then(() => true),
		run("sleep 0.6").then(() => false), // three times its timeout
	]);
	expect(isOver).toBe(false);
	running.holdClock(false);
	expect((await running.ended).end).toEqual({ by: "timeout", afterMs: 200 });
});

test("a stopped command ends with the reason and what it had printed", async () => {
	const running = start("echo here; sleep 300");
	await running.started;
	await vi.waitFor(() => expect(readFileSync(join(running.directory, "out/0001.log"), "utf8")).toBe("here\n"));
	running.stop("the run is stopping");
	running.stop("a second reason");
	const result = await running.ended;
	expect(result.end).toEqual({ by: "stopped", reason: "the run is stopping" });
	expect(result.text).toBe("here\n[stopped: the run is stopping]");
});

test("a command stopped before it has started never runs", async () => {
	const running = start("touch ran");
	running.stop("too late");
	const result = await running.ended;
	expect(result).toEqual({
		end: { by: "stopped", reason: "too late" },
		text: "(no output)\n[stopped: too late]",
		outputBytes: 0,
		leftRunning: [],
	});
	expect(existsSync(join(running.directory, "ran"))).toBe(false);
});

test("several commands run side by side and share nothing", async () => {
	const agentDirectory = makeDirectory();
	const commands = [1, 2, 3, 4, 5, 6].map((number) =>
		start(
			`touch here${number}; until [ $(ls -d here* | wc -l) = 6 ]; do sleep 0.02; done; echo ${number}; exit ${number}`,
			{
				agentDirectory,
				number,
			},
		),
	);
	const results = await Promise.all(commands.map(({ ended }) => ended));
	expect(results.map(({ text }) => text)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `${n}\n[exit status ${n}]`));
	expect(results.map(({ log }) => log)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `out/000${n}.log`));
});

test("nothing but logs stays in the agent's directory", async () => {
	const { directory } = await run("true");
	await vi.waitFor(() => expect(readdirSync(directory)).toEqual(["out"]));
});

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
	expect(result.text.length).toBeLessThanOrEqual(50_000);
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
	expect(log.slice(100_000)).toBe("\n[agentree: cut at 100000 bytes; what came after was not kept]\n");
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

/** One file, as agents are: the event loop of this test has work of its own. */
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
});

test("2 GB of output go by in flat memory", () => {
	const { result } = runInOwnProcess("yes | head -c 2G");
	expect(result.outputBytes).toBe(2 * 1024 ** 3);
	expect(result.text.length).toBeLessThanOrEqual(50_000);
	expect(result.text).toContain("2,147,483,648 bytes in all; the first 67,108,864 bytes are in ");
	expect(result.grownBytes).toBeLessThan(30 * 1024 ** 2);
	console.log(`throughput: ${Math.round(2147 / (result.ms / 1000))} MB/s, grown ${result.grownBytes >> 20} MiB`);
});

test("after the end of a call nothing keeps the event loop alive, not even a process that holds the pipe", () => {
	const { result, ms } = runInOwnProcess("sleep 20 & echo ok");
	for (const { pid } of result.leftRunning) process.kill(pid, "SIGKILL");
	expect(result.leftRunning.map(({ name }) => name)).toEqual(["sleep"]);
	expect(ms).toBeLessThan(10_000);
});

test("a command longer than an argument may be runs as bash -c would run it", async () => {
	const padding = "# some comment\n".repeat(20_000);
	const result = await run(`${padding}echo "$0 $#" 'it'"'"'s'; nosuchcommand; cat <<'X'\nhere\nX`);
	expect(result.text).toContain("bash 0 it's\n");
	expect(result.text).toMatch(/^bash: .*nosuchcommand: command not found$/m);
	expect(result.text).toContain("here\n");
	await vi.waitFor(() => expect(readdirSync(result.directory)).toEqual(["out"]));
});

test("without bash in PATH the result says so", async () => {
	const result = await run("echo hi", { env: { PATH: "/nowhere" } });
	expect(result).toMatchObject({ end: { by: "not_started" }, outputBytes: 0, leftRunning: [] });
	expect(result.text).toBe("[not started: bash was not found in PATH=/nowhere (ENOENT)]");
	expect("log" in result).toBe(false);
});

test("a working directory that is gone is told apart from a missing bash", async () => {
	const result = await run("echo hi", { cwd: "/nowhere/at/all" });
	expect(result.text).toContain("[not started: the working directory /nowhere/at/all does not exist any more");
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
	const result = await run("echo hi", { agentDirectory: "/nowhere/at/all", cwd: "/" });
	expect(result.end.by).toBe("not_started");
	expect(result.text).toContain("no pipe for the output could be made in /nowhere/at/all");
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
