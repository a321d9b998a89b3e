/** `agent wait`: any number of processes wait for a run or an agent, and exit as it ended. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { type Program, runProgram, startLine, startProgram, temporaryHome } from "../program.ts";

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
	// Seen to wait forever without the look at the supervisor's process.
	const program = shell("sleep 613");
	await commandsStarted(program, 1);
	const waiter = startProgram(["wait", "--json"], { home: program.home });
	await runProgram(["ps"], { home: program.home }); // takes as long as the other program needs to begin to wait
	program.kill("SIGKILL");
	expect(await told(waiter)).toEqual([70, { agent: null, by: "crashed", exit_code: 70 }]);
});

test("an agent's command waits for one below, and for nobody else of its run", async () => {
	const program = shell(
		`agent "exit 0" & until agent wait 1.1 2>/dev/null; do :; done; agent 'agent "exit 0" & until agent wait 1.2.1 2>/dev/null; do :; done; for other in 1 1.2 1.1; do agent wait $other; done'; wait`,
	);
	const { stdout } = await program.ended;
	expect(stdout.toString().trim().split("\n")).toEqual([
		"agent: agent 1.2 cannot wait for agent 1: an agent can only wait for agents below it",
		"agent: agent 1.2 cannot wait for agent 1.2: an agent can only wait for agents below it",
		"agent: agent 1.2 cannot wait for agent 1.1: an agent can only wait for agents below it",
	]);
});

test("the answer and the whole result of what is over are those that the run has printed, or would have", async () => {
	const home = temporaryHome();
	writeFileSync(join(home, "s.json"), '{"type":"array"}');
	const line = ["run", "-m", "shell", "--json-schema", "s.json", "--output-format", "json", "agent 'echo one'; exit 3"];
	const { exit, stdout } = await runProgram(line, { home });
	const result = JSON.parse(stdout);
	const wait = (...args: string[]) => runProgram(["wait", ...args], { home });
	const whole = await wait("--output-format", "json");
	expect([exit, whole.exit, JSON.parse(whole.stdout)]).toEqual([1, 1, result]);
	// Seen to fail: a script that waits for a detached run got nothing at all of one that failed.
	const stderr = expect.stringMatching(/^agent 1: failure: [^\n]+\n$/);
	expect(await wait("--output-format", "text")).toEqual({ exit: 1, stdout: "", stderr }); // what does not match the schema
	expect(whole.stderr).toEqual(stderr);
	expect(await wait("1.1", "--output-format", "text")).toEqual({ exit: 0, stdout: "one\n", stderr: "" });
	expect(JSON.parse((await wait("1.1", "--output-format", "json")).stdout)).toMatchObject({
		...{ type: "result", subtype: "success", result: "one\n", agent_id: "1.1", parent_agent_id: "1", agents: 1 },
		...{ session_id: result.session_id, exit_code: 0, agent_usage: [{ agent_id: "1.1" }] },
	});
	expect(await wait("--json", "--output-format", "json")).toMatchObject({ exit: 2 });
	expect(await wait("--output-format", "xml")).toMatchObject({ exit: 2 });
});

test("who waits for a detached run is told what that waits for", async () => {
	const home = temporaryHome();
	const detached = ["run", "--detach", "-m", "shell", "--ask-wait", 'agent ask "which port?" --choices 80,8080'];
	const run = (await runProgram(detached, { home })).stdout.trim();
	const waiter = startProgram(["wait", run, "--output-format", "text"], { home });
	const asked = (event: RunEvent) => event.event === "question_asked";
	await waiter.waitForEvent(asked);
	expect((await runProgram(["answer", `${run}#1`, "80"], { home })).exit).toBe(0);
	const { stdout, stderr } = await waiter.ended;
	expect(stdout.toString()).toBe("80\n");
	expect(stderr.toString()).toBe(
		`agent: waiting for you: agent 1 asks you (question 1): which port? (80, 8080); answer with agent answer ${run}#1 80\n`,
	);
});

async function told(waiter: Program | undefined): Promise<unknown[]> {
	const end = await waiter?.ended;
	const { agent, ending, exit_code } = JSON.parse(end?.stdout.toString() || "{}");
	return [end?.code, { agent, by: ending?.by, exit_code }];
}
