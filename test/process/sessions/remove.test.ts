/** `agent rm` removes what is over, and never what is alive. */
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listRuns, readRunFile } from "../../../src/record/read-run.ts";
import { runDirectory } from "../../../src/record/run-directory.ts";
import { hasTmux, openTerminal } from "../../fixtures/terminal.ts";
import { AGENT_PROGRAM, runProgram, startProgram, temporaryHome } from "../program.ts";

const WAITING = `
agents:
  - turns:
      - say: I wait.
        run: while [ ! -e go ]; do sleep 0.05; done
      - say: "Done: {{task}}"
`;

test("a dry run says what would go and how large it is; --yes removes it, and tells what that has freed", async () => {
	const home = temporaryHome();
	const state = join(home, "agentree");
	for (const task of ["echo one", "echo two"]) await runProgram(["run", "-m", "shell", task], { home });
	const runs = listRuns(state);
	const dry = await runProgram(["rm", "--older-than", "0s"], { home });
	expect(dry).toMatchObject({ exit: 0, stderr: "" });
	expect(dry.stdout).toMatch(
		/^RUN +AGE +SIZE +TASK\n.*echo two\n.*echo one\n2 runs: \d+ KiB\nnothing removed; to remove them: --yes\n$/,
	);
	expect(listRuns(state)).toEqual(runs);
	const [second = "", first = ""] = runs;
	expect(await runProgram(["rm", first, "--yes"], { home })).toMatchObject({
		exit: 0,
		stdout: expect.stringMatching(/^removed 1 run: \d+ KiB freed\n$/),
	});
	expect(listRuns(state)).toEqual([second]);
	expect(await runProgram(["rm"], { home })).toMatchObject({
		exit: 2,
		stderr: expect.stringMatching(/which runs\?/),
	});
}, 60_000);

test("a living run is kept, also when its files are made to say that it is over, and when its supervisor is dead", async () => {
	const home = temporaryHome();
	writeFileSync(join(home, "s.yaml"), WAITING);
	const program = startProgram(["run", "-m", "script:s.yaml", "hello"], { home });
	await program.waitForEvent(({ event }) => event === "command_started");
	const directory = await program.runDirectory();
	const { run, ...file } = readRunFile(directory);
	expect(await runProgram(["rm", run, "--yes"], { home })).toMatchObject({
		exit: 4,
		stderr: expect.stringMatching(/is running/),
	});
	writeFileSync(join(directory, "run.json"), JSON.stringify({ ...file, run, format: 1, endedAt: Date.now() }));
	for (const name of readdirSync(directory).filter((one) => one.startsWith(".lock."))) {
		expect(name).toBe(".lock.1");
		writeFileSync(join(directory, name), '{"pid":1,"start_time":"","pid_namespace":null}\n');
	}
	// Seen to fail without a look at the process table.
	const kept = await runProgram(["rm", run, "--yes"], { home });
	expect(kept.exit).toBe(4);
	expect(existsSync(join(directory, "events.jsonl"))).toBe(true);
	program.kill("SIGKILL");
	await program.ended;
	writeFileSync(join(home, "go"), "");
}, 60_000);

test.each([1, 2, 3, 4, 5, 6])(
	"of a removal and a resumption at the same time one wins, and the other says so (%i)",
	async () => {
		const home = temporaryHome();
		const state = join(home, "agentree");
		writeFileSync(join(home, "s.yaml"), WAITING);
		const program = startProgram(["run", "-m", "script:s.yaml", "hello"], { home });
		await program.waitForEvent(({ event }) => event === "command_started");
		program.kill("SIGINT");
		await program.ended;
		const [run = ""] = listRuns(state);
		const resumed = startProgram(["resume", run], { home });
		const removed = await runProgram(["rm", run, "--yes"], { home });
		if (removed.exit === 0) {
			const { code, stdout } = await resumed.ended;
			expect(stdout.toString()).toBe(code === 0 ? "Done: hello\n" : ""); // with an answer it was over before the removal
			expect(readdirSync(join(state, "runs"))).toEqual([]);
			return;
		}
		expect(removed).toMatchObject({ exit: 4, stderr: expect.stringMatching(/running|alive|just/) });
		writeFileSync(join(home, "go"), "");
		expect(await resumed.ended).toMatchObject({ code: 0 });
		expect(readRunFile(runDirectory(state, run)).ending).toEqual({ by: "answer" });
	},
	60_000,
);

test("what an agent has put into its run's directory does not keep that from going, and nothing else goes", async () => {
	const home = temporaryHome();
	const kept = join(home, "kept");
	mkdirSync(kept);
	writeFileSync(join(kept, "file"), "kept");
	const hostile = [
		'd=$(echo "$AGENTREE_HOME"/runs/*)',
		`ln -s ${kept} "$d/1/link"; mkdir -p "$d/1/a/b"; chmod 0 "$d/1/a/b" "$d/1/a"; mkfifo "$d/1/fifo"`,
		'cd "$d/1"; n=$(printf %200s | tr " " n); for i in $(seq 40); do mkdir $n && cd $n || exit; done; echo made',
	].join("; ");
	expect(await runProgram(["run", "-m", "shell", hostile], { home })).toMatchObject({ exit: 0, stdout: "made\n" });
	const [run = ""] = listRuns(join(home, "agentree"));
	chmodSync(runDirectory(join(home, "agentree"), run), 0);
	expect(await runProgram(["rm", run, "--yes"], { home })).toMatchObject({ exit: 0, stderr: "" });
	expect(readdirSync(join(home, "agentree/runs"))).toEqual([]);
	expect(readdirSync(kept)).toEqual(["file"]);
}, 60_000);

test("inside a run nothing is removed", async () => {
	const home = temporaryHome();
	const end = await runProgram(["run", "-m", "shell", "agent rm --older-than 0s --yes; echo $?"], { home });
	expect(end.stdout).toBe("agent: agents cannot remove runs: agent rm is for the user\n4\n");
});

test.runIf(hasTmux())(
	"on a terminal the person is asked, and no answer removes nothing",
	async () => {
		const home = temporaryHome();
		await runProgram(["run", "-m", "shell", "echo one"], { home });
		const runs = () => listRuns(join(home, "agentree"));
		const terminal = openTerminal(home);
		const line = `AGENTREE_HOME=${home}/agentree XDG_RUNTIME_DIR=${home}/run ${process.execPath} ${AGENT_PROGRAM} rm --older-than 0s --all-directories`;
		terminal.type(line);
		await terminal.shows(/1 run: \d+ KiB\nRemove them permanently\? {2}y yes · n no$/);
		terminal.press("n");
		await terminal.shows(/n no {2}n\n.*[$#] *$/);
		expect(runs()).toHaveLength(1);
		terminal.type(line);
		await terminal.shows(/Remove them permanently\? {2}y yes · n no$/);
		terminal.press("y");
		await terminal.shows(/removed 1 run: \d+ KiB freed/);
		expect(runs()).toEqual([]);
	},
	60_000,
);
