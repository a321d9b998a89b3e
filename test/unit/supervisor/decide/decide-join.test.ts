import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import { eventNames, refusals, startScenario, told } from "./scenario.ts";

test("the root joins once, as agent 1, under the run's limits", () => {
	const run = startScenario({ maxDepth: 2 });
	const { events, effects } = run.root();
	expect(events).toEqual([
		{
			...{ event: "agent_joined", at: 10_001, agent: "1", pid: 1001, startTime: "7", task: "count", model: "shell" },
			limits: { ...DEFAULT_LIMITS, maxDepth: 2 },
		},
	]);
	expect(effects).toMatchObject([{ do: "admit", connection: 1, agent: "1" }]);
	expect(refusals(run.root())).toEqual([{ code: "stopping", reason: "the run is stopping" }]);
});

test("children are numbered in the order of their joins, and no number is given twice", () => {
	const run = startScenario();
	run.root();
	run.child("1");
	run.child("1");
	run.finish("1.1");
	run.child("1");
	run.child("1.2");
	expect(Object.keys(run.state().run.agents)).toEqual(["1", "1.1", "1.2", "1.3", "1.2.1"]);
});

test("a refused start uses up no number", () => {
	const run = startScenario({ maxChildren: 1 });
	run.root();
	run.child("1");
	expect(refusals(run.child("1"))).toHaveLength(1);
	run.finish("1.1");
	expect(eventNames(run.child("1"))).toEqual(["agent_joined 1.2"]);
});

test("a child's limits are its parent's with a level less, narrowed by what it asks for and never widened", () => {
	const run = startScenario({ maxTurns: 20 });
	run.root();
	run.child("1", undefined, { maxTurns: 5, maxAgents: 1000, maxDepth: 9 });
	run.child("1.1");
	expect(run.state().run.agents["1.1"]?.limits).toEqual({ ...DEFAULT_LIMITS, maxDepth: 2, maxTurns: 5 });
	expect(run.state().run.agents["1.1.1"]?.limits).toEqual({ ...DEFAULT_LIMITS, maxDepth: 1, maxTurns: 5 });
});

test("a child thinks with its parent's model unless it asks for another, and keeps its task in one line", () => {
	const run = startScenario();
	run.root();
	run.join({ is: "child", parent: "1", startTime: "7" }, { task: "\nfirst line\nsecond", model: "claude-haiku-5-5" });
	run.child("1.1");
	expect(run.state().run.agents["1.1"]).toMatchObject({ model: "claude-haiku-5-5", task: "first line second" });
	expect(run.state().run.agents["1.1.1"]?.model).toBe("claude-haiku-5-5");
});

test("from depth 0 to 3 exactly so many levels join, and the refusal says what to do instead", () => {
	for (let maxDepth = 0; maxDepth <= 3; maxDepth++) {
		const run = startScenario({ maxDepth });
		run.root();
		let deepest = "1";
		for (let level = 0; level < maxDepth; level++) {
			expect(refusals(run.child(deepest))).toEqual([]);
			deepest = `${deepest}.1`;
		}
		const { effects, events } = run.child(deepest);
		const reason = `depth limit reached (max-depth 0 below agent ${deepest}): do this task yourself, without starting agents`;
		expect(effects).toMatchObject([
			{
				do: "refuse",
				which: expect.stringMatching(/^the task: work for 1/),
				connection: maxDepth + 2,
				code: "depth",
				reason,
			},
		]);
		expect(events).toMatchObject([
			{ event: "child_refused", parent: deepest, code: "depth", reason, task: `work for ${deepest}` },
		]);
	}
});

test("of 40 that start at once under max-agents 10 exactly 9 join the root, the others are told why", () => {
	const run = startScenario({ maxAgents: 10, maxChildren: 100 });
	run.root();
	run.runs("1", 1);
	const refused = Array.from({ length: 40 }, () => refusals(run.child("1", 1))).flat();
	expect(Object.keys(run.state().run.agents)).toHaveLength(10);
	expect(refused).toHaveLength(31);
	expect(new Set(refused.map(({ reason }) => reason))).toEqual(
		new Set([
			"agent limit reached (max-agents 10 from agent 1 down, all used): do this task yourself, without starting agents",
		]),
	);
});

test("a process of no known place is refused with what is known about it", () => {
	const run = startScenario();
	run.root();
	const decision = run.join({ is: "unknown", reason: "it is not below any agent of this run" }, { task: "x" });
	expect(refusals(decision)).toEqual([{ code: "unknown", reason: "it is not below any agent of this run" }]);
	expect(decision.events).toMatchObject([{ event: "child_refused", parent: null, code: "unknown", task: "x" }]);
});

test("a parent is told at each join and end how many children of that command live, and of no other command", () => {
	const run = startScenario();
	run.root();
	run.runs("1", 1);
	run.command("1", 2);
	expect(told(run.child("1", 1), "1")).toEqual([{ say: "children", command: 1, alive: 1 }]);
	expect(told(run.child("1", 2), "1")).toEqual([{ say: "children", command: 2, alive: 1 }]);
	expect(told(run.child("1", 1), "1")).toEqual([{ say: "children", command: 1, alive: 2 }]);
	expect(told(run.child("1"), "1")).toEqual([]);
	expect(told(run.finish("1.1"), "1")).toEqual([{ say: "children", command: 1, alive: 1 }]);
	expect(told(run.gone("1.3"), "1")).toEqual([{ say: "children", command: 1, alive: 0 }]);
});

test("nothing joins below an agent that has ended", () => {
	const run = startScenario();
	run.root();
	run.child("1");
	run.finish("1.1");
	expect(refusals(run.child("1.1"))).toEqual([{ code: "stopping", reason: "agent 1.1 above it has ended" }]);
});

test("a child's task is known by its key, and one that is on its line of descent twice is refused", () => {
	const run = startScenario();
	const join = (parent: string | undefined, taskKey: string) => {
		const resolved = parent === undefined ? { is: "root" as const } : { is: "child" as const, parent };
		const request = { say: "join" as const, pid: 9, pidNamespace: null, task: "t", cwd: "/", limits: {} };
		return run.dispatch({
			is: "joined",
			connection: 1,
			resolved: { ...resolved, pid: 9, startTime: "7" },
			join: request,
			taskKey,
		});
	};
	join(undefined, "a");
	join("1", "a");
	expect(run.state().run.agents["1.1"]?.taskKey).toBe("a");
	expect(refusals(join("1.1", "a")).map(({ code }) => code)).toEqual(["recursion"]);
	expect(eventNames(join("1.1", "b"))).toEqual(["agent_joined 1.1.1"]);
});

test("what an agent says of its repetitions is an event", () => {
	const run = startScenario();
	run.root();
	const { events } = run.dispatch({ is: "repeats", agent: "1", command: 5, times: 5 });
	expect(events).toEqual([{ event: "agent_repeats", at: 10_002, agent: "1", command: 5, times: 5 }]);
});

test("who starts refused children on and on is refused each time, and does not fill the event log", () => {
	const run = startScenario({ maxDepth: 0 });
	run.root();
	const decisions = Array.from({ length: 600 }, () => run.child("1"));
	expect(decisions.flatMap(refusals)).toHaveLength(600);
	expect(decisions.flatMap(eventNames)).toHaveLength(500);
});
