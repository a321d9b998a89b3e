/** Runs that kill -9 of everything, Ctrl-C or a limit has interrupted go on from their files. */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { MessageEntry } from "../../../src/core/schemas/transcript.ts";
import { readRunFile } from "../../../src/record/read-run.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { WAIT } from "../../wait.ts";
import { census } from "../census.ts";
import { type Program, type ProgramOptions, runProgram, startProgram, temporaryHome } from "../program.ts";

function homeWith(script: string): string {
	const home = temporaryHome();
	writeFileSync(join(home, "s.yaml"), script);
	return home;
}

const start = (home: string, args: string[] = [], options: ProgramOptions = {}) =>
	startProgram(["run", "-m", "script:s.yaml", ...args, "outer"], { home, ...options });

/** Kills supervisor, agents and commands in one moment, as a power cut would. */
async function killAll(program: Program): Promise<void> {
	const pids = [program.pid, ...census(program).map(({ pid }) => pid)];
	for (const pid of pids)
		try {
			process.kill(pid, "SIGKILL");
		} catch {} // it had ended by itself
	await program.ended;
	await vi.waitFor(() => expect(census(program)).toEqual([]), WAIT);
}

function linesOf(home: string, name: string): string[] {
	const path = join(home, name);
	return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
}

const began = (program: Program, home: string, name: string) =>
	vi.waitFor(() => expect(linesOf(home, name)).not.toEqual([]), WAIT).then(() => program.runDirectory());

function messagesOf(directory: string, agent: string): MessageEntry[] {
	const { values, damage } = readTranscript(directory, agent);
	expect(damage.filter((what) => !what.includes("NUL"))).toEqual([]);
	return values.flatMap((entry) => (entry.role === "note" ? [] : [entry]));
}

function textsOf({ content }: MessageEntry): string {
	return content
		.map((block) => ("text" in block ? block.text : "content" in block ? block.content : ""))
		.filter((text) => text !== "")
		.join(" | ");
}

const FAMILY = `
agents:
  - task: outer
    turns:
      - say: I start two.
        run: echo outer >> ran; agent quick > quick; agent "inner part"
      - say: The child is lost.
        run: echo again >> ran; agent resume 1.2; agent resume 1.9; echo status $?
      - say: "End: {{output}}"
      - say: "More: {{task}}"
  - task: quick
    turns:
      - say: Quick answer.
  - task: inner*
    turns:
      - say: I look.
        run: echo inner >> ran; echo began > began; sleep 300
      - say: inner answer
`;

test("after kill -9 of everything a run goes on: no command runs twice, its child agent is taken up, answers are kept", async () => {
	// Seen to fail with the results of open calls left out of what is said first. The lock is tried in run-lock.test.ts.
	const home = homeWith(FAMILY);
	const program = start(home);
	const directory = await began(program, home, "began");
	expect(await runProgram(["resume"], { home })).toMatchObject({
		exit: 4,
		stderr: expect.stringMatching(/is running/),
	});
	await killAll(program);
	appendFileSync(join(directory, "events.jsonl"), '{"event":"turn_st');
	appendFileSync(join(directory, "1", "transcript.jsonl"), '\0\0\0\n{"role":"assi');
	const before = readRunFile(directory);

	const [first, second] = await Promise.all([runProgram(["resume"], { home }), runProgram(["resume"], { home })]);
	const [end, other] = first.exit === 0 ? [first, second] : [second, first];
	expect(other).toMatchObject({ exit: 4, stdout: "" });
	expect(end).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^End: inner answer\n.*status 2\n$/s) });
	for (const said of [
		": the last line is torn, dropped",
		"the last line of agent 1's transcript was torn, dropped",
		"transcript.jsonl line 3: contains NUL bytes, skipped",
	])
		expect(end.stderr).toContain(said);
	expect(linesOf(home, "ran")).toEqual(["outer", "inner", "again"]);
	expect(readdirSync(join(directory, "1", "out"))).toEqual(["0001.log", "0002.log"]);

	const { endedAt, ending, exitCode, agents, supervisor, socket, ...rest } = readRunFile(directory);
	expect({ ending, exitCode, agents }).toEqual({ ending: { by: "answer" }, exitCode: 0, agents: 3 });
	expect(rest).toMatchObject({ run: before.run, startedAt: before.startedAt });
	expect(supervisor).not.toEqual(before.supervisor);
	expect(readdirSync(directory).sort()).toEqual(["1", "bin", "events.jsonl", "run.json"]);
	expect(program.events().map(({ event }) => event)).toEqual(
		expect.arrayContaining(["run_resumed", "agent_resumed", "run_ended"]),
	);
	const told = messagesOf(directory, "1").map(textsOf)[2];
	expect(told).toMatch(/^Interrupted: .* unknown\. \| You were interrupted \(crashed: its supervisor died\)/);
	expect(told).toContain("Your agent 1.1 (quick) had answered:\nQuick answer.");
	expect(told).toMatch(
		/Your agent 1\.2 \(inner part\) had not answered\. Its last words: I look\.\n.*agent resume 1\.2/,
	);
	expect(messagesOf(directory, "1.2").map(textsOf).at(-1)).toBe("inner answer");

	expect(await runProgram(["resume"], { home })).toMatchObject({
		exit: 2,
		stderr: expect.stringMatching(/has answered/),
	});
	expect(await runProgram(["resume", before.run, "and more"], { home })).toMatchObject({
		exit: 0,
		stdout: "More: outer\n",
	});
	expect(messagesOf(directory, "1").at(-2)?.content).toEqual([{ type: "text", text: "and more" }]);
}, 90_000);

const SLOW = `
agents:
  - turns:
      - say: First.
        run: echo one >> ran
      - say: Second, slowly.
        delay: 30s
        run: echo two >> ran
      - say: "End of {{agent}}."
`;
const QUICK = SLOW.replace("delay: 30s", "delay: 1ms");

test("a call that was under way is made again, after Ctrl-C too; the time limit counts anew", async () => {
	// Seen to fail without `isUnanswered`: the script has only 3 turns, and `echo two` was never run.
	const home = homeWith(SLOW);
	const program = start(home, ["--max-time", "1m"]);
	await program.waitForEvent((event) => event.event === "turn_started" && event.turn === 2);
	program.kill("SIGINT");
	expect(await program.ended).toMatchObject({ code: 130 });
	const directory = await program.runDirectory();
	const again = startProgram(["resume", "-q"], { home });
	await again.waitForEvent((event) => event.event === "agent_resumed");
	await vi.waitFor(() => expect(again.events().at(-1)).toMatchObject({ event: "turn_started", turn: 2 }), WAIT);
	await killAll(again);
	writeFileSync(join(home, "s.yaml"), QUICK);
	expect(await runProgram(["resume", "--output-format", "json"], { home })).toMatchObject({
		...{ exit: 0, stderr: "", stdout: expect.stringMatching(/"result":"End of 1\."/) },
	});
	expect(linesOf(home, "ran")).toEqual(["one", "two"]);
	const turns = messagesOf(directory, "1").flatMap((entry) => (entry.role === "assistant" ? [entry.turn] : []));
	expect(turns).toEqual([1, 2, 3]);
	const notes = readTranscript(directory, "1").values.filter(
		(entry) => entry.role === "note" && entry.note === "resumed",
	);
	expect(notes).toMatchObject([{ reason: "stopped: Ctrl-C" }, { reason: "crashed: its supervisor died" }]);
}, 90_000);

test("a run at a limit says which one to raise, and goes on when it is raised; its model may be replaced", async () => {
	const home = homeWith(QUICK);
	const program = start(home, ["--max-turns", "1"]);
	expect(await program.ended).toMatchObject({ code: 3 });
	const run = readRunFile(await program.runDirectory()).run;
	const atOnce = await runProgram(["resume"], { home, env: { AGENTREE_MAX_TURNS: "9" } });
	expect(atOnce).toEqual({
		...{ exit: 2, stdout: "" },
		stderr: `agent: run ${run} ended at a limit that it would reach again at once (turn limit reached (max-turns 1)); raise it: agent resume ${run} --max-turns 2\n`,
	});
	writeFileSync(join(home, "other.yaml"), QUICK.replace("End of", "Other end of"));
	const end = await runProgram(["resume", "--max-turns", "5", "-m", "script:other.yaml"], { home });
	expect(end).toEqual({ exit: 0, stdout: "Other end of 1.\n", stderr: "" });
	expect(linesOf(home, "ran")).toEqual(["one", "two"]);
	expect(readRunFile(await program.runDirectory())).toMatchObject({
		...{ model: `script:${join(home, "other.yaml")}`, limits: { maxTurns: 5 } },
	});
}, 90_000);

test.each(["echo first", "true"])(
	"a message to a shell run that has answered is its next command: after %s",
	async (first) => {
		// Seen to fail without `messageAfterAnswer`: the old output came again.
		const home = temporaryHome();
		await runProgram(["run", "--model", "shell", first], { home });
		const [run = ""] = readdirSync(join(home, "agentree/runs"));
		const resumed = await runProgram(["resume", run, "echo second"], { home });
		expect(resumed).toEqual({ exit: 0, stdout: "second\n", stderr: "" });
	},
);
