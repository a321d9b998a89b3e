import { expect, test } from "vitest";
import type { Ending } from "../../../../src/core/model/agent.ts";
import type { ModelOutcome } from "../../../../src/core/model/model.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import { eventNames, REQUEST, type Scenario, startScenario, told } from "./scenario.ts";

const MAX_TURNS = { limit: "max-turns", reason: "turn limit reached (max-turns 1)" };

test("an ask is a call at once while a slot is free, and its answer goes to the agent", () => {
	const run = startScenario();
	run.root();
	expect(run.ask("1").effects).toEqual([{ do: "call", agent: "1", kind: "turn", request: REQUEST, turn: 1 }]);
	const decision = run.answer("1");
	expect(eventNames(decision)).toEqual(["turn_ended 1"]);
	expect(told(decision, "1")).toEqual([
		{ say: "answer", content: [{ type: "text", text: "done" }], stopReason: "end_turn", usage: NO_USAGE },
	]);
});

test("a call that fails is told with its reason and its exit code, and what it used is written down", () => {
	const run = startScenario();
	run.root();
	run.ask("1");
	const usage = { ...NO_USAGE, input: 9 };
	const outcome = { is: "failure", reason: "no key", exitCode: 77, usage } as const;
	const decision = run.dispatch({ is: "answered", agent: "1", outcome, costUsd: 0.5 });
	expect(decision.events).toMatchObject([{ event: "turn_failed", turn: 1, reason: "no key", usage, costUsd: 0.5 }]);
	expect(told(decision, "1")).toEqual([{ say: "ask_failed", reason: "no key", exitCode: 77 }]);
});

// Seen to fail (the agent is told of no full context, and ends) when only known words were taken for one.
test("an invalid request without known words counts as a full context near the window, and only there", () => {
	const full = (windowTokens: number) => {
		const run = startScenario();
		run.root();
		run.ask("1");
		Object.assign(run.state().run.agents["1"] ?? {}, { windowTokens, contextTokens: 900 });
		const outcome = { is: "failure", reason: "Bad Request", exitCode: 1, usage: NO_USAGE, mayBeFull: true } as const;
		return told(run.dispatch({ is: "answered", agent: "1", outcome, costUsd: 0 }), "1");
	};
	const failed = { say: "ask_failed", reason: "Bad Request", exitCode: 1 };
	expect([full(1000), full(100_000)]).toEqual([[{ ...failed, contextFull: {} }], [failed]]);
});

test("at the limit of turns an ask is refused, then one last call is made without tools, and no second one", () => {
	const run = startScenario({ maxTurns: 1 });
	run.root();
	run.ask("1");
	run.answer("1");
	const refused = run.ask("1");
	expect(refused.events).toMatchObject([{ event: "turn_refused", agent: "1", ...MAX_TURNS }]);
	expect(refused.effects).toEqual([{ do: "tell", agent: "1", message: { say: "ask_refused", ...MAX_TURNS } }]);
	const last = run.ask("1", true);
	expect(last.events).toMatchObject([{ event: "turn_started", turn: 2, isLast: true }]);
	expect(last.effects).toEqual([
		{ do: "call", agent: "1", kind: "last", request: { ...REQUEST, mayUseTools: false }, turn: 2 },
	]);
	run.answer("1");
	expect(told(run.ask("1", true), "1")).toEqual([{ say: "ask_refused", ...MAX_TURNS }]);
	expect(told(run.ask("1"), "1")).toEqual([{ say: "ask_refused", ...MAX_TURNS }]);
	expect(run.state().run.agents["1"]?.turns).toBe(1);
});

test("a smaller context than was known counts from then on, and is said once", () => {
	const run = startScenario({});
	run.root();
	const full = (maxTokens: number): ModelOutcome => ({
		...{ is: "failure", reason: "prompt is too long", exitCode: 1, contextFull: { maxTokens } },
		usage: NO_USAGE,
	});
	const heard = [4096, 4096, 2048, 8192].map((maxTokens) => {
		run.ask("1");
		const { events } = run.dispatch({ is: "answered", agent: "1", outcome: full(maxTokens), costUsd: 0 });
		return events.flatMap((event) => (event.event === "agent_changed" ? [event.windowTokens] : []));
	});
	expect(heard).toEqual([[4096], [], [2048], []]);
	expect(run.state().run.agents["1"]?.windowTokens).toBe(2048);
});

// Seen to fail with the right used up: the second ask was refused.
test("a last call that brought no report, since the context was full, may be made again; one that brought one may not", () => {
	const run = startScenario({ maxTurns: 1 });
	run.root();
	run.ask("1");
	run.answer("1");
	run.ask("1");
	const full: ModelOutcome = {
		...{ is: "failure", reason: "prompt is too long", exitCode: 1, contextFull: { promptTokens: 5, maxTokens: 4 } },
		usage: NO_USAGE,
	};
	const cut: ModelOutcome = {
		...{ is: "reply", content: [], stopReason: "model_context_window_exceeded" },
		...{ usage: NO_USAGE, model: "m" },
	};
	for (const outcome of [full, cut, full]) {
		expect(run.ask("1", true).events).toMatchObject([{ event: "turn_started", turn: 2, isLast: true }]);
		run.dispatch({ is: "answered", agent: "1", outcome, costUsd: 0 });
		expect(told(run.ask("1"), "1")).toEqual([{ say: "ask_refused", ...MAX_TURNS }]);
	}
	run.ask("1", true);
	run.answer("1");
	expect(told(run.ask("1", true), "1")).toEqual([{ say: "ask_refused", ...MAX_TURNS }]);
	expect(run.state().run.agents["1"]?.turns).toBe(1);
});

test("an ask that calls itself the last before any limit is reached is a turn as every other, without tools", () => {
	const run = startScenario({ maxTurns: 2 });
	run.root();
	const { events, effects } = run.ask("1", true);
	expect(events).toMatchObject([{ event: "turn_started", turn: 1, isLast: false }]);
	expect(effects).toMatchObject([{ do: "call", request: { mayUseTools: false } }]);
	run.answer("1");
	run.ask("1", true);
	run.answer("1");
	expect(run.state().run.agents["1"]?.turns).toBe(2);
	expect(run.ask("1", true).events).toMatchObject([{ event: "turn_started", isLast: true }]);
});

test("an agent has one ask at a time: a second one meanwhile makes no call and takes no turn", () => {
	const run = startScenario({ maxConcurrency: 1 });
	run.root();
	run.ask("1");
	expect(run.ask("1")).toMatchObject({ events: [], effects: [] });
	run.child("1");
	run.ask("1.1");
	expect(run.ask("1.1")).toMatchObject({ events: [], effects: [] });
	expect(run.calling()).toEqual(["1"]);
});

test("turns in all are counted over a subtree, and each agent of it has its one last call", () => {
	const run = startScenario({ maxTotalTurns: 2 });
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.child("1", 1);
	run.ask("1.1");
	run.answer("1.1");
	const message = {
		say: "ask_refused",
		limit: "max-total-turns",
		reason: "turn limit reached (max-total-turns 2 from agent 1 down)",
	};
	for (const agent of ["1.1", "1.2"]) {
		expect(told(run.ask(agent), agent)).toEqual([message]);
		expect(run.ask(agent, true).events).toMatchObject([{ event: "turn_started", isLast: true }]);
		run.answer(agent);
		expect(told(run.ask(agent, true), agent)).toEqual([message]);
		run.finish(agent);
	}
	expect(run.state().run.agents["1.2"]?.turns).toBe(0);
});

test("turns that wait for a slot are reserved: three that wait share the two that are left", () => {
	const run = startScenario({ maxTotalTurns: 3, maxConcurrency: 1 });
	run.root();
	run.runs("1", 1);
	for (const child of ["1.1", "1.2", "1.3"]) {
		run.child("1", 1);
		run.ask(child);
	}
	for (const child of ["1.1", "1.2"] as const) {
		run.answer(child);
		run.finish(child);
	}
	const started = run.events.filter(({ event }) => event === "turn_started");
	expect(started).toHaveLength(3);
	expect(run.effects).toContainEqual({
		do: "tell",
		agent: "1.3",
		message: expect.objectContaining({ say: "ask_refused", limit: "max-total-turns" }),
	});
});

test("a reserved turn that never starts is free again", () => {
	const run = startScenario({ maxTotalTurns: 2, maxConcurrency: 1 });
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.child("1", 1);
	run.ask("1.2");
	expect(told(run.ask("1.1"), "1.1")).toMatchObject([{ say: "ask_refused" }]);
	run.gone("1.2");
	expect(run.ask("1.1").effects).toMatchObject([{ do: "call", agent: "1.1", turn: 1 }]);
});

test("an answer for nobody's ask changes nothing", () => {
	const run = startScenario();
	run.root();
	expect(run.answer("1")).toMatchObject({ events: [], effects: [] });
	run.ask("1");
	run.stop("1");
	expect(run.answer("1")).toMatchObject({ events: [], effects: [] });
	expect(run.answer("1.7")).toMatchObject({ events: [], effects: [] });
});

const OUT_OF_TIME = { limit: "max-time", reason: "time limit reached (max-time 60 s for agent 1 and all below it)" };

test("an agent whose time is nearly over may only report, and what ended below it ended for that", () => {
	const run = startScenario();
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	const short = () => run.dispatch({ is: "time_short", agent: "1", reached: OUT_OF_TIME, holder: "1" });
	expect(told(short(), "1")).toEqual([{ say: "out_of_time", reason: OUT_OF_TIME.reason }]);
	expect(short().effects).toEqual([]);
	const ended = run.finish("1.1", { by: "stopped", reason: "got SIGTERM", signal: 15 });
	expect(ended.events).toContainEqual(
		expect.objectContaining({ event: "agent_ended", agent: "1.1", ending: { by: "limit", ...OUT_OF_TIME } }),
	);
	run.commandEnds("1", 1);
	expect(told(run.ask("1"), "1")).toEqual([{ say: "ask_refused", ...OUT_OF_TIME }]);
	expect(run.ask("1", true).events).toMatchObject([{ event: "turn_started", isLast: true }]);
});

// Seen to fail: between the end of its child and its own turn to report it began another turn, and the run's end was an answer.
test("who waited for a child whose time was over may only report, too, once its last child has", () => {
	const run = startScenario();
	run.root();
	run.runs("1", 1);
	for (const child of ["1.1", "1.2"] as const) {
		run.child("1", 1);
		run.dispatch({ is: "time_short", agent: child, reached: OUT_OF_TIME, holder: "1" });
	}
	const limit: Ending = { by: "limit", ...OUT_OF_TIME };
	expect(told(run.finish("1.1", limit), "1")).not.toContainEqual({ say: "out_of_time", reason: OUT_OF_TIME.reason });
	expect(told(run.finish("1.2", limit), "1")).toContainEqual({ say: "out_of_time", reason: OUT_OF_TIME.reason });
	run.commandEnds("1", 1);
	expect(told(run.ask("1"), "1")).toEqual([{ say: "ask_refused", ...OUT_OF_TIME }]);
});

test("a call that waits for its slot is not made any more when the time is nearly over", () => {
	const run = startScenario({ maxConcurrency: 1 });
	run.root();
	run.runs("1", 1);
	run.child("1", 1);
	run.child("1", 1);
	run.ask("1.1");
	run.ask("1.2");
	const decision = run.dispatch({ is: "time_short", agent: "1.2", reached: OUT_OF_TIME, holder: "1" });
	expect(told(decision, "1.2").map(({ say }) => say)).toEqual(["out_of_time", "ask_refused"]);
});

function notesOf(run: Scenario): (readonly string[] | undefined)[] {
	const content = [{ type: "tool_use", id: "t", name: "bash", input: { command: "ls" } }] as const;
	const outcome = { is: "reply", content, stopReason: "tool_use", usage: NO_USAGE } as unknown as ModelOutcome;
	run.ask("1");
	return told(run.dispatch({ is: "answered", agent: "1", outcome, costUsd: 0 }), "1").flatMap((message) =>
		message.say === "answer" ? [message.notes] : [],
	);
}

test("when most of the time is over the agent is told with its next answer, once", () => {
	const run = startScenario();
	run.root();
	const reason = "most of the time is used (max-time 10m00s of agent 1 and all below it): 2m00s left";
	run.dispatch({ is: "time_noticed", agent: "1", reason });
	expect(notesOf(run)).toEqual([[expect.stringMatching(/: 2m00s left\. Shortly before the end .* only report/)]]);
	expect(notesOf(run)).toEqual([undefined]);
});

test("an agent is told once when most of its turns are taken, of its own and of those that all share", () => {
	const run = startScenario({ maxTurns: 5, maxTotalTurns: 5 });
	run.root();
	const notes = () => notesOf(run);
	expect([notes(), notes(), notes()].flat()).toEqual([undefined, undefined, undefined]);
	const end = "At the limit you can only report: do what matters most now.";
	expect(notes()).toEqual([
		[
			`4 of 5 turns are used (max-turns 5). ${end}`,
			`4 of 5 turns are used (max-total-turns 5 from agent 1 down). ${end}`,
		],
	]);
	expect(notes()).toEqual([undefined]); // the limit itself has words of its own
});
