/** `agent why` on real deaths. Seen to fail with each branch of `causesOf` in turn giving only the ending itself. */
import { expect, test, vi } from "vitest";
import { procTable } from "../../../src/processes/table/process-table.ts";
import { WAIT } from "../../wait.ts";
import { runProgram, startProgram } from "../program.ts";

const TIME = "\\d\\d:\\d\\d:\\d\\d\\.\\d{3}";
const lines = (...sentences: string[]) => new RegExp(`^${sentences.map((line) => `${line}\n`).join("")}$`);
const why = async (home: string, ...args: string[]) => (await runProgram(["why", ...args], { home })).stdout;

test("why tells a living tree by its commands, and a killed agent with what was below it", async () => {
	const task = "agent 'agent \"sleep 631\"; echo middle'; echo root";
	const program = startProgram(["run", "--model", "shell", task]);
	const leaf = await program.waitForEvent((event) => event.event === "command_started" && event.agent === "1.1.1");
	const { home } = program;
	expect(await why(home)).toMatch(
		lines(
			`1 is still running because it is waiting for 1\\.1, which it started at ${TIME}`,
			`1\\.1 is still running because it is waiting for 1\\.1\\.1, which it started at ${TIME}`,
			`1\\.1\\.1 is still running because it has been running \`sleep 631\` \\(process ${"pid" in leaf ? leaf.pid : ""}\\) since ${TIME}: no output for \\d+m?s, 0\\.0 s CPU time`,
		),
	);
	const living = JSON.parse(await why(home, "1.1.1", "--json"));
	expect(living.causes).toMatchObject([{ is: "runs", command: 1, activity: { processes: [{ name: "sleep" }] } }]);
	const middle = program.events().find((event) => event.event === "agent_joined" && event.agent === "1.1");
	const pid = middle?.event === "agent_joined" ? middle.pid : 0;
	process.kill(pid, "SIGKILL");
	await program.ended;
	const killed = `(1\\.1 was killed by SIGKILL at ${TIME} \\(process ${pid}\\)|1\\.1 was killed at ${TIME} \\(process ${pid}\\) by an unseen signal, most likely SIGKILL); the signal did not come from agentree`;
	const stopped = `1\\.1\\.1 was stopped at ${TIME}, because agent 1\\.1 above it ended \\(killed\\)`;
	expect(await why(home, "1.1.1")).toMatch(lines(stopped, killed));
	expect(await why(home, "1")).toMatch(
		lines(`1 answered at ${TIME}`, '1\\.1 agent "sleep 631" has failed: killed by SIGKILL'),
	);
	const json = JSON.parse(await why(home, "1.1.1", "--json"));
	expect(json).toMatchObject({
		agent: "1.1.1",
		causes: [
			{ is: "ended", agent: "1.1.1", ending: { by: "stopped" }, text: expect.stringMatching(stopped) },
			{ is: "ended", agent: "1.1", ending: { by: "killed", signal: "SIGKILL" }, is_from_outside: true },
		],
	});
});

test("why tells what many agents do as groups, with the processes of their commands in the JSON", async () => {
	const program = startProgram(["run", "--model", "shell", "agent 'sleep 635' & agent 'sleep 635' & wait"]);
	const sleeps = (agent: string) =>
		program.waitForEvent((event) => event.event === "command_started" && event.agent === agent);
	await Promise.all([sleeps("1.1"), sleeps("1.2")]);
	const { home } = program;
	expect(await why(home)).toMatch(
		lines(
			`1 is still running because it is waiting for 1\\.1, 1\\.2, the first started at ${TIME}`,
			"2 run commands, the longest 1\\.[12] sleep 635 for \\d+m?s, no output for \\d+m?s, 0\\.0 s CPU time: \\$ sleep 635",
		),
	);
	const { causes, groups, failed } = JSON.parse(await why(home, "--json"));
	const member = {
		name: "sleep 635",
		activity: { command: 1, cpu_ms: expect.any(Number), processes: [{ name: "sleep" }] },
	};
	expect([causes.length, groups, failed]).toMatchObject([4, [{ doing: "running", members: [member, member] }], []]);
	program.kill("SIGTERM");
	await program.ended;
});

test("why tells a limit, a stop by a signal, and a supervisor that was killed", async () => {
	const limited = startProgram(["run", "--max-time", "1s", "--model", "shell", "sleep 632"]);
	const stopped = startProgram(["run", "--model", "shell", "sleep 633"]);
	const orphaned = startProgram(["run", "--model", "shell", "sleep 634"]);
	for (const program of [stopped, orphaned]) await program.waitForEvent((event) => event.event === "command_started");
	stopped.kill("SIGTERM");
	orphaned.kill("SIGKILL");
	await Promise.all([limited.ended, stopped.ended, orphaned.ended]);
	expect(await why(limited.home)).toMatch(
		lines(`1 reached a limit at ${TIME}: time limit reached .*`, `max-time 1s was set for the run at ${TIME}`),
	);
	expect(await why(stopped.home)).toMatch(
		lines(
			`1 was stopped at ${TIME}: the supervisor received SIGTERM`,
			`the run was asked to stop at ${TIME}: the supervisor received SIGTERM`,
		),
	);
	expect(await why(orphaned.home)).toMatch(
		lines(`the supervisor \\(process ${orphaned.pid}\\) died without reporting; its last record is from ${TIME}`),
	);
});

test("ps and why say that a run's supervisor is suspended, and no more when it goes on", async () => {
	// Seen to fail without `isRecordedSuspended`: "running", and the command alone.
	const program = startProgram(["run", "--model", "shell", "sleep 635"]);
	await program.waitForEvent((event) => event.event === "command_started");
	const { home, pid } = program;
	const isIn = (state: RegExp) => expect(procTable.read(pid)?.state).toMatch(state);
	const stateInPs = async () => JSON.parse((await runProgram(["ps", "--json"], { home })).stdout)[0].state;
	const runs = "1 is still running because it has been running `sleep 635` .*";
	program.kill("SIGSTOP");
	await vi.waitFor(() => isIn(/T/), WAIT);
	expect(await why(home)).toMatch(
		lines(`the supervisor \\(process ${pid}\\) is suspended; to continue the run: .*`, runs),
	);
	expect(await stateInPs()).toBe("suspended");
	program.kill("SIGCONT");
	await vi.waitFor(() => isIn(/[^T]/), WAIT);
	expect(await why(home)).toMatch(lines(runs));
	expect(await stateInPs()).toBe("running");
	program.kill("SIGTERM");
	await program.ended;
});

test("an agent that is not there is one line and exit 2", async () => {
	const program = startProgram(["run", "--model", "shell", "echo hi"]);
	await program.ended;
	const { exit, stdout, stderr } = await runProgram(["why", "1.9"], { home: program.home });
	expect([exit, stdout]).toEqual([2, ""]);
	expect(stderr).toMatch(/^agent: run \S+ has no agent 1\.9; .*\n$/);
});
