/** `--fork`: a copy of a conversation goes on, and the first stays as it is. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { forkRun } from "../../../src/cli/sessions/fork-run.ts";
import { isRecordedAlive } from "../../../src/processes/table/open-table.ts";
import { replayRun } from "../../../src/record/load-run.ts";
import { listRuns, readRunFile } from "../../../src/record/read-run.ts";
import { runDirectory } from "../../../src/record/run-directory.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { WAIT } from "../../wait.ts";
import { census } from "../census.ts";
import { type ProgramOptions, runProgram, startProgram, temporaryHome } from "../program.ts";

const SCRIPT = `
agents:
  - task: child
    turns:
      - say: I am the child.
        usage: { input: 50, output: 5 }
  - turns:
      - say: I start one.
        run: agent child
        usage: { input: 100, output: 10 }
      - say: "First: {{task}}"
        usage: { input: 200, output: 20 }
      - say: Second.
        usage: { input: 300, output: 30 }
      - say: Third.
        usage: { input: 400, output: 40 }
`;

function project(script = SCRIPT) {
	const home = temporaryHome();
	const cwd = join(home, "project");
	mkdirSync(cwd);
	writeFileSync(join(home, "s.yaml"), script);
	const args = ["run", "-m", `script:${join(home, "s.yaml")}`];
	const run = (rest: string[], options: ProgramOptions = {}) => runProgram(["run", ...rest], { home, cwd, ...options });
	const state = join(home, "agentree");
	const host = { home: state, env: {}, uid: process.getuid?.() ?? 0, now: Date.now(), random: Math.random };
	return {
		home,
		cwd,
		args,
		run,
		host,
		directoryOf: (id: string) => runDirectory(state, id),
		runs: () => listRuns(state),
	};
}

/** Every file of a directory with what it holds. */
function contents(directory: string): Record<string, string> {
	const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
		statSync(join(directory, name)).isFile(),
	);
	const digest = (name: string) =>
		createHash("sha256")
			.update(readFileSync(join(directory, name)))
			.digest("hex");
	return Object.fromEntries(files.sort().map((name) => [name, digest(name)]));
}

function copyIn({ runs }: ReturnType<typeof project>, first: string): string {
	const copy = runs().find((run) => run !== first);
	if (copy === undefined) throw new Error("no copy");
	return copy;
}

test("--fork goes on with a copy: the first keeps every byte and what it has cost, the copy has spent only its own", async () => {
	const at = project();
	await runProgram([...at.args, "hello"], at);
	const [first = ""] = at.runs();
	const before = contents(at.directoryOf(first));
	const end = await at.run(["-c", "--fork", "and?"]);
	expect(end).toMatchObject({ exit: 0, stdout: "Second.\n" });
	expect(end.stderr).toBe(`agent: run ${copyIn(at, first)} is a copy of run ${first}, which is unchanged\n`);
	expect(contents(at.directoryOf(first))).toEqual(before);

	const directory = at.directoryOf(copyIn(at, first));
	const file = readRunFile(directory);
	expect(file).toMatchObject({ forkedFrom: first, ending: { by: "answer" }, agents: 2, turns: 4 });
	expect(file.usage).toEqual({ input: 300, output: 30, cacheRead: 0, cacheWrite: 0 });
	expect(readRunFile(at.directoryOf(first)).usage).toMatchObject({ input: 350, output: 35 });
	expect(replayRun(directory).state.agents["1.1"]).toMatchObject({ usage: { input: 0 }, state: { is: "ended" } });
	const { values, damage } = readTranscript(directory, "1");
	expect(damage).toEqual([]);
	expect(values.map((entry) => (entry.role === "note" ? entry.note : entry.role))).toEqual([
		...["user", "assistant", "user", "assistant", "forked", "resumed", "user", "assistant"],
	]);
	expect(await runProgram(["show", "--json", `${copyIn(at, first)}/1.1`], at)).toMatchObject({ exit: 0, stderr: "" });

	expect(await at.run(["-c", "and now?"])).toMatchObject({ exit: 0, stdout: "Third.\n" }); // the copy was used last
	expect(await at.run(["-r", first, "and?"])).toMatchObject({ exit: 0, stdout: "Second.\n" });
}, 60_000);

const SLOW = `
agents:
  - turns:
      - say: Quick.
        run: echo one
      - say: Slow.
        run: echo begun > begun; sleep 300
      - say: "Gone on: {{task}}"
`;

test("a living run is copied as it is on disk, and the copy is told that it was interrupted; the first goes on", async () => {
	const at = project(SLOW);
	const program = startProgram([...at.args, "hello"], at);
	await vi.waitFor(() => expect(readdirSync(at.cwd)).toContain("begun"), WAIT);
	const [first = ""] = at.runs();
	const end = await at.run(["-r", first, "--fork", "and?"]);
	expect(end).toMatchObject({ exit: 0, stdout: "Gone on: hello\n" });
	const directory = at.directoryOf(copyIn(at, first));
	expect(JSON.stringify(readTranscript(directory, "1").values)).toMatch(
		/Interrupted: this call has no result.*You were interrupted \(stopped: its run was copied while it was working.*Also: and\?/,
	);
	const { agents } = replayRun(at.directoryOf(first)).state;
	const living = [readRunFile(at.directoryOf(first)).supervisor, ...Object.values(agents)];
	expect(living.map(isRecordedAlive)).toEqual([true, true]);
	expect(agents["1"]?.running).toMatchObject([{ command: 2 }]);
	expect(readdirSync(directory).sort()).toEqual(["1", "bin", "events.jsonl", "run.json"]);
	program.kill("SIGTERM");
	await program.ended;
}, 60_000);

test("after kill -9 a copy goes on like the run itself, which can go on, too", async () => {
	const at = project(SLOW);
	const program = startProgram([...at.args, "hello"], at);
	await vi.waitFor(() => expect(readdirSync(at.cwd)).toContain("begun"), WAIT);
	for (const pid of [program.pid, ...census(program).map((info) => info.pid)])
		try {
			process.kill(pid, "SIGKILL");
		} catch {} // it had ended by itself
	await program.ended;
	const [first = ""] = at.runs();
	expect(await at.run(["-c", "--fork", "and?"])).toMatchObject({ exit: 0, stdout: "Gone on: hello\n" });
	expect(await runProgram(["resume", first], at)).toMatchObject({ exit: 0, stdout: "Gone on: hello\n" });
}, 60_000);

test("a copy can end before a message of the person: with the agents, turns and events of until then", async () => {
	const at = project();
	await runProgram([...at.args, "hello"], at);
	await at.run(["-c", "second message"]);
	await at.run(["-c", "third message"]);
	const [first = ""] = at.runs();
	const found = { run: first, directory: at.directoryOf(first) };
	const { run, directory, file } = forkRun(found, { before: 3 }, at.host);
	expect(file).toMatchObject({ ending: { by: "answer" }, turns: 4, agents: 2 });
	const texts = JSON.stringify(readTranscript(directory, "1").values);
	expect([texts.includes("second message"), texts.includes("third message"), texts.includes("Third.")]).toEqual([
		...[true, false, false],
	]);
	expect(await at.run(["-r", run, "another third"])).toMatchObject({ exit: 0, stdout: "Third.\n" });

	const earlier = forkRun(found, { before: 2 }, { ...at.host, now: at.host.now + 1_000 });
	expect(replayRun(earlier.directory).state.agents["1"]).toMatchObject({
		turns: 2,
		state: { ending: { by: "answer" } },
	});
	expect(() => forkRun(found, { before: 1 }, at.host)).toThrow(/nothing comes before the first message/);
	expect(() => forkRun(found, { before: 4 }, at.host)).toThrow(/there are 3 messages/);
	expect(readdirSync(join(at.host.home, "runs")).filter((name) => name.startsWith("."))).toEqual([]);
}, 60_000);

test("--fork needs a conversation to copy", async () => {
	expect(await runProgram(["run", "--fork", "x"])).toMatchObject({
		exit: 2,
		stderr: "agent: --fork needs --continue or --resume\n",
	});
});
