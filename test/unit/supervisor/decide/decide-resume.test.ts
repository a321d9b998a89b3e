import { expect, test } from "vitest";
import type { Limits } from "../../../../src/core/limits/limits.ts";
import type { Ending } from "../../../../src/core/model/agent.ts";
import { decide } from "../../../../src/supervisor/decide/decide.ts";
import { initialState } from "../../../../src/supervisor/decide/supervisor-state.ts";
import { CRASH, eventNames, type Place, refusals, type Scenario, startScenario } from "./scenario.ts";

const below = (parent: string, command?: number): Place & { is: "child" } => ({
	...{ is: "child", parent, startTime: "7" },
	...(command === undefined ? {} : { command }),
});

/** The root waits in its command 1 for 1.1, which has ended so. */
function withOverChild(ending: Ending = CRASH, limits: Partial<Limits> = {}): Scenario {
	const run = startScenario(limits);
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.finish("1.1", ending);
	run.commandEnds("1", 1);
	run.runs("1", 2);
	return run;
}

const resume = (run: Scenario, id: string, parent = "1", join: { task?: string; limits?: Partial<Limits> } = {}) =>
	run.join(below(parent, 2), { resume: id, ...join });

test("an agent that was over goes on under its id, in its parent's slot, and is no new agent", () => {
	const run = withOverChild(CRASH, { maxAgents: 2, maxConcurrency: 1 });
	const { events, effects } = resume(run, "1.1");
	expect(events).toMatchObject([{ event: "agent_resumed", agent: "1.1", pid: 1003, startTime: "7", command: 2 }]);
	expect(effects).toMatchObject([
		{ do: "admit", agent: "1.1", before: { was: CRASH } },
		{ do: "tell", agent: "1", message: { say: "children", command: 2, alive: 1 } },
	]);
	expect([...run.state().slots.active]).toEqual(["1.1"]);
	expect(Object.keys(run.state().run.agents)).toEqual(["1", "1.1"]);
	run.ask("1.1");
	expect(run.calling()).toEqual(["1.1"]);
	run.finish("1.1");
	expect([...run.state().slots.active]).toEqual(["1"]);
});

test("its limits are its own or those that are asked for in their place, within what its parent may give", () => {
	const run = startScenario({ maxTurns: 20 });
	run.root();
	run.child("1", undefined, { maxTurns: 5, maxChildren: 3 });
	run.finish("1.1", { by: "limit", limit: "max-turns", reason: "used up" });
	resume(run, "1.1", "1", { limits: { maxTurns: 500 } });
	expect(run.state().run.agents["1.1"]?.limits).toMatchObject({ maxTurns: 20, maxChildren: 3, maxDepth: 2 });
});

test("an agent that goes on after its last report may make another one", () => {
	const limited = startScenario({ maxTurns: 1 });
	limited.root();
	limited.runs("1", 1);
	limited.child("1", 1);
	limited.runs("1.1", 1);
	limited.ask("1.1", true);
	limited.answer("1.1");
	limited.finish("1.1", { by: "limit", limit: "max-turns", reason: "used up" });
	expect([...limited.state().reported]).toEqual(["1.1"]);
	limited.join(below("1", 1), { resume: "1.1" });
	expect([...limited.state().reported]).toEqual([]);
});

test.each([
	["one that is not there", "1.7", "1", "usage", "this run has no agent 1.7; see agent ps"],
	["itself", "1", "1", "usage", "agent 1 is the root, and you are agent 1: only its parent can resume it"],
	["an answered one", "1.1", "1", "usage", expect.stringMatching(/^agent 1\.1 has answered; to continue it: agent/)],
])("refused: %s", (_, id, parent, code, reason) => {
	const decision = resume(withOverChild({ by: "answer" }), id, parent);
	expect(refusals(decision)).toEqual([{ code, reason }]);
	expect(eventNames(decision)).toEqual(["child_refused"]);
});

test("refused: one that lives, and one of another parent", () => {
	const run = startScenario();
	run.root();
	run.child("1");
	run.child("1.1");
	expect(refusals(resume(run, "1.1"))).toEqual([{ code: "usage", reason: "agent 1.1 has not ended" }]);
	run.finish("1.1.1", CRASH);
	expect(refusals(resume(run, "1.1.1"))).toEqual([
		{
			code: "usage",
			reason: "agent 1.1.1 is a child of agent 1.1, and you are agent 1: only its parent can resume it",
		},
	]);
	expect(eventNames(resume(run, "1.1.1", "1.1"))).toEqual(["agent_resumed 1.1.1"]);
});

test("an answered one goes on when something is said to it; a stopped one stays stopped in this run", () => {
	expect(eventNames(resume(withOverChild({ by: "answer" }), "1.1", "1", { task: "also" }))).toEqual([
		"agent_resumed 1.1",
	]);
	const run = startScenario();
	run.root();
	run.child("1");
	const stopped: Ending = { by: "stopped", reason: "agent stop", signal: 15 };
	run.stop("1.1", stopped);
	run.finish("1.1", stopped);
	expect(refusals(resume(run, "1.1"))).toEqual([
		{ code: "stopping", reason: "agent 1.1 was stopped (agent stop) and cannot be resumed in this run" },
	]);
});

test("who goes on is counted among the living children", () => {
	const run = withOverChild(CRASH, { maxChildren: 1 });
	run.child("1", 2);
	expect(refusals(resume(run, "1.1"))).toMatchObject([{ code: "children" }]);
	run.finish("1.2");
	expect(eventNames(resume(run, "1.1"))).toEqual(["agent_resumed 1.1"]);
	expect(refusals(run.child("1", 2))).toMatchObject([{ code: "children" }]);
});

test("the root that joins again goes on", () => {
	const run = startScenario();
	run.root();
	run.finish("1", CRASH);
	expect(run.root()).toMatchObject({
		events: [{ event: "agent_resumed", agent: "1" }],
		effects: [{ do: "admit", agent: "1", before: { was: CRASH } }],
	});
	expect(refusals(run.root())).toEqual([{ code: "stopping", reason: "the run is stopping" }]);
});

test("numbers of children go on after the highest that was ever given", () => {
	const run = startScenario();
	run.root();
	run.child("1");
	run.child("1");
	const { "1.1": _, ...others } = run.state().run.agents; // the line of its join was damaged
	Object.assign(run.state().run, { agents: others });
	run.child("1");
	expect(Object.keys(run.state().run.agents)).toEqual(["1", "1.2", "1.3"]);
});

test("the window of an agent's model is recorded where it is known, by the user's own table first, and anew when another model goes on", () => {
	const run = startScenario();
	run.root();
	run.join(below("1"), { task: "a", model: "claude-haiku-4-5" });
	const windowOf = (of = run.state()) => of.run.agents["1.1"]?.windowTokens;
	expect(windowOf()).toBe(200_000);
	for (const [model, window] of [
		["claude-opus-5", 1_000_000],
		["claude-unheard-of-9", undefined],
	] as const) {
		run.finish("1.1", CRASH);
		run.join(below("1"), { resume: "1.1", model });
		expect(windowOf()).toBe(window);
	}
	run.finish("1.1", CRASH);
	const own = [{ id: "claude-unheard-of-9", contextTokens: 50_000, maxOutputTokens: 8_000, tiers: [] }];
	const { run: before } = run.state();
	const join = { say: "join", pid: 9, pidNamespace: null, cwd: "/", limits: {}, resume: "1.1" } as const;
	const { state } = decide(
		initialState(before, own),
		{ is: "joined", connection: 9, resolved: { pid: 9, ...below("1") }, join },
		9,
	);
	expect(windowOf(state)).toBe(50_000);
});
