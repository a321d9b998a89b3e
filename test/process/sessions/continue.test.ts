/** `agent run -c` and `-r`: one more turn of a conversation, for programs. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { replayRun } from "../../../src/record/load-run.ts";
import { listRuns } from "../../../src/record/read-run.ts";
import { runDirectory } from "../../../src/record/run-directory.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { type ProgramOptions, runProgram, startProgram, temporaryHome } from "../program.ts";

const SCRIPT = `
agents:
  - task: "*"
    turns:
      - say: "First: {{task}}"
      - say: Second.
      - run: pwd
      - say: "Third: {{output}}"
`;

function homeWithProject() {
	const home = temporaryHome();
	const cwd = join(home, "project");
	mkdirSync(cwd);
	const script = join(home, "s.yaml");
	writeFileSync(script, SCRIPT);
	const run = (args: string[], options: ProgramOptions = {}) => runProgram(["run", ...args], { home, cwd, ...options });
	return { home, cwd, script, run };
}

test("agent run -c is the next turn of this directory's newest conversation, from an argument and from a pipe", async () => {
	const { home, script, run } = homeWithProject();
	expect(await run(["-c", "x"])).toMatchObject({
		exit: 2,
		stderr: expect.stringMatching(/there is no conversation in/),
	});
	expect(await run(["-m", `script:${script}`, "hello"])).toMatchObject({ exit: 0, stdout: "First: hello\n" });
	expect(await run(["-c", "and?"])).toEqual({ exit: 0, stdout: "Second.\n", stderr: "" });
	const third = await run(["-c"], { stdin: "and now?\n" });
	expect(third).toMatchObject({ exit: 0, stdout: `Third: ${join(home, "project")}\n` });
	const ps = await runProgram(["ps", "-a", "--json"], { home });
	expect(JSON.parse(ps.stdout)).toHaveLength(1);
});

test("agent run -r finds a conversation of another directory by words, goes on there, and says so", async () => {
	const { home, cwd, script, run } = homeWithProject();
	await run(["-m", `script:${script}`, "sort the list"]);
	await run(["-r", "sort list", "and?"], { cwd: home });
	const end = await run(["-r", "sort list", "where?"], { cwd: home });
	expect(end).toMatchObject({ exit: 0, stdout: `Third: ${cwd}\n` });
	expect(end.stderr).toMatch(/^agent: run \S+ continues in its own directory, .*\/project\n$/);
});

test("a conversation moves with a directory that was renamed, and to where the person is when it is gone", async () => {
	const { home, cwd, script, run } = homeWithProject();
	await run(["-m", `script:${script}`, "hello"]);
	const renamed = join(home, "renamed");
	renameSync(cwd, renamed);
	const second = await run(["-c", "and?"], { cwd: renamed });
	expect(second).toMatchObject({ exit: 0, stdout: "Second.\n", stderr: expect.stringMatching(/which was renamed\n$/) });
	const [id = ""] = listRuns(join(home, "agentree"));
	const directory = runDirectory(join(home, "agentree"), id);
	expect(replayRun(directory).state.cwd).toBe(renamed);
	const told = readTranscript(directory, "1").values.at(-2);
	expect(told).toMatchObject({
		role: "user",
		content: [
			{
				text: `[Your working directory has changed: it is now ${renamed}. It was ${cwd}: files from there may be here, and earlier paths may be wrong.]`,
			},
			{ text: "and?" },
		],
	});
	rmSync(renamed, { recursive: true });
	const third = await run(["-r", "hello", "where?"], { cwd: home });
	expect(third).toMatchObject({
		exit: 0,
		stdout: `Third: ${home}\n`,
		stderr: expect.stringMatching(/which no longer exists\n$/),
	});
});

test("agent ls lists the conversations of this directory, and finds one by words; a living one tells what it has done", async () => {
	const { home, cwd, script, run } = homeWithProject();
	const ls = (args: string[], options: ProgramOptions = {}) => runProgram(["ls", ...args], { home, cwd, ...options });
	expect(await ls([])).toMatchObject({ exit: 0, stdout: "", stderr: expect.stringMatching(/no conversation yet/) });
	await run(["-m", `script:${script}`, "sort the list"]);
	await run(["-c", "then reverse it"]);
	await run(["-m", `script:${script}`, "elsewhere"], { cwd: home });
	const living = startProgram(["run", "-m", "shell", "echo begun; sleep 100"], { home, cwd });
	await living.waitForEvent(({ event }) => event === "command_started");
	const listed = await ls(["--json"]);
	expect(JSON.parse(listed.stdout)).toMatchObject([
		{ task: "echo begun; sleep 100", state: "alive", turns: 1, is_conversation: false },
		{ task: "sort the list", state: "answered", turns: 2, cost_usd: 0, cwd },
	]);
	expect((await ls(["reverse list"])).stdout.split("\n")).toEqual([
		expect.stringMatching(/^RUN +AGE +STATE +TURNS +COST +TASK$/),
		expect.stringMatching(/^\S+ +\d+s +answered +2 +- +sort the list$/),
		"",
	]);
	expect((await ls(["-a"])).stdout).toMatch(/WHERE .*\n.*\/project +echo begun; sleep 100\n.* elsewhere\n/);
	expect((await ls(["elsewhere"])).stderr).toMatch(
		/no conversation with "elsewhere" in .*\/project; in other directories: 1 \(agent ls --all\)\n$/,
	);
	living.kill();
	await living.ended;
});

test("when nothing comes of the next question the last answer is not printed again", async () => {
	const { script, run } = homeWithProject();
	await run(["-m", `script:${script}`, "hello"]);
	for (const question of ["two", "three"]) await run(["-c", question]);
	const end = await run(["-c", "one too many"]);
	expect(end).toMatchObject({ exit: 1, stdout: "", stderr: expect.stringContaining("the script has only") });
});

test("agent run -c refuses a run that is alive, and takes no older one in its place: it says which, and what to do", async () => {
	const { home, cwd, script, run } = homeWithProject();
	await run(["-m", `script:${script}`, "hello"]);
	const living = startProgram(["run", "-m", "shell", "echo begun; sleep 100"], { home, cwd });
	await living.waitForEvent(({ event }) => event === "command_started");
	const refused = await run(["-c", "and?"]);
	const id = /^agent: run (\w{4}) /.exec(refused.stderr)?.[1] ?? "";
	expect(refused).toEqual({
		exit: 4,
		stdout: "",
		stderr: `agent: run ${id} (echo begun; sleep 100) is at work: agent wait ${id} waits for its end; --fork continues in a copy, agent stop ${id} stops it\n`,
	});
	living.kill();
	await living.ended;
	expect(await run(["-r", "hello", "and?"])).toMatchObject({ exit: 0, stdout: "Second.\n" });
});
