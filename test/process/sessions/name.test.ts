/** What runs are called: from their start, while they are alive, and when they are over. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { replayRun } from "../../../src/record/load-run.ts";
import { listRuns, readRunFile } from "../../../src/record/read-run.ts";
import { runDirectory } from "../../../src/record/run-directory.ts";
import { runProgram, startProgram, temporaryHome } from "../program.ts";

const SCRIPT = `
agents:
  - turns:
      - say: First.
      - say: Second.
      - say: Third.
`;

const SLOW = `
agents:
  - turns:
      - run: sleep 100
      - say: Gone on.
`;

function place() {
	const home = temporaryHome();
	writeFileSync(join(home, "s.yaml"), SCRIPT);
	const agent = (...args: string[]) => runProgram(args, { home });
	/** Of the one run there is beside `known`: ids of the same second are in no order. */
	const files = (known?: string) => {
		const [run = ""] = listRuns(join(home, "agentree")).filter((other) => other !== known);
		const directory = runDirectory(join(home, "agentree"), run);
		return { run, directory, names: [readRunFile(directory).name, replayRun(directory).state.name] };
	};
	return { home, agent, files };
}

test("a name is given at the start, is found by -r, and stays with a copy until that gets its own", async () => {
	const { home, agent, files } = place();
	await agent("run", "-m", "script:s.yaml", "--name", "The \n Parser", "hello");
	const { run, names } = files();
	expect(names).toEqual(["The Parser", "The Parser"]);
	expect(await agent("run", "-r", "the parser", "and?")).toMatchObject({ exit: 0, stdout: "Second.\n" });
	expect(files().names).toEqual(["The Parser", "The Parser"]);
	expect(await agent("run", "-c", "--fork", "--name", "another", "and?")).toMatchObject({
		exit: 0,
		stdout: "Third.\n",
	});
	const copy = files(run);
	expect(copy.run).not.toBe(run);
	expect(copy.names).toEqual(["another", "another"]);
	expect(readRunFile(runDirectory(join(home, "agentree"), run)).name).toBe("The Parser");
	const { stdout } = await agent("ls");
	expect(stdout).toMatch(/another\n.*The Parser\n$/);
	expect((await agent("ls", "--json", "another")).stdout).toContain('"name": "another"');
}, 60_000);

test("a run that is over gets its name in its files, and loses it; one that was killed can go on then", async () => {
	const { home, agent, files } = place();
	writeFileSync(join(home, "s.yaml"), SLOW);
	const program = startProgram(["run", "-m", "script:s.yaml", "hello"], { home });
	await program.waitForEvent(({ event }) => event === "command_started");
	program.kill("SIGKILL");
	await program.ended;
	const { run } = files();
	expect(await agent("ls", run, "--name", "killed")).toEqual({
		exit: 0,
		stdout: `run ${run} is named killed\n`,
		stderr: "",
	});
	expect(files().names).toEqual(["killed", "killed"]);
	expect(await agent("resume", run, "-q")).toMatchObject({ exit: 0 });
	expect(files().names).toEqual(["killed", "killed"]);
	expect(await agent("name", run, "")).toMatchObject({ exit: 0, stdout: `run ${run} is now unnamed\n` });
	expect(files().names).toEqual([undefined, undefined]);
}, 60_000);

test("a living run is named by its supervisor, and keeps the name to its end; an agent names nothing", async () => {
	const { home, agent, files } = place();
	const line = "agent name mine; echo $?; while [ ! -e go ]; do sleep 0.05; done";
	const program = startProgram(["run", "-m", "shell", line], { home });
	await program.waitForEvent(({ event }) => event === "command_started");
	expect(await agent("name", "living one")).toMatchObject({
		exit: 0,
		stdout: expect.stringMatching(/is named living one\n$/),
	});
	expect(files().names).toEqual(["living one", "living one"]);
	writeFileSync(join(home, "go"), "");
	expect((await program.ended).stdout.toString()).toBe("agent: agents cannot name runs: --name is for the user\n4\n");
	expect(files().names).toEqual(["living one", "living one"]);
}, 60_000);

test.each([
	[["name"], /--name <TEXT>' argument missing/],
	[["ls", "--name", "20261127-201530-k3f9"], /is a run; to name it: agent ls 20261127-201530-k3f9 --name/],
	[["name", "x".repeat(101)], /a name can have 100 characters/],
	[["run", "--name", " ", "x"], /--name needs a name/],
])("%j is wrong usage", async (args, why) => {
	expect(await runProgram(args)).toMatchObject({ exit: 2, stderr: expect.stringMatching(why) });
});
