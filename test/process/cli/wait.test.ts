/** `agent wait`: any number of processes wait for a run or an agent, and exit as it ended. */
import { expect, test } from "vitest";
import { type Program, runProgram, startLine, startProgram } from "../program.ts";

const shell = (task: string, home?: string) =>
	startProgram(["run", "--model", "shell", task], home === undefined ? {} : { home });
const commandsStarted = (program: Program, count: number) =>
	program.waitForEvent(() => program.events().filter(({ event }) => event === "command_started").length === count);

test("waiters for an agent and for its run exit as these end, and one that is interrupted ends alone", async () => {
	const program = shell("agent 'sleep 611'; sleep 612");
	const { home } = program;
	await commandsStarted(program, 2);
	const waiters = ["1.1", undefined, undefined].map((ref) =>
		startProgram(["wait", ...(ref === undefined ? [] : [ref]), "--json"], { home }),
	);
	// `agent ps` shows that each of them has begun: it was started after them, and loads the same program.
	const interrupted = startLine('"$@" wait & pid=$!; "$@" ps >/dev/null; kill -TERM $pid; wait $pid', { home });
	expect((await interrupted.ended).code).toBe(143);
	await runProgram(["stop", "1.1"], { home });
	const [ofAgent, ...ofRun] = waiters;
	expect(await told(ofAgent)).toEqual([143, { agent: "1.1", by: "stopped", exit_code: 143 }]);
	await runProgram(["kill"], { home });
	const killed = { agent: null, by: "stopped", exit_code: 137 };
	expect(await Promise.all(ofRun.map(told))).toEqual([
		[137, killed],
		[137, killed],
	]);
});

test("a wait for what is over already says at once how it ended, without a word", async () => {
	const program = shell("agent 'echo yes'");
	await program.ended;
	const { home } = program;
	const silent = { exit: 0, stdout: "", stderr: "" };
	expect([await runProgram(["wait"], { home }), await runProgram(["wait", "1.1"], { home })]).toEqual([silent, silent]);
	expect(await runProgram(["wait", "1.7"], { home })).toMatchObject({ exit: 2, stdout: "" });
});

test("a wait ends when the supervisor is killed meanwhile, and says so", async () => {
	// Seen to wait for ever without the look at the supervisor's process.
	const program = shell("sleep 613");
	await commandsStarted(program, 1);
	const waiter = startProgram(["wait", "--json"], { home: program.home });
	await runProgram(["ps"], { home: program.home }); // takes as long as the other program needs to begin to wait
	program.kill("SIGKILL");
	expect(await told(waiter)).toEqual([70, { agent: null, by: "crashed", exit_code: 70 }]);
});

test("an agent's command waits for a sibling, and is refused itself and what is above it", async () => {
	const program = shell(
		'agent "sleep 0.3; exit 0" & until agent wait 1.1 2>/dev/null; do :; done; agent "agent wait 1; agent wait 1.2; agent wait 1.1 && echo over"; wait',
	);
	const { stdout } = await program.ended;
	expect(stdout.toString().trim().split("\n")).toEqual([
		"agent: agent 1.2 cannot wait for agent 1, which ends after it; it may wait for any other agent",
		"agent: agent 1.2 cannot wait for itself; it may wait for any other agent",
		"over",
	]);
});

async function told(waiter: Program | undefined): Promise<unknown[]> {
	const end = await waiter?.ended;
	const { agent, ending, exit_code } = JSON.parse(end?.stdout.toString() || "{}");
	return [end?.code, { agent, by: ending?.by, exit_code }];
}
