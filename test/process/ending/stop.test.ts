/** `agent stop` and `agent kill`: the state changes first, then processes are ended; the commands answer when that is done. */
import { existsSync } from "node:fs";
import { expect, test, vi } from "vitest";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { procTable } from "../../../src/processes/table/process-table.ts";
import { WAIT } from "../../wait.ts";
import { census, endings } from "../census.ts";
import { GOES_ON_AFTER_TERM, type Program, runProgram, startProgram } from "../program.ts";

const SLEEPERS =
	"agent 'sleep 611' & agent 'sleep 612' & agent 'trap \"\" TERM; while :; do sleep 0.1; done' & wait; echo rest";

async function startSleepers(agents = 4): Promise<Program> {
	const program = startProgram(["run", "--model", "shell", SLEEPERS]);
	await program.waitForEvent(
		() => program.events().filter((event) => event.event === "command_started").length === agents,
	);
	return program;
}

function agentThatRuns(program: Program, text: string): string {
	const started = program.events().find((event) => event.event === "command_started" && event.text === text);
	return started?.event === "command_started" ? started.agent : "";
}

test("agent stop ends the newest living run of the directory, and answers when nothing of it lives", async () => {
	const program = await startSleepers();
	const { home } = program;
	const stopped = await runProgram(["stop"], { home });
	expect(census(program)).toEqual([]);
	expect(stopped).toEqual({ exit: 0, stdout: expect.stringMatching(/^stopped run \S+ \(4 agents\)\n$/), stderr: "" });
	const { code, stderr } = await program.ended;
	expect([code, stderr.toString()]).toEqual([143, "agent 1: stopped: agent stop\n"]);
	expect(endings(program.events())).toEqual({ "1": "stopped", "1.1": "stopped", "1.2": "stopped", "1.3": "stopped" });
});

test("agent stop REF ends that agent and all below it, and the others go on", async () => {
	const program = await startSleepers();
	const run = runOf(program);
	const agent = agentThatRuns(program, "sleep 611");
	const stopped = await runProgram(["stop", `${run}/${agent}`], { home: program.home });
	expect(stopped).toEqual({ exit: 0, stdout: `stopped agent ${run}/${agent} (1 agent)\n`, stderr: "" });
	expect(endings(program.events())).toEqual({ [agent]: "stopped" });
	const again = await runProgram(["stop", `${run}/${agent}`], { home: program.home });
	expect(again).toEqual({
		exit: 0,
		stdout: "",
		stderr: `agent ${run}/${agent} has already ended: stopped: agent stop\n`,
	});
});

test("agent kill gives no time to what goes on after SIGTERM", async () => {
	const program = startProgram(["run", "--model", "shell", GOES_ON_AFTER_TERM]);
	await vi.waitFor(() => expect(existsSync(`${program.home}/ready`)).toBe(true), WAIT);
	const killed = await runProgram(["kill", runOf(program)], { home: program.home });
	expect(killed).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^stopped run/) });
	expect([census(program), existsSync(`${program.home}/lived`)]).toEqual([[], false]);
	expect((await program.ended).code).toBe(137);
});

test("processes of a run whose supervisor is dead are ended, too", async () => {
	const program = startProgram(["run", "--model", "shell", "trap '' TERM; while :; do sleep 0.1; done"]);
	await program.waitForEvent((event) => event.event === "command_started");
	for (const { pid, name } of census(program)) if (name.startsWith("agent")) process.kill(pid, "SIGSTOP"); // it cannot clean up
	process.kill(program.pid, "SIGKILL");
	await vi.waitFor(() => expect(procTable.read(program.pid)).toBeUndefined(), WAIT);
	expect(census(program)).not.toEqual([]);
	const { exit, stdout } = await runProgram(["kill", runOf(program)], { home: program.home });
	expect([exit, stdout]).toEqual([0, `stopped run ${runOf(program)}, whose supervisor is dead\n`]);
	expect(census(program)).toEqual([]);
});

test.each([
	[[], "no live run in this directory; all live runs: agent ps"],
	[["nothing"], 'no run "nothing"'],
])("agent stop %j where there is nothing to stop says so", async (refs, says) => {
	const { exit, stdout, stderr } = await runProgram(["stop", ...refs]);
	expect([exit, stdout, stderr.startsWith(`agent: ${says}`), stderr.trim().split("\n").length]).toEqual([
		2,
		"",
		true,
		1,
	]);
});

/** Stops at different moments of a tree that starts children as fast as it may. */
test.each([1, 3])(
	"a storm of starts is stopped at moment %i: nothing lives, nothing starts, nothing is asked any more",
	async (moment) => {
		// Seen to fail with `admit` not looking at `run.stopping`, `closed` and the ancestors' ends.
		const below = 'for j in $(seq 8); do agent "sleep 613" & done; wait';
		const task = `for i in $(seq 8); do agent '${below}' & done; wait`;
		const program = startProgram(["run", "--max-agents", "200", "--max-children", "60", "--model", "shell", task]);
		await program.waitForEvent(
			() => program.events().filter((event) => event.event === "agent_joined").length >= moment * 3,
		);
		program.kill("SIGINT");
		const { code } = await program.ended;
		expect(census(program)).toEqual([]);
		expect(code).toBe(130);
		const events = program.events();
		const stopping = events.findIndex(({ event }) => event === "run_stopping");
		const after = (name: RunEvent["event"]) => events.slice(stopping).filter(({ event }) => event === name).length;
		expect([after("agent_joined"), after("turn_started")]).toEqual([0, 0]);
		expect(events.at(-1)).toMatchObject({ event: "run_ended", exitCode: 130, survivors: [] });
		const joined = events.filter(({ event }) => event === "agent_joined").length;
		expect(events.filter(({ event }) => event === "agent_ended")).toHaveLength(joined);
	},
);

function runOf(program: Program): string {
	const [started] = program.events();
	return started?.event === "run_started" ? started.run : "";
}
