/** An agent's death, as the record tells it: which signal, or which bug of ours. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, startProgram, temporaryHome } from "../program.ts";

test.each(["SIGKILL", "SIGSEGV"] as const)("an agent that %s killed is recorded as killed", async (signal) => {
	// Seen to fail with `gone` recording a crash, as it did.
	const task = `agent 'kill -${signal.slice(3)} $PPID; sleep 60'; echo "code $?"`;
	const program = startProgram(["run", "--model", "shell", task]);
	const { code } = await program.ended;
	expect(code).toBe(0);
	const ended = program.events().find((event) => event.event === "agent_ended" && event.agent === "1.1");
	// bash may have waited for the process before anybody could ask which signal it was
	const told = { by: "killed", signal };
	const inferred = { by: "killed", signal: "SIGKILL", isInferred: true };
	expect([told, inferred]).toContainEqual(ended?.event === "agent_ended" && ended.ending);
	const { stdout } = await runProgram(["log"], { home: program.home });
	expect(stdout).toMatch(/ 1\.1 +ended: killed by SIG(KILL|SEGV)\n/);
});

/** Loaded into every node of the run; in the agent that is meant, something throws where nobody catches it. */
function plantBug(home: string, how: string): Record<string, string> {
	const file = join(home, "bug.cjs");
	writeFileSync(
		file,
		`const timer = setInterval(() => {
			if (process.title !== process.env.BUG_IN) return;
			clearInterval(timer);
			${how};
		}, 5);
		timer.unref();`,
	);
	return { NODE_OPTIONS: `--require ${file}` };
}

test.each([
	["an uncaught error", "throw new TypeError('a planted\\n bug')"],
	["a rejection that nobody handles", "Promise.reject(new TypeError('a planted\\n bug'))"],
])("%s in an agent is said before it exits with 70: one line, no stack", async (_, how) => {
	// Seen to fail with `bugs.listen()` left out of main: the agent dies without a word, with Node's stack on stderr.
	const home = temporaryHome();
	const env = { ...plantBug(home, how), BUG_IN: "agent 1.1" };
	const task = "agent 'touch started; sleep 61' > out 2> err; echo code $?; cat out err";
	const program = startProgram(["run", "--model", "shell", task], { home, env });
	const { code, stdout } = await program.ended;
	const reason = "a bug in agentree: TypeError: a planted bug";
	expect([code, stdout.toString()]).toEqual([0, `code 70\nagent 1.1: crashed: ${reason}\n`]);
	expect(program.events()).toContainEqual(
		expect.objectContaining({ event: "agent_ended", agent: "1.1", ending: { by: "crashed", reason } }),
	);
});

test("a bug in the root ends the run with 70 and one line", async () => {
	const home = temporaryHome();
	const env = { ...plantBug(home, "throw new Error('a planted bug')"), BUG_IN: "agent 1" };
	const program = startProgram(["run", "--model", "shell", "sleep 62"], { home, env });
	const { code, stdout, stderr } = await program.ended;
	expect([code, stdout.toString(), stderr.toString()]).toEqual([
		70,
		"",
		"agent 1: crashed: a bug in agentree: Error: a planted bug\n",
	]);
	expect(program.events().at(-1)).toMatchObject({ event: "run_ended", exitCode: 70, survivors: [] });
});
