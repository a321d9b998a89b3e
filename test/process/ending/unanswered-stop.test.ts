/**
 * `agent stop` and `agent kill` of a run whose supervisor does not answer: "stopped" is said only when nothing lives, and
 * nothing is ended but what belongs to the run.
 * All were seen to fail as it was before: the end of a connection was taken for that of the run, and no look followed.
 */
import { spawn } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { hasEnded, procTable } from "../../../src/processes/table/process-table.ts";
import { readRunFile } from "../../../src/record/read-run.ts";
import { runFilePath } from "../../../src/record/run-directory.ts";
import { WAIT } from "../../wait.ts";
import { census, endings } from "../census.ts";
import { type Program, runProgram, startProgram } from "../program.ts";
import { IS_SANDBOXED, pidRunning } from "../sandboxed.ts";

/** A process that is found by its cookie alone: no agent is above it, and it is in a session of its own. */
const STRAY = "(setsid sleep 901 </dev/null >/dev/null 2>&1 &)";

async function startRun(task: string, agents: number): Promise<Program & { run: string }> {
	const program = startProgram(["run", "--model", "shell", task]);
	const started = () => program.events().filter(({ event }) => event === "command_started");
	await vi.waitFor(() => expect(started()).toHaveLength(agents), WAIT);
	const [first] = program.events();
	return { ...program, run: first?.event === "run_started" ? first.run : "" };
}

async function suspend(pid: number): Promise<void> {
	process.kill(pid, "SIGSTOP");
	await vi.waitFor(() => expect(procTable.read(pid)?.state).toBe("T"), WAIT);
}

function isAlive(pid: number): boolean {
	const info = procTable.read(pid);
	return info !== undefined && !hasEnded(info);
}

function agentPid(program: Program, agent: string): number {
	const joined = program.events().find((event) => event.event === "agent_joined" && event.agent === agent);
	return joined?.event === "agent_joined" ? joined.pid : 0;
}

test("a run whose socket can never be made again is stopped by a signal, with its record", async () => {
	const program = await startRun(`${STRAY}; agent 'sleep 902'`, 2);
	await vi.waitFor(() => expect(pidRunning("sleep 902", program.home)).toBeDefined(), WAIT); // else its sandbox lacks its sockets
	const sockets = join(program.home, "run/agentree");
	rmSync(sockets, { recursive: true });
	writeFileSync(sockets, "no directory");
	const { exit, stdout } = await runProgram(["stop", program.run], { home: program.home });
	expect([exit, stdout]).toEqual([0, `stopped run ${program.run}, whose supervisor (pid ${program.pid}) was silent\n`]);
	expect([census(program), isAlive(program.pid)]).toEqual([[], false]);
	expect(endings(program.events())).toEqual({ "1": "stopped", "1.1": "stopped" });
});

test("one agent of a suspended supervisor is ended with all below it, and the others live on", async () => {
	const program = await startRun(`agent "${STRAY}; agent 'sleep 903'" & agent 'sleep 904' & wait`, 4);
	const { home, run, pid } = program;
	const [ended, spared] = [
		agentPid(program, "1.1.1") === 0 ? "1.2" : "1.1",
		agentPid(program, "1.1.1") === 0 ? "1.1" : "1.2",
	];
	await suspend(pid);
	const stop = () => runProgram(["stop", `${run}/${ended}`], { home });
	const why = `the supervisor of run ${run} (pid ${pid}) is suspended\n`;
	expect(await stop()).toMatchObject({ exit: 0, stdout: `stopped agent ${run}/${ended}; ${why}` });
	const left = [agentPid(program, ended), agentPid(program, `${ended}.1`), agentPid(program, spared)].map(isAlive);
	expect([left, census(program).some(({ name }) => name === "sleep")]).toEqual([[false, false, true], true]);
	const { stdout } = await runProgram(["ps", run], { home });
	const states = new Map(
		[...stdout.matchAll(/^ +(1\S*) .* (crashed|running|waiting) /gm)].map(([, agent, state]) => [agent, state]),
	);
	expect([ended, `${ended}.1`, spared].map((agent) => states.get(agent))).toEqual(["crashed", "crashed", "running"]);
	const again = { exit: 0, stdout: "", stderr: expect.stringContaining("has already ended") };
	expect(await stop()).toEqual(again);
});

test("twice in a row, and two at once, of a run whose supervisor and root were killed: stopped, then over", async () => {
	const program = await startRun(`${STRAY}; agent 'sleep 905'`, 2);
	const { home, run } = program;
	await suspend(agentPid(program, "1"));
	await suspend(agentPid(program, "1.1"));
	program.kill("SIGKILL");
	await vi.waitFor(() => expect(isAlive(program.pid)).toBe(false), WAIT);
	const both = await Promise.all([runProgram(["stop", run], { home }), runProgram(["kill", run], { home })]);
	expect(census(program)).toEqual([]);
	expect(both.map(({ exit }) => exit)).toEqual([0, 0]);
	expect(both.map(({ stdout }) => stdout)).toContain(`stopped run ${run}, whose supervisor is dead\n`);
	const stderr = `run ${run} has already ended: crashed: its supervisor died\n`;
	expect(await runProgram(["kill", run], { home })).toEqual({ exit: 0, stdout: "", stderr });
});

test("who has answered on the socket in the supervisor's place is not believed", async () => {
	const program = await startRun("sleep 906", 1);
	const { home, run, pid } = program;
	const { socket } = readRunFile(await program.runDirectory());
	await suspend(pid); // it does not take its socket back
	renameSync(socket, `${socket}.old`);
	const impostor = createServer((client) => {
		process.kill(pid, "SIGCONT");
		client.end();
	}).listen(socket);
	onTestFinished(() => void impostor.close());
	const { exit, stdout } = await runProgram(["stop", run], { home });
	expect([exit, stdout, census(program), isAlive(pid)]).toEqual([0, expect.stringMatching(/^stopped run/), [], false]);
});

test("a process inside a run ends nothing of a run whose supervisor is suspended or dead", async () => {
	const victim = await startRun("sleep 907", 1);
	const { home, run, pid } = victim;
	const events = victim.events();
	await suspend(pid);
	const task = `for word in stop kill; do agent $word ${run}; echo "code $?"; done`;
	const inside = await runProgram(["run", "--model", "shell", task], { home });
	const line = IS_SANDBOXED
		? `agent: no run "${run}" [^\n]*\ncode \\d+\n` // it sees no other run
		: `agent: the supervisor of run ${run} \\(pid ${pid}\\) is suspended; nothing can be stopped from inside a run without it .*\ncode 75\n`;
	expect(inside.stdout).toMatch(new RegExp(`^(${line}){2}$`));
	expect([isAlive(pid), census({ events: () => events }).length > 0]).toEqual([true, true]);
});

test("a process that the run's files name and that is no supervisor is left alone", async () => {
	const program = await startRun("true", 1);
	await program.ended;
	const directory = await program.runDirectory();
	const innocent = spawn("sleep", ["908"], { stdio: "ignore" });
	onTestFinished(() => void innocent.kill("SIGKILL"));
	const pid = innocent.pid ?? 0;
	const { endedAt: _, ...file } = JSON.parse(readFileSync(runFilePath(directory), "utf8"));
	const forged = { ...file, ended_at: undefined, supervisor: { pid, start_time: procTable.read(pid)?.startTime } };
	writeFileSync(runFilePath(directory), JSON.stringify(forged));
	const { exit, stdout, stderr } = await runProgram(["kill", program.run], { home: program.home });
	expect([exit, stdout, stderr, isAlive(pid)]).toEqual([
		0,
		"",
		`run ${program.run} has already ended: crashed: its supervisor died\n`,
		true,
	]);
});
