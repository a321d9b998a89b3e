/** What the program's own commands do in a sandbox, where the files of the run are hidden. */
import { describe, expect, test } from "vitest";
import { runProgram, startProgram } from "../program.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

const runIn = (task: string) => runProgram(["run", "-q", "--sandbox", "workspace", "--model", "shell", task]);

describe.skipIf(NO_SANDBOX !== undefined)(`a command of agentree in a sandbox${SKIPPED}`, () => {
	test("agent ps lists the run around it; of a whole run no file is made there", async () => {
		const { exit, stdout } = await runIn(`agent 'agent ps; agent show --html all.html; echo "code $?"'`);
		expect(exit).toBe(0);
		expect(stdout).toMatch(/^RUN .*\n.*AGENT.*\n[^\n]* running [\s\S]*\n {4}1\.1 .*running/);
		expect(stdout).toMatch(/agent: the files of run \S+ cannot be read in a sandbox; .*\ncode \d+\n$/);
	});

	test("agent show, log and why tell of the agent itself and of what is below it, and of no other", async () => {
		// Seen to fail: the files of the run could not be read.
		const { exit, stdout } = await runIn(`agent 'agent "echo deep"' > deep; agent 'sleep 600' > /dev/null 2>&1 &
			agent show 1.1 | grep -A2 '^[$] agent'; agent why 1.1; agent log 1.1 | grep -c started; agent show --json 1.1.1 | grep -o '"task": "echo deep"'
			until agent ps | grep -q ' 1.2 '; do sleep 0.05; done; agent why 1.2 | grep -o 'is still running'; agent show --follow 1.1
			agent 'agent show | head -1; agent log | grep -vc " 1.3 "; agent log 1.2; agent show 1'; agent stop 1.2
			ls -A "$AGENTREE_HOME"/runs/*/1`);
		expect(exit).toBe(0);
		expect(
			stdout
				.replace(/\d{8}-\d{6}-\w{4}/g, "RUN")
				.replace(/\d\d:[\d:.]+/g, "TIME")
				.split("\n"),
		).toEqual([
			...['$ agent "echo deep"', "    deep"],
			expect.stringMatching(/^ {4}command 1: exit status 0, [\d.]+m?s, agents 1\.1\.1$/),
			...["1.1 answered at TIME", "6", '"task": "echo deep"', '"task": "echo deep"', "is still running"],
			"agent: --follow needs the files of the run, which the sandbox hides; to wait for an agent: agent wait",
			...["agent 1.3 of run RUN", "0"],
			"agent: inside a run an agent can read only itself and agents below it: 1.3 cannot read 1.2",
			"agent: inside a run an agent can read only itself and agents below it: 1.3 cannot read 1",
			...["stopped agent RUN/1.2 (1 agent)", "1", "2", "3", "out", ""],
		]);
	});

	test("an agent waits for a sibling, pauses and stops what is below it, and nothing else", async () => {
		const { exit, stdout } = await runIn(`agent 'until [ -e go ]; do sleep 0.05; done; echo one' > one &
			until agent ps | grep -q ' 1\\.1 '; do sleep 0.05; done
			agent pause 1.1; agent continue 1.1; touch go; agent wait 1.1; echo "waited $?"
			until [ -s one ]; do sleep 0.05; done; cat one
			agent 'sleep 600' >/dev/null 2>&1 &
			until agent ps | grep -q ' 1\\.2 '; do sleep 0.05; done
			agent stop 1.2; agent stop 1; echo "own $?"; agent wait 1.9; echo "none $?"`);
		expect(exit).toBe(0);
		expect(stdout.replace(/\d{8}-\d{6}-\w{4}/g, "RUN")).toMatch(
			/^paused .*1\.1.*\ncontinued? .*\nwaited 0\none\nstopped .*1\.2.*\nagent: inside a run an agent can stop only agents below it: .*\nown \d+\nagent: run RUN has no agent 1\.9; see agent ps\nnone \d+\n$/,
		);
	});

	test("a message reaches a sibling", async () => {
		const program = startProgram([
			...["run", "-q", "--sandbox", "workspace", "--model", "shell"],
			"agent 'until [ -e sent ]; do sleep 0.05; done' & until agent ps | grep -q ' 1\\.1 '; do sleep 0.05; done; agent 'agent send 1.1 hello; touch sent'; wait",
		]);
		await program.ended;
		const sent = program.events().find(({ event }) => event === "message_sent");
		expect(sent).toMatchObject({ agent: "1.1" });
	});
});
