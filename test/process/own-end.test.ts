/**
 * A command that ends what it should not: its own group, everything it can reach. And the supervisor as PID 1. What is
 * ended is ended pid by pid, in a pid namespace that holds nothing but the run.
 */
import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { census, endings } from "./census.ts";
import { NO_NAMESPACE, UNSHARE } from "./namespace.ts";
import { type Program, runProgram, startLine, startProgram } from "./program.ts";

const WAIT = { timeout: 20_000, interval: 25 };
const isSkipped = NO_NAMESPACE !== undefined;
const why = isSkipped ? ` (skipped: ${NO_NAMESPACE})` : "";

test("kill 0 in a command ends that command alone, and its result says by which signal", async () => {
	const program = startProgram(["run", "--model", "shell", 'agent "echo before; kill 0; echo after"; echo "code $?"']);
	const { code, stdout } = await program.ended;
	expect([code, stdout.toString()]).toEqual([0, "before\ncode 0\n"]);
	const ended = program.events().find((event) => event.event === "command_ended" && event.agent === "1.1");
	expect(ended).toMatchObject({ end: { by: "signal", signal: "SIGTERM" } });
});

test("no process of a run that lives long has the words of a task in its arguments, nor is it called node", async () => {
	// Seen to fail without the titles that hostSupervisor and runAgent set.
	const task = "until [ -e go ]; do sleep 0.1; done; echo zebra-words";
	const program = startProgram(["run", "--model", "shell", `: zebra-words; agent "${task}"`]);
	await program.waitForEvent((event) => event.event === "command_started" && event.agent === "1.1");
	const pids = program.events().flatMap((event) => (event.event === "agent_joined" ? [event.pid] : []));
	const of = (pid: number, file: string) => readFileSync(`/proc/${pid}/${file}`, "latin1").replace(/[\0\n]+$/, "");
	await vi.waitFor(() => expect(pids.map((pid) => of(pid, "cmdline"))).toEqual(["agent 1", "agent 1.1"]), WAIT);
	expect(of(program.pid, "cmdline")).toMatch(/^agent supervisor \S+$/);
	expect([program.pid, ...pids].map((pid) => of(pid, "comm"))).not.toContain("node");
	program.kill("SIGTERM");
	expect((await program.ended).code).toBe(143);
});

/** What `kill -9 -1` would reach: all but the sender and PID 1. Each of them is in the namespace of the test. */
const END_ALL = "for p in $(ls /proc | grep '^[0-9]'); do [ $p = 1 ] || [ $p = $$ ] || kill -9 $p; done 2>/dev/null";

function inNamespace(inside: string, task: string): Program {
	const guard = '[ -n "$OUTSIDE" ] && [ "$(readlink /proc/self/ns/pid)" != "$OUTSIDE" ] || exit 99;'; // never on the bare machine
	const safe = `${guard} ${task}`;
	const env = { TASK: safe };
	return startLine(`export OUTSIDE="$(readlink /proc/self/ns/pid)"; exec unshare ${UNSHARE.join(" ")} ${inside}`, {
		env,
	});
}

const BELOW_INIT = `bash -c '"$@" run --model shell "$TASK"; exit $?' bash "$@"`;
const AS_PID_1 = '"$@" run --model shell "$TASK"';

test.skipIf(isSkipped)(
	`a command that kills all it can reach ends the run; nothing is left, and no record says running${why}`,
	async () => {
		const program = inNamespace(BELOW_INIT, END_ALL);
		const { code } = await program.ended;
		expect([code, census(program)]).toEqual([137, []]);
		const { stdout } = await runProgram(["ps", "-a"], { home: program.home });
		expect(stdout).not.toMatch(/running|thinking|queued|waiting/);
		expect(stdout).toMatch(/crashed|killed/);
	},
);

test.skipIf(isSkipped)(
	`as PID 1 it says what is missing and the remedy; what a command kills is told as it was${why}`,
	async () => {
		const program = inNamespace(AS_PID_1, END_ALL);
		const { code, stderr } = await program.ended;
		const [notice, ...rest] = stderr.toString().split("\n");
		expect(notice).toMatch(/^agent: running as PID 1, .*zombies.*docker run --init, or tini\)$/);
		expect([code, rest]).toEqual([137, ["agent 1: killed by SIGKILL", ""]]);
		expect(endings(program.events())).toEqual({ "1": "killed" });
		expect(program.events().at(-1)).toMatchObject({ event: "run_ended", survivors: [] });
	},
);

test.skipIf(isSkipped)(`as PID 1 zombies do not count as alive, and stop ends everything${why}`, async () => {
	const orphans = "for i in 1 2 3 4 5; do (sleep 0.05 & ) ; done; (setsid sleep 620 &) ; touch ready; sleep 621";
	const program = inNamespace(AS_PID_1, orphans);
	await program.waitForEvent((event) => event.event === "command_started");
	await vi.waitFor(() => expect(census(program).filter(({ name }) => name === "sleep")).toHaveLength(2), WAIT);
	const namespaced = census(program).find(({ name }) => name === "agent 1");
	const supervisor = namespaced?.parent ?? 0;
	expect(supervisor).toBeGreaterThan(1);
	process.kill(supervisor, "SIGTERM");
	const { code } = await program.ended;
	expect([code, census(program)]).toEqual([143, []]);
	expect(program.events().at(-1)).toMatchObject({ event: "run_ended", survivors: [] });
});
