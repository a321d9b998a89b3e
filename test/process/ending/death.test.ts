/** An agent's death, as the record tells it: which signal it was. */
import { expect, test } from "vitest";
import { runProgram, startProgram } from "../program.ts";
import { signalAgent } from "../sandboxed.ts";

test.each(["SIGKILL", "SIGSEGV"] as const)("an agent that %s killed is recorded as killed", async (signal) => {
	// Seen to fail when the input `gone` recorded a crash.
	const task = `agent 'sleep 60'; echo "code $?"`;
	const program = startProgram(["run", "--model", "shell", task]);
	await program.waitForEvent((event) => event.event === "command_started" && event.agent === "1.1");
	await signalAgent(program, "1.1", signal);
	const { code } = await program.ended;
	expect(code).toBe(0);
	const ended = program.events().find((event) => event.event === "agent_ended" && event.agent === "1.1");
	// bash may have waited for the process before anybody could ask which signal it was
	const told = { by: "killed", signal };
	const inferred = { by: "killed", signal: "SIGKILL", isInferred: true };
	expect([told, inferred]).toContainEqual(ended?.event === "agent_ended" && ended.ending);
	const { stdout } = await runProgram(["log"], { home: program.home });
	expect(stdout).toMatch(/ 1\.1 +ended after \w+: killed by SIG(KILL|SEGV); 1 turn\n/);
});
