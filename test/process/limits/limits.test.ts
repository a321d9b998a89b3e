/** Limits as a person sets them, met by real agents. */
import { expect, test } from "vitest";
import { ROOT } from "../../../src/core/model/agent.ts";
import type { RunEvent } from "../../../src/core/schemas/run-event.ts";
import { runProgram, startProgram } from "../program.ts";

/** A tree of the given width and depth: each leaf prints its path. */
function treeTask(width: number, depth: number, path = ""): string {
	if (depth === 0) return `echo ${path || "root"}`;
	const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
	const children = Array.from(
		{ length: width },
		(_, i) => `agent ${quoted(treeTask(width, depth - 1, `${path}${i + 1}`))} &`,
	);
	return `${children.join(" ")} wait`;
}

/** The most agents that were thinking or running commands of their own at the same time, as the events tell it. */
function mostActive(events: readonly RunEvent[]): number {
	const thinking = new Set<string>();
	let most = 0;
	for (const event of events) {
		if (event.event === "turn_started") thinking.add(event.agent);
		if (event.event === "turn_ended" || event.event === "turn_failed") thinking.delete(event.agent);
		most = Math.max(most, thinking.size);
	}
	return most;
}

test("one slot is enough for a deep and wide tree, and never more than one agent thinks", async () => {
	const program = startProgram(["run", "--max-concurrency", "1", "--model", "shell", treeTask(2, 3)]);
	const { code, stdout } = await program.ended;
	const leaves = stdout.toString().trim().split("\n").sort();
	expect(code).toBe(0);
	expect(leaves).toEqual([1, 2].flatMap((a) => [1, 2].flatMap((b) => [1, 2].map((c) => `${a}${b}${c}`))));
	expect(mostActive(program.events())).toBe(1);
});

test.each([0, 3])(
	"--max-depth %i lets that many levels start, and the next is told to do the task itself",
	async (depth) => {
		const program = startProgram(["run", "--max-depth", String(depth), "--model", "shell", treeTask(1, depth + 1)]);
		const { code, stdout } = await program.ended;
		const events = program.events();
		const joined = events.flatMap((event) => (event.event === "agent_joined" ? [event.agent] : []));
		const deepest = [ROOT, "1.1", "1.1.1", "1.1.1.1"][depth];
		const reason = `depth limit reached (max-depth 0 below agent ${deepest}): do this task yourself, without starting agents`;
		expect(code).toBe(0);
		expect(joined).toEqual([ROOT, "1.1", "1.1.1", "1.1.1.1"].slice(0, depth + 1));
		expect(events.filter((event) => event.event === "child_refused")).toMatchObject([
			{ parent: deepest, code: "depth", reason },
		]);
		expect(events.filter((event) => event.event === "turn_started")).toHaveLength(2 * (depth + 1));
		expect(stdout.toString()).toContain(`agent: not started: ${reason} (the task: `);
	},
);

test("of 20 children that start at once under --max-agents 5, four start and 16 get exit 4 and one line", async () => {
	const task = 'for i in $(seq 20); do (agent "echo started"; echo "code $?") & done; wait';
	const program = startProgram(["run", "--max-agents", "5", "--model", "shell", task]);
	const { code, stdout } = await program.ended;
	const lines = stdout.toString().trim().split("\n");
	const count = (line: string) => lines.filter((other) => other === line).length;
	const refusal =
		"agent: not started: agent limit reached (max-agents 5 from agent 1 down, all used): do this task yourself, without starting agents (the task: echo started)";
	expect(code).toBe(0);
	expect(program.events().filter((event) => event.event === "agent_joined")).toHaveLength(5);
	expect([count("started"), count("code 0"), count(refusal), count("code 4"), lines.length]).toEqual([
		4, 4, 16, 16, 40,
	]);
});

test("--max-children bounds those alive at once, and a child that has ended makes room", async () => {
	const until = "until [ -e held ]; do sleep 0.02; done";
	const task = `mkfifo go; agent "touch held; cat go" & ${until}; agent "echo no"; echo "code $?"; echo x > go; wait; agent "echo yes"`;
	const { exit, stdout } = await runProgram(["run", "--max-children", "1", "--model", "shell", task]);
	const refusal =
		"child limit reached (max-children 1 alive at once): wait for one of your agents to end (agent --wait-for-place waits in line), or do this task yourself";
	expect([exit, stdout]).toEqual([0, `agent: not started: ${refusal} (the task: echo no)\ncode 4\nx\nyes\n`]);
});

test("with --wait-for-place children wait in line for a place, and the run's own command has none to wait for", async () => {
	const task = 'for n in 1 2 3 4; do agent --wait-for-place "sleep 0.2; echo $n" & done; wait';
	const program = startProgram(["run", "--max-children", "2", "--model", "shell", task]);
	const { code, stdout } = await program.ended;
	expect([code, stdout.toString().trim().split("\n").sort()]).toEqual([0, ["1", "2", "3", "4"]]);
	expect(program.events().filter(({ event }) => event === "child_refused")).toEqual([]);
	const own = await runProgram(["run", "--wait-for-place", "--model", "shell", "x"]);
	expect(own).toMatchObject({ exit: 2, stderr: expect.stringContaining("is only for child agents") });
});

test("a child narrows its limits, for itself and all below it, and widens none", async () => {
	const task =
		'agent --max-depth 0 "agent \\"echo no\\"; echo \\$?"; agent --max-depth 9 --max-agents 999 "agent \\"agent \\\\\\"echo no\\\\\\"; echo \\\\\\$?\\""';
	const program = startProgram(["run", "--max-depth", "2", "--model", "shell", task]);
	const { stdout } = await program.ended;
	const limits = program
		.events()
		.flatMap((event) =>
			event.event === "agent_joined" ? [[event.agent, event.limits.maxDepth, event.limits.maxAgents]] : [],
		);
	expect(limits).toEqual([
		["1", 2, 64],
		["1.1", 0, 64],
		["1.2", 1, 64],
		["1.2.1", 0, 64],
	]);
	expect(stdout.toString().match(/^4$/gm)).toHaveLength(2);
});

test("before the end of --max-time commands are ended, and each agent reports, a child first", async () => {
	const program = startProgram(["run", "--max-time", "9s", "--model", "shell", 'echo begun; agent "sleep 600"']);
	const { code, stdout, stderr } = await program.ended;
	const reached = "limit: time limit reached (max-time 9 s for agent 1 and all below it)";
	expect([code, stdout.toString()]).toEqual([3, `begun\nagent 1.1: ${reached}\n`]);
	expect(stderr.toString()).toBe(`agent 1: ${reached}\n`);
	const endings = program
		.events()
		.flatMap((event) => (event.event === "agent_ended" ? [[event.agent, event.ending.by]] : []));
	expect(endings.sort()).toEqual([
		["1", "limit"],
		["1.1", "limit"],
	]);
});

test("a child's own --max-time ends that child alone", async () => {
	const task = 'agent --max-time 4s "sleep 600"; echo "code $?"';
	const { exit, stdout } = await runProgram(["run", "--model", "shell", task]);
	expect(exit).toBe(0);
	expect(stdout).toBe("agent 1.1: limit: time limit reached (max-time 4 s for agent 1.1 and all below it)\ncode 3\n");
});

test("the turn limit lets the agent report once, without tools", async () => {
	const program = startProgram(["run", "--max-turns", "1", "--model", "shell", "echo one"]);
	const { code, stdout, stderr } = await program.ended;
	expect([code, stdout.toString(), stderr.toString()]).toEqual([
		3,
		"one\n",
		"agent 1: limit: turn limit reached (max-turns 1)\n",
	]);
	const turns = program
		.events()
		.flatMap((event) => (event.event === "turn_started" ? [[event.turn, event.isLast]] : []));
	expect(turns).toEqual([
		[1, false],
		[2, true],
	]);
});
