/**
 * A command that ends what it should not: its own group, everything that it can reach. And the supervisor as PID 1.
 * Dangerous commands run in a pid namespace that holds nothing but the run.
 */
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { WAIT } from "../../wait.ts";
import { census, endings } from "../census.ts";
import { missing, NO_NAMESPACE, ONLY_INSIDE, OUTSIDE, pidsGroup, UNSHARE } from "../namespace.ts";
import { type Program, startLine, startProgram } from "../program.ts";
import { IS_SANDBOXED } from "../sandboxed.ts";

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

const MAX_PIDS = 300; // of a test whose command would get out of hand

function inNamespace(inside: string, task: string): Program {
	const group = pidsGroup(MAX_PIDS);
	if (group !== undefined) onTestFinished(() => vi.waitFor(group.remove, WAIT));
	const bound = '[ -z "$PROCS" ] || echo $$ > "$PROCS" || exit 99;';
	return startLine(`${OUTSIDE} ${bound} exec unshare ${UNSHARE.join(" ")} ${inside}`, {
		env: { TASK: `${ONLY_INSIDE} ${task}`, PROCS: group?.procs ?? "" },
	});
}

const BELOW_INIT = `bash -c '"$@" run --model shell "$TASK"; exit $?' bash "$@"`;
const AS_PID_1 = '"$@" run --model shell "$TASK"';

test.skipIf(isSkipped)(
	`a command that kills all it can reach ends the run; nothing is left, and no record says running${why}`,
	async () => {
		const program = inNamespace(BELOW_INIT, "kill -9 -1; echo alone");
		const { code, stdout } = await program.ended;
		if (IS_SANDBOXED) return expect([code, stdout.toString()]).toEqual([0, expect.stringMatching(/alone\n$/)]); // it reaches nothing else
		expect([code, census(program)]).toEqual([137, []]);
		const look = startLine('"$@" ps -a; "$@" why', { home: program.home });
		const told = (await look.ended).stdout.toString();
		expect(told).not.toMatch(/running|thinking|queued|waiting/);
		expect(told).toMatch(/ crashed [\s\S]*\nthe supervisor \(process \d+\) died without reporting; /);
	},
);

test.skipIf(isSkipped)(
	`as PID 1 it says what is missing and the remedy; what a command kills is told as it was${why}`,
	async () => {
		const program = inNamespace(AS_PID_1, "kill -9 -1; echo alone");
		const { code, stdout, stderr } = await program.ended;
		if (IS_SANDBOXED) return expect([code, stdout.toString()]).toEqual([0, expect.stringMatching(/alone\n$/)]);
		const [notice, ...rest] = stderr.toString().split("\n");
		expect(notice).toMatch(/^agent: running as PID 1 .*zombies.*docker run --init, or tini\)$/);
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

const noKillers = NO_NAMESPACE ?? missing("pkill", "killall");

test.skipIf(noKillers !== undefined)(
	`killall node meets no agent, and pkill -f with the words of a task only the shells that have them${noKillers === undefined ? "" : ` (skipped: ${noKillers})`}`,
	async () => {
		// Seen to fail without the titles: killall ends the supervisor and its agents.
		const own = `node -e "setInterval(() => {}, 9)" & until killall -q node; do :; done; wait $!; echo "node: $?"`;
		const words = "pkill -f zebra-words; echo not reached";
		const task = `agent '${own}'; agent '${words.replace("zebra", "ze''bra")}'; echo "code $?"; echo zebra-"words"`;
		const program = inNamespace(BELOW_INIT, task);
		const { code, stdout, stderr } = await program.ended;
		const ended = "agent 1.2: failure: the command printed nothing and was ended from outside";
		expect([code, stdout.toString(), stderr.toString()]).toEqual([0, `node: 143\n${ended}\ncode 1\nzebra-words\n`, ""]);
		expect(endings(program.events())).toEqual({ "1": "answer", "1.1": "answer", "1.2": "failure" });
		const ends = program.events().flatMap((event) => (event.event === "command_ended" ? [event.end] : []));
		expect(ends).toEqual([
			{ by: "exit", code: 0 },
			{ by: "signal", signal: "SIGTERM" },
			{ by: "exit", code: 0 },
		]);
		expect(census(program)).toEqual([]);
	},
);
