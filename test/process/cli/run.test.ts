/** A run from end to end with the model `shell`: what a person types, and what is printed. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { agentsInOrder, EMPTY_RUN, reduce } from "../../../src/core/run/run-state.ts";
import { type Program, runProgram, startLine, startProgram, temporaryHome } from "../program.ts";

test("stdout is the answer and nothing else, stderr is empty", async () => {
	expect(await runProgram(["run", "--model", "shell", "echo hi"])).toEqual({ exit: 0, stdout: "hi\n", stderr: "" });
});

test("a child's answer is its parent's tool result, at every depth", async () => {
	const program = startProgram(["run", "--model", "shell", 'agent "agent \\"echo deep\\""']);
	const { code, stdout, stderr } = await program.ended;
	expect([code, stdout.toString(), stderr.toString()]).toEqual([0, "deep\n", ""]);
	expect(agentsOf(program).map(({ id, task }) => [id, task])).toEqual([
		["1", 'agent "agent \\"echo deep\\""'],
		["1.1", 'agent "echo deep"'],
		["1.1.1", "echo deep"],
	]);
	const ps = await runProgram(["ps", "--json", program.events()[0]?.event === "run_started" ? runOf(program) : ""], {
		home: program.home,
	});
	expect(JSON.parse(ps.stdout)[0].agents).toMatchObject([
		{ agent: "1", children: [{ agent: "1.1", children: [{ agent: "1.1.1" }] }] },
	]);
});

test.each([10, 65_535, 65_536, 65_537, 1_048_576, 20_971_520])(
	"%i bytes reach a slow reader to the byte, through a child",
	async (bytes) => {
		const text = `head -c ${bytes} < <(yes 0123456789abcdef) | tr "\\n" .`;
		const slow =
			"import sys,time\nn=0\nwhile True:\n b=sys.stdin.buffer.read1(400000)\n if not b: break\n n+=len(b)\n sys.stdout.buffer.write(b)\n time.sleep(0.005)";
		const program = startLine(`"$@" run --model shell '${`agent '"'"'${text}'"'"'`}' | python3 -c '${slow}'`);
		const { stdout } = await program.ended;
		expect(stdout.length).toBe(bytes);
		expect(stdout.equals(expected(bytes))).toBe(true);
	},
);

test("a reader that leaves after the first line ends the program quietly", async () => {
	const program = startLine(`"$@" run --model shell "seq 200000" | head -1; echo "\${PIPESTATUS[@]}"`);
	const { stdout, stderr } = await program.ended;
	expect([stdout.toString(), stderr.toString()]).toEqual(["1\n0 0\n", ""]);
});

test("programs beside a child on the same pipe are not disturbed by it", async () => {
	// Node sets a pipe that is its process.stdout to non-blocking, for all who share it: cat then fails with EAGAIN.
	const beside =
		"(for i in 1 2 3; do agent 'seq 30000' >/dev/stderr & done; for i in 1 2 3; do cat big; done; wait) 2>&1 | wc -l";
	const { stdout } = await runProgram(["run", "--model", "shell", `seq 100000 > big; ${beside}`]);
	expect(stdout).toBe("390000\n");
});

test("a child whose environment was cleared is still a child of its run", async () => {
	const task =
		'a=$(command -v agent); env -i "$a" "echo cleared"; (setsid env -i PATH="$PATH" "$a" "echo left" & wait)';
	const program = startProgram(["run", "--model", "shell", task]);
	expect((await program.ended).stdout.toString()).toBe("cleared\nleft\n");
	expect(agentsOf(program).map(({ id, command }) => [id, command])).toEqual([
		["1", undefined],
		["1.1", 1],
		["1.2", 1],
	]);
});

test("variables that point elsewhere do not make a new root, nor wider limits", async () => {
	const task =
		'AGENTREE_SOCKET=/nowhere AGENTREE_TOKEN=x AGENTREE_AGENT=other/1 AGENTREE_MAX_DEPTH=9 agent "agent \\"echo no\\"; echo \\$?"';
	const program = startProgram(["run", "--max-depth", "1", "--model", "shell", task]);
	expect((await program.ended).stdout.toString()).toBe(
		"agent: not started: depth limit reached (max-depth 0 below agent 1.1): do this task yourself, without starting agents (the task: echo no)\n4\n",
	);
});

test("a child works in the directory where it was started, and can be sent elsewhere", async () => {
	const task = 'mkdir -p a/b; (cd a && agent "pwd"); agent -C a/b "pwd"; agent --cd nowhere "pwd"; echo $?';
	const program = startProgram(["run", "--model", "shell", task]);
	const { stdout } = await program.ended;
	const { home } = program;
	expect(stdout.toString()).toBe(`${home}/a\n${home}/a/b\nagent: --cd nowhere: no such directory\n2\n`);
});

test("a child takes its task from stdin, and adds stdin to it where that is asked for", async () => {
	const task =
		"echo 'echo piped' | agent; echo 'echo dashed' | agent -; printf 'echo added' | agent --stdin 'true;'; printf 'echo no' | agent 'echo alone'";
	const { stdout } = await runProgram(["run", "--model", "shell", task]);
	expect(stdout).toBe("piped\ndashed\nadded\nalone\n");
});

test("a child that asks for a model that cannot be is wrong usage, and no agent", async () => {
	const program = startProgram(["run", "--model", "shell", 'agent --model gpt-9 "echo no"; echo "code $?"']);
	const { stdout } = await program.ended;
	expect(stdout.toString()).toMatch(/^agent: unknown model "gpt-9"; known: [^\n]+\ncode 2\n$/);
	expect(agentsOf(program)).toHaveLength(1);
});

test("the socket that a killed supervisor left is gone after the next run", async () => {
	const home = temporaryHome();
	const killed = startProgram(["run", "--model", "shell", "sleep 600"], { home });
	await killed.waitForEvent((event) => event.event === "command_started");
	killed.kill("SIGKILL");
	await killed.ended;
	const sockets = () => readdirSync(join(home, "run", "agentree"));
	expect(sockets().filter((name) => name.endsWith(".sock"))).toHaveLength(1);
	await runProgram(["run", "--model", "shell", "echo next"], { home });
	expect(sockets()).toEqual([]);
});

function agentsOf(program: Program) {
	return agentsInOrder(program.events().reduce(reduce, EMPTY_RUN));
}

function runOf(program: Program): string {
	return program.events().reduce(reduce, EMPTY_RUN).run;
}

function expected(bytes: number): Buffer {
	return Buffer.alloc(bytes, "0123456789abcdef.");
}
