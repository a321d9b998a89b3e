/**
 * The whole program where the process table is read by `ps`, as on macOS, when its supervisor is killed. Living processes
 * are counted by /proc, so that the reader is not asked about itself.
 */
import { expect, test, vi } from "vitest";
import { WAIT } from "../../wait.ts";
import { census } from "../census.ts";
import { type Program, runProgram, startProgram } from "../program.ts";

const env = { AGENTREE_PROCESS_TABLE: "ps" };
/** A middle agent, a leaf that sleeps, and a daemon that has left session and parent. */
const TASK = `agent '(setsid sleep 631 >/dev/null 2>&1 &); env -i $(command -v agent) "sleep 632"'`;

async function startTree(): Promise<Program> {
	const program = startProgram(["run", "--model", "shell", TASK], { env });
	await program.waitForEvent((event) => event.event === "command_started" && event.agent === "1.1.1");
	await vi.waitFor(() => expect(census(program).filter(({ name }) => name === "sleep")).toHaveLength(2), WAIT);
	return program;
}

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

test("agents below a suspended root end all by themselves when the supervisor is killed", async () => {
	// Seen to fail with `waitForParentKill` not bounded: they wait for the root's SIGTERM.
	const program = await startTree();
	const [root] = census(program).filter(({ name }) => name === "agent 1");
	process.kill(root?.pid ?? 0, "SIGSTOP");
	program.kill("SIGKILL");
	const others = () => census(program).filter(({ pid, parent }) => pid !== root?.pid && parent !== root?.pid);
	await vi.waitFor(() => expect(others()).toEqual([]), WAIT);
});

test("an unknown reader is wrong usage, before anything starts", async () => {
	const { exit, stdout, stderr } = await runProgram(["run", "--model", "shell", "true"], {
		env: { AGENTREE_PROCESS_TABLE: "wmi" },
	});
	expect([exit, stdout, stderr]).toEqual([2, "", 'agent: AGENTREE_PROCESS_TABLE is "wmi"; it can be proc or ps\n']);
});
