/**
 * The whole program where the process table is read by `ps`, as on macOS: whoever dies or stops it, nothing of the run
 * lives on. What lives is counted by /proc, so that the reader is not asked about itself.
 */
import { expect, test, vi } from "vitest";
import { census } from "./census.ts";
import { type Program, runProgram, startProgram } from "./program.ts";

const env = { AGENTREE_PROCESS_TABLE: "ps" };
const WAIT = { timeout: 10_000, interval: 25 };

/** A middle agent, a leaf that sleeps, and a daemon that has left session and parent. */
const TASK = `agent '(setsid sleep 631 >/dev/null 2>&1 &); env -i $(command -v agent) "sleep 632"'`;

async function startTree(): Promise<Program> {
	const program = startProgram(["run", "--model", "shell", TASK], { env });
	await program.waitForEvent((event) => event.event === "command_started" && event.agent === "1.1.1");
	await vi.waitFor(() => expect(census(program).filter(({ name }) => name === "sleep")).toHaveLength(2), WAIT);
	return program;
}

test("a stop ends all of the tree, and a child with a cleared environment was counted at its place", async () => {
	// Seen to fail with `openProcessTable` deaf to the variable.
	const program = await startTree();
	program.kill("SIGTERM");
	const { code } = await program.ended;
	expect([code, census(program)]).toEqual([143, []]);
	expect(program.events().at(-1)).toMatchObject({ event: "run_ended", survivors: [] });
	expect(program.events()[0]).toMatchObject({ event: "run_started", startTime: expect.stringMatching(/^ps:\d{10}$/) });
});

test("when the supervisor is killed nothing of the run lives, and either reader knows that it is over", async () => {
	// Seen to fail with `isRecordedAlive` asking /proc alone: a living run counts as crashed.
	const program = await startTree();
	const states = async (readBy: Record<string, string>) => {
		const { stdout } = await runProgram(["ps", "-a", "--json"], { home: program.home, env: readBy });
		return JSON.parse(stdout).map(({ state }: { state: string }) => state);
	};
	expect(await states({})).toEqual(["running"]);
	program.kill("SIGKILL");
	await vi.waitFor(() => expect(census(program)).toEqual([]), WAIT);
	expect([await states({}), await states(env)]).toEqual([["crashed"], ["crashed"]]);
});

test("a reader that there is not is wrong usage, before anything starts", async () => {
	const { exit, stdout, stderr } = await runProgram(["run", "--model", "shell", "true"], {
		env: { AGENTREE_PROCESS_TABLE: "wmi" },
	});
	expect([exit, stdout, stderr]).toEqual([2, "", 'agent: AGENTREE_PROCESS_TABLE is "wmi"; it can be proc or ps\n']);
});
