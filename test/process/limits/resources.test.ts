/** What a run may use up of the machine, met by real agents. */
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { ROOT } from "../../../src/core/model/agent.ts";
import { agentDirectory } from "../../../src/record/run-directory.ts";
import { WAIT } from "../../wait.ts";
import { census, endings } from "../census.ts";
import { NO_NAMESPACE, pidsGroup, UNSHARE } from "../namespace.ts";
import { startLine, startProgram, temporaryHome } from "../program.ts";
import { IS_SANDBOXED } from "../sandboxed.ts";

async function logOf(program: ReturnType<typeof startProgram>): Promise<string> {
	return readFileSync(join(agentDirectory(await program.runDirectory(), ROOT), "out/0001.log"), "utf8");
}

test("an agent with more processes than --max-processes is ended by that limit, and the rest of the run goes on", async () => {
	// Seen to fail with `lookForBreach` never called: the agent waits for its sleeps.
	const task = 'agent "for i in \\$(seq 30); do sleep 617 & done; wait"; echo "code $?"; agent "echo fine"';
	const program = startProgram(["run", "--max-processes", "15", "--model", "shell", task]);
	const { code, stdout } = await program.ended;
	const [reason, ...rest] = stdout.toString().split("\n");
	// Both are bound by it: the run's fills first when the look comes while the parent's few processes tip the scale.
	expect(reason).toMatch(
		/^agent 1\.1: limit: process limit reached \(max-processes 15 for agent 1(\.1)? and all below it\): \d+ processes, \d+ of them of agent 1\.1$/,
	);
	expect([code, rest]).toEqual([0, ["code 3", "fine", ""]]);
	expect(endings(program.events())).toEqual({ "1": "answer", "1.1": "limit", "1.2": "answer" });
	expect(census(program)).toEqual([]);
});

const BOMB_PIDS = 500;
const group = NO_NAMESPACE === undefined ? pidsGroup(BOMB_PIDS) : undefined;
group?.remove();
const noBomb =
	NO_NAMESPACE ?? (group === undefined ? "no control group with a bound on processes can be made here" : "");

/** A fork bomb that is bounded by itself, too: 2^9 branches at most, which end after 20 s. */
const BOMB = "f(){ if [ \\$1 = 0 ]; then sleep 20; else f \\$((\\$1-1)) | f \\$((\\$1-1)) & fi; }; f 9; wait";

test.skipIf(noBomb !== "")(
	`a fork bomb in a command ends its agent, and its sibling can work${noBomb === "" ? "" : ` (skipped: ${noBomb})`}`,
	async () => {
		// Seen to fail with `lookForBreach` never called: 500 processes, and "fork: Resource temporarily unavailable" for the sibling.
		const bounded = pidsGroup(BOMB_PIDS);
		if (bounded === undefined) throw new Error("there was a control group a moment ago");
		onTestFinished(() => vi.waitFor(bounded.remove, WAIT));
		const env = { PROCS: bounded.procs, TASK: `agent "${BOMB}"; echo "code $?"; agent "echo fine"` };
		const inside = `'"$@" run --max-processes 100 --model shell "$TASK"; exit $?' bash "$@"`;
		const program = startLine(`echo $$ > "$PROCS" && exec unshare ${UNSHARE.join(" ")} bash -c ${inside}`, { env });
		const { code, stdout } = await program.ended;
		expect(stdout.toString()).toMatch(
			/^agent 1\.1: limit: process limit reached \(max-processes 100 .*\ncode 3\nfine\n$/,
		);
		expect(code).toBe(0);
		expect(endings(program.events())).toEqual({ "1": "answer", "1.1": "limit", "1.2": "answer" });
		expect(census(program)).toEqual([]);
	},
);

test.skipIf(group === undefined)(
	`when the system cannot create more processes the model is told so, and the agent lives on${group === undefined ? ` (skipped: ${noBomb})` : ""}`,
	async () => {
		// Seen to fail without `prepareToPrint`: Node aborts when the agent prints its answer, for it has no thread yet.
		const bounded = pidsGroup(BOMB_PIDS);
		if (bounded === undefined) throw new Error("there was a control group a moment ago");
		onTestFinished(() => vi.waitFor(bounded.remove, WAIT));
		const home = temporaryHome();
		const turns = `[{run: 'echo >ready; until [ -e bounded ]; do :; done'}, {run: [echo never, echo never]}, {say: "{{output}}"}]`;
		writeFileSync(join(home, "script.yaml"), `agents: [{path: "1", turns: ${turns}}]`);
		const env = { PROCS: bounded.procs };
		const line = 'echo $$ > "$PROCS" && exec "$@" run --model script:script.yaml go';
		const program = startLine(line, { env, home });
		await vi.waitFor(() => expect(existsSync(join(home, "ready"))).toBe(true), WAIT);
		writeFileSync(bounded.procs.replace("cgroup.procs", "pids.max"), "1"); // a command in a sandbox cannot
		writeFileSync(join(home, "bounded"), "");
		const { code, stdout, stderr } = await program.ended;
		const none =
			"[not started: the system cannot create more processes (EAGAIN): wait until some of your processes have ended, then try again]\n";
		expect([code, stdout.toString(), stderr.toString()]).toEqual([0, none + none, ""]);
	},
);

test("when a run has printed AGENTREE_MAX_OUTPUT, logs are written no more, the cause is in log and result, and it goes on", async () => {
	// Seen to fail with the gate never closed in `SupervisorClient`: the log is whole, and nothing is said.
	const cause = "the commands of this run have printed more than 1 MiB in total";
	const cut = new RegExp(`\\n\\[agentree: cut here: ${cause}; the rest was not saved\\]\\n$`);
	const task = "head -c 3000000 /dev/zero; until [ -e go ]; do echo; sleep 0.02; done; echo the end";
	const program = startProgram(["run", "--model", "shell", task], { env: { AGENTREE_MAX_OUTPUT: "1M" } });
	await program.waitForEvent((event) => event.event === "shortage_began" && event.what === "output");
	await vi.waitFor(async () => expect(cut.test(await logOf(program))).toBe(true), WAIT); // the agent is told after the event
	writeFileSync(join(program.home, "go"), "");
	const { code, stdout } = await program.ended;
	expect(cut.test(await logOf(program))).toBe(true);
	expect(await logOf(program)).not.toContain("the end");
	expect(stdout.toString()).toContain(`the end\n[not all of the output was saved: ${cause}]`);
	expect(code).toBe(0);
});

test("with less disk free than AGENTREE_KEEP_FREE_DISK, logs are not written and children are refused with the reason", async () => {
	const env = { AGENTREE_KEEP_FREE_DISK: "100000T" };
	const program = startProgram(["run", "--model", "shell", 'echo hi; agent "echo no"; echo "code $?"'], { env });
	const { code, stdout } = await program.ended;
	const [first, refusal, ...rest] = stdout.toString().split("\n");
	expect([code, first]).toEqual([0, "hi"]);
	expect(refusal).toMatch(
		/^agent: not started: only [\d.]+ [MGT]iB are free on the disk that stores the run, and 97 PiB must stay free: free some space, or /,
	);
	expect(rest.slice(0, 2)).toEqual(["code 4", expect.stringContaining("[not all of the output was saved: only")]);
	expect(await logOf(program)).not.toContain("hi");
});

test("with less memory free than AGENTREE_KEEP_FREE_MEMORY, agents begin one after the other, and all of them end", async () => {
	// Seen to fail with `isHeldBack` always false: their turns overlap.
	const env = { AGENTREE_KEEP_FREE_MEMORY: "100" };
	const task = 'for i in 1 2 3; do agent "echo $i" & done; wait';
	const program = startProgram(["run", "--model", "shell", task], { env });
	const { code, stdout } = await program.ended;
	expect([code, stdout.toString().trim().split("\n").sort()]).toEqual([0, ["1", "2", "3"]]);
	const order = program
		.events()
		.flatMap((event) =>
			(event.event === "turn_started" && event.turn === 1) || event.event === "agent_ended" ? [event.agent] : [],
		)
		.filter((agent) => agent !== ROOT);
	expect(order.filter((_, at) => at % 2 === 0)).toEqual(order.filter((_, at) => at % 2 === 1));
	expect(program.events().filter(({ event }) => event === "shortage_began")).toHaveLength(1);
});

test.skipIf(NO_NAMESPACE !== undefined)(
	`when not even the record can be written, the run is stopped with the cause in one line${NO_NAMESPACE === undefined ? "" : ` (skipped: ${NO_NAMESPACE})`}`,
	async () => {
		const fill =
			'until [ -e fill ] || ! kill -0 $$; do sleep 0.02; done; head -c 9000000 /dev/zero > "$AGENTREE_HOME/full"; touch full';
		const task = 'touch fill; until [ -e full ]; do sleep 0.02; done; agent "echo no"; sleep 618';
		const inside = `mkdir "$AGENTREE_HOME" && mount -t tmpfs -o size=4m none "$AGENTREE_HOME" && { { ${fill}; } 2>/dev/null & exec "$@" run --model shell "$TASK"; }`;
		const line = `exec unshare --user --map-root-user --mount sh -c '${inside}' sh "$@"`;
		const env = { TASK: task, AGENTREE_KEEP_FREE_DISK: "0" };
		const { code, stderr } = await startLine(line, { env }).ended;
		expect(code).toBe(1);
		expect(stderr.toString()).toMatch(
			/^agent 1: failure: cannot write .*: the disk is full \(ENOSPC\); free some space, or .*\n$/,
		);
	},
);

test("an agent costs the supervisor one open file; an agent that would take the last ones is refused, and the run goes on", async () => {
	// Seen to fail without `tooManyOpen`: an agent is cut off and says nothing. With no bound at all, under `ulimit -n 40`, the
	// supervisor died of EMFILE when it looked at the process table.
	const task =
		'for i in $(seq 8); do (agent "until [ -e go ]; do sleep 0.5; done; echo ok"; echo "code $?") & done; wait';
	const program = startLine('ulimit -n 40; exec "$@" run --max-concurrency 9 --model shell "$TASK"', {
		env: { TASK: task },
	});
	const count = (name: string) => program.events().filter(({ event }) => event === name).length;
	await vi.waitFor(() => expect(count("command_started") + count("child_refused")).toBe(9), WAIT);
	const [refused, alive] = [count("child_refused"), count("command_started")];
	expect([refused > 0, alive > 2]).toEqual([true, true]);
	// Besides the agents' sockets: the one that listens, the two that `spawn` gave it as stdout and stderr, and that of a sandbox's proxy.
	await vi.waitFor(() => expect(socketsOf(program.pid)).toBe(alive + (IS_SANDBOXED ? 4 : 3)), WAIT);
	writeFileSync(join(program.home, "go"), "");
	const { code, stdout, stderr } = await program.ended;
	const lines = stdout.toString().trimEnd().split("\n");
	const starting = (text: string) => lines.filter((line) => line.startsWith(text)).length;
	expect([code, starting("ok"), starting("code 0")]).toEqual([0, 8 - refused, 8 - refused]);
	const reason = "agent: not started: the supervisor can have at most 40 open files (ulimit -n)";
	expect([starting(reason), starting("code 4")]).toEqual([refused, refused]);
	expect(stderr.toString()).toMatch(/^agent: ulimit -Hn 40 allows only about 4 live agents, .*\n$/);
});

function socketsOf(pid: number): number {
	const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
		try {
			return readlinkSync(`/proc/${pid}/fd/${fd}`);
		} catch {
			return ""; // closed meanwhile
		}
	});
	return links.filter((link) => link.startsWith("socket:")).length;
}

test("commands have the soft limit of open files that the run was started with, at any depth", async () => {
	// Seen to fail without `commandFiles`: 256, since Node raises its own limit to the hard one at its start.
	const task = `ulimit -Sn; agent "ulimit -Sn; ulimit -Hn; agent 'ulimit -Sn; echo \\$0; nosuch'"`;
	const program = startLine('ulimit -Sn 100; ulimit -Hn 256; "$@" run --model shell "$TASK"; exit', {
		env: { TASK: task },
	});
	const { stdout } = await program.ended;
	const nested = ["100", "bash", "bash: line 1: nosuch: command not found"];
	expect(stdout.toString().trimEnd().split("\n")).toEqual(["100", "100", "256", ...nested]);
});
