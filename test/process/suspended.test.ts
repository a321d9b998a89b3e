/** Nobody waits for ever: for who is suspended, for who has answered and hangs, for what is not there any more. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { procTable } from "../../src/processes/process-table.ts";
import { census, endings } from "./census.ts";
import { type Program, runProgram, startLine, startProgram } from "./program.ts";

const WAIT = { timeout: 20_000, interval: 25 };

async function pidOf(program: Program, agent: string): Promise<number> {
	const joined = await program.waitForEvent((event) => event.event === "agent_joined" && event.agent === agent);
	return joined.event === "agent_joined" ? joined.pid : 0;
}

async function commandOf(program: Program, agent: string): Promise<void> {
	await program.waitForEvent((event) => event.event === "command_started" && event.agent === agent);
}

/** A process of this test that is left stopped would never end. */
function suspend(pid: number): void {
	process.kill(pid, "SIGSTOP");
	onTestFinished(() => {
		try {
			process.kill(pid, "SIGCONT");
		} catch {} // it is over
	});
}

test("while the supervisor is suspended a child waits to join, and when it goes on nothing is lost", async () => {
	const task = 'until [ -e go ]; do sleep 0.05; done; touch gone; agent "echo child"; echo after';
	const program = startProgram(["run", "--model", "shell", task]);
	await commandOf(program, "1");
	suspend(program.pid);
	writeFileSync(join(program.home, "go"), "");
	const child = await vi.waitFor(() => {
		const found = census(program).find(
			({ pid }) => procTable.environment(pid)?.AGENTREE_COMMAND === "1" && isNode(pid),
		);
		if (found === undefined) throw new Error("no child yet");
		return found;
	}, WAIT);
	process.kill(program.pid, "SIGCONT");
	const { code, stdout } = await program.ended;
	expect([code, stdout.toString()]).toEqual([0, "child\nafter\n"]);
	expect(await pidOf(program, "1.1")).toBe(child.pid);
});

function isNode(pid: number): boolean {
	return /^(node|agent)/.test(procTable.read(pid)?.name ?? "");
}

test("agents that are suspended and then stopped are ended with all below them", async () => {
	// Seen to fail with the effect `reap_after_grace` doing nothing.
	const program = startProgram(["run", "--model", "shell", 'agent "sleep 619"']);
	await commandOf(program, "1.1");
	for (const agent of ["1", "1.1"]) suspend(await pidOf(program, agent));
	program.kill("SIGTERM");
	const { code } = await program.ended;
	expect([code, census(program)]).toEqual([143, []]);
	expect(endings(program.events())).toEqual({ "1": "stopped", "1.1": "stopped" });
});

/** Nobody reads the answer: the root has finished, and cannot print all of it. */
async function unreadAnswer(): Promise<Program> {
	const task = "head -c 300000 /dev/zero | tr '\\0' x";
	const program = startLine(`mkfifo fifo; exec 3<>fifo; "$@" run --model shell "$TASK" >&3; echo "exit $?"`, {
		env: { TASK: task },
	});
	await program.waitForEvent((event) => event.event === "agent_ended" && event.agent === "1");
	return program;
}

test("a root that has answered and is then suspended for good does not hold the run, which says that it was killed", async () => {
	// Seen to fail without `lookAtRoot`: it never ends.
	const program = await unreadAnswer();
	suspend(await pidOf(program, "1"));
	const { stdout } = await program.ended;
	expect(stdout.toString()).toBe("exit 137\n");
	expect(program.events().at(-1)).toMatchObject({ event: "run_ended", ending: { by: "killed", signal: "SIGKILL" } });
});

test("SIGTERM ends a run whose root has answered and whose reader does not read", async () => {
	// Seen to fail without `hasFinished` in the supervisor's `stop`: it waits for the reader.
	const program = await unreadAnswer();
	const started = program.events()[0];
	if (started?.event !== "run_started") throw new Error("no run");
	process.kill(started.pid, "SIGTERM");
	const { stdout } = await program.ended;
	expect(stdout.toString()).toBe("exit 143\n");
});

test("a working directory that is gone is a clear error, not a bug", async () => {
	// Seen to fail with `process.cwd` called bare: "a bug in agentree: ENOENT: uv_cwd", code 70.
	const task = 'mkdir d; cd d; rmdir ../d; agent "echo no"; echo "code $?"';
	const { exit, stdout } = await runProgram(["run", "--model", "shell", task]);
	expect(exit).toBe(0);
	expect(stdout).toMatch(/^agent: the working directory does not exist any more \(ENOENT\): .*\ncode 2\n$/);
});

test.each([18, 20, 24])("under ulimit -n %i a child says that too many files are open", async (files) => {
	const { exit, stdout } = await runProgram([
		"run",
		"--model",
		"shell",
		`ulimit -n ${files}; agent "echo no"; echo "code $?"`,
	]);
	expect(exit).toBe(0);
	expect(stdout).toMatch(/^agent.*: too many files are open \(EMFILE\).*\ncode (1|75)\n$/);
});

test("a task of more than 128 KiB works by stdin; as an argument bash says that it is too long", async () => {
	const long = "x".repeat(200_000);
	const task = `cat long | (printf 'echo "'; cat; printf '" | wc -c') | agent; agent "$(cat long)"; echo "code $?"`;
	const program = startLine(
		`printf %s "$(head -c ${long.length} /dev/zero | tr '\\0' x)" > long; exec "$@" run --model shell "$TASK"`,
		{
			env: { TASK: task },
		},
	);
	const { code, stdout } = await program.ended;
	expect(code).toBe(0);
	expect(stdout.toString()).toMatch(/^200001\nbash: line 1: .*: Argument list too long\ncode 126\n$/);
});
