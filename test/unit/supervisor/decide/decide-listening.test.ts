import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS, type Limits } from "../../../../src/core/limits/limits.ts";
import type { ModelFailure } from "../../../../src/core/model/model.ts";
import { GO_ON } from "../../../../src/core/model/placeholder-texts.ts";
import { NO_USAGE } from "../../../../src/core/model/usage.ts";
import {
	closeRefusal,
	compactRefusal,
	interruptedAt,
	interruptRefusal,
} from "../../../../src/supervisor/decide/listening.ts";
import { mayGetMessage } from "../../../../src/supervisor/decide/messages.ts";
import type { Decision } from "../../../../src/supervisor/decide/supervisor-state.ts";
import { eventNames, REQUEST, type Scenario, startScenario, told } from "./scenario.ts";

const CUT = { say: "answer", content: [], stopReason: "interrupted", usage: NO_USAGE };

function conversation(limits: Partial<Limits> = {}): Scenario {
	const run = startScenario(limits, { isConversation: true });
	run.root();
	return run;
}

/** A conversation whose root has answered once, and listens. */
function listening(limits: Partial<Limits> = {}): Scenario {
	const run = conversation(limits);
	run.ask("1");
	run.answer("1");
	listens(run);
	return run;
}

const listens = (run: Scenario, reason?: string) =>
	run.dispatch({ is: "listens", agent: "1", ...(reason !== undefined && { reason }) });
const says = (run: Scenario, text = "more") => run.dispatch({ is: "message", agent: "1", from: null, text });
const interrupts = (run: Scenario) => run.dispatch({ is: "interrupt_asked", agent: "1" });
const withdraws = (run: Scenario) => run.dispatch({ is: "withdraw_asked", agent: "1" });
const immediateRetry = (run: Scenario) => {
	const messages = [{ role: "user" as const, content: [{ type: "text" as const, text: GO_ON }] }];
	return run.dispatch({ is: "asked", agent: "1", request: { ...REQUEST, messages }, kind: "turn" });
};
const stateOf = (run: Scenario) => run.state().run.agents["1"]?.state.is;
const holds = ({ effects }: Decision) =>
	effects.flatMap((effect) => (effect.do === "hold_time" ? [effect.isHeld] : []));

describe("the root of a conversation", () => {
	test("listens with no slot and no time, and an answer of it stands", () => {
		const run = conversation();
		run.ask("1");
		says(run);
		expect(told(run.answer("1"), "1")).toEqual([expect.not.objectContaining({ isHeldBack: true })]);
		const run2 = conversation();
		run2.ask("1");
		run2.answer("1");
		const decision = listens(run2);
		expect([eventNames(decision), holds(decision), run2.slots().active, stateOf(run2)]).toEqual([
			["agent_listening 1"],
			[true],
			[],
			"listening",
		]);
	});

	test("goes on at once with what came while it worked, and with what comes while it listens, once", () => {
		const early = conversation();
		early.ask("1");
		says(early);
		early.answer("1");
		expect(told(listens(early), "1")).toEqual([{ say: "go_on" }]);
		const run = listening();
		expect(told(says(run), "1")).toEqual([{ say: "go_on" }]);
		expect(told(says(run, "and this"), "1")).toEqual([]);
		const decision = immediateRetry(run);
		expect([eventNames(decision), holds(decision)]).toEqual([["message_delivered 1", "turn_started 1"], [false]]);
		expect(decision.effects).toContainEqual(
			expect.objectContaining({
				do: "call",
				request: expect.objectContaining({
					messages: [
						{
							role: "user",
							content: [
								{ type: "text", text: "more" },
								{ type: "text", text: "and this" },
							],
						},
					],
				}),
			}),
		);
	});

	test("that is paused goes on when it is let to, and its time with it", () => {
		const run = listening();
		run.dispatch({ is: "pause_asked", agent: "1", from: null, isHard: false });
		says(run);
		expect([holds(immediateRetry(run)), run.calling()]).toEqual([[true], []]);
		const on = run.dispatch({ is: "continue_asked", agent: "1", from: null });
		expect([holds(on), run.calling()]).toEqual([[false], ["1"]]);
	});

	test("stands still with its time when a pause ends while it listens", () => {
		const run = listening();
		run.dispatch({ is: "pause_asked", agent: "1", from: null, isHard: false });
		expect(holds(run.dispatch({ is: "continue_asked", agent: "1", from: null }))).toEqual([true]);
	});

	test("keeps listening after a call that failed, with the reason, also where nobody's call can be answered", () => {
		const run = conversation();
		run.ask("1");
		const outcome: ModelFailure = { is: "failure", reason: "no key", exitCode: 77, usage: NO_USAGE, stopsRun: true };
		const failed = run.dispatch({ is: "answered", agent: "1", outcome, costUsd: 0 });
		expect(eventNames(failed)).toEqual(["turn_failed 1"]);
		listens(run, "no key");
		expect(run.state().run.agents["1"]?.state).toMatchObject({ is: "listening", reason: "no key" });
		says(run);
		expect(eventNames(immediateRetry(run))).toEqual(["message_delivered 1", "turn_started 1"]);
	});

	test("at the limit of all turns takes no message, and says so; what came before waits", () => {
		const run = conversation({ maxTotalTurns: 1 });
		run.ask("1");
		says(run, "early"); // refused by the mailbox, but a script or a bug may send it
		run.answer("1");
		expect(told(listens(run), "1")).toEqual([]);
		expect(mayGetMessage(run.state(), "1")).toEqual({
			is: "refused",
			reason:
				"agent 1 has no turns left: turn limit reached (max-total-turns 1 from agent 1 down); raise the limit to continue (/limits)",
		});
	});

	test("that is stopped while it listens is told so", () => {
		expect(told(listening().stop("1"), "1")).toEqual([expect.objectContaining({ say: "stop" })]);
	});
});

describe("max-turns in a conversation", () => {
	/** A root that has made its one turn for a message, reported, and listens. */
	function atLimit(): Scenario {
		const run = conversation({ maxTurns: 1 });
		run.runs("1", 1);
		run.commandEnds("1", 1);
		expect(told(run.ask("1"), "1")).toEqual([expect.objectContaining({ say: "ask_refused", limit: "max-turns" })]);
		run.ask("1", true);
		run.answer("1");
		listens(run);
		return run;
	}

	test("is given anew with each message of a person, and reported at each time", () => {
		const run = atLimit();
		for (const text of ["first", "second"]) {
			expect(mayGetMessage(run.state(), "1")).toEqual({ is: "taken", arrives: "next_call" });
			expect(told(says(run, text), "1")).toEqual([{ say: "go_on" }]);
			expect(eventNames(immediateRetry(run))).toEqual(["message_delivered 1", "turn_started 1"]);
			run.answer("1");
			expect(eventNames(run.ask("1"))).toEqual(["turn_refused 1"]);
			expect(eventNames(run.ask("1", true))).toEqual(["turn_started 1"]);
			run.answer("1");
			listens(run);
		}
		expect(run.state().run.agents["1"]?.turns).toBe(3);
	});

	test("is given anew by what a person says while it works, at its last turn, too", () => {
		const run = conversation({ maxTurns: 1 });
		run.runs("1", 1);
		expect(mayGetMessage(run.state(), "1").is).toBe("taken");
		says(run, "and this");
		run.commandEnds("1", 1);
		expect(eventNames(immediateRetry(run))).toEqual(["message_delivered 1", "turn_started 1"]);
	});

	test("a message that comes during the report waits for a turn of its own", () => {
		const run = conversation({ maxTurns: 1 });
		run.runs("1", 1);
		run.commandEnds("1", 1);
		run.ask("1");
		says(run, "and this");
		expect(eventNames(run.ask("1", true))).toEqual(["turn_started 1"]);
		expect(mayGetMessage(run.state(), "1").is).toBe("taken");
		run.answer("1");
		expect(told(listens(run), "1")).toEqual([{ say: "go_on" }]);
		expect(eventNames(immediateRetry(run))).toEqual(["message_delivered 1", "turn_started 1"]);
	});

	test("is not given anew by what another agent says, which waits for the person's next message", () => {
		const run = atLimit();
		expect(mayGetMessage(run.state(), "1", "1.1")).toMatchObject({ is: "refused" });
		expect(told(run.dispatch({ is: "message", agent: "1", from: "1.1", text: "x" }), "1")).toEqual([]);
		expect(told(says(run), "1")).toEqual([{ say: "go_on" }]);
	});

	test("binds a child agent as ever, also one to which a person talks", () => {
		const run = conversation({ maxTurns: 1 });
		run.runs("1", 1);
		run.child("1", 1);
		run.runs("1.1", 1);
		run.dispatch({ is: "message", agent: "1.1", from: null, text: "more" });
		run.commandEnds("1.1", 1);
		expect(eventNames(run.ask("1.1"))).toEqual(["turn_refused 1.1"]);
	});
});

describe("an interruption", () => {
	test("of a call keeps what that has said as the agent's answer", () => {
		const run = conversation();
		run.ask("1");
		expect(interruptedAt(run.state(), "1")).toBe("thinking");
		const decision = interrupts(run);
		expect(eventNames(decision)).toEqual(["agent_interrupted 1"]);
		expect(decision.effects).toEqual([
			{ do: "tell", agent: "1", message: { say: "interrupt" } },
			{ do: "cancel_call", agent: "1", keeps: true },
		]);
		const kept = [{ type: "text", text: "so f" } as const];
		const usage = { ...NO_USAGE, input: 3 };
		const cancelled = run.dispatch({ is: "cancelled", agent: "1", turn: 1, usage, costUsd: 0, kept });
		expect(eventNames(cancelled)).toEqual(["turn_cancelled 1"]);
		expect(told(cancelled, "1")).toEqual([{ ...CUT, content: kept, usage }]);
		expect(run.state().run.agents["1"]?.usage.input).toBe(3);
		listens(run);
		expect([stateOf(run), run.state().interrupted.size]).toEqual(["listening", 0]);
	});

	test("of a call whose agent is stopped meanwhile answers nothing", () => {
		const run = conversation();
		run.ask("1");
		interrupts(run);
		run.stop("1");
		const late = run.dispatch({ is: "cancelled", agent: "1", turn: 1, usage: NO_USAGE, costUsd: 0, kept: [] });
		expect(told(late, "1")).toEqual([]);
	});

	test("of commands is the agent's to carry out, and an ask that crossed it is answered with nothing", () => {
		const run = conversation();
		run.runs("1", 1);
		expect(interruptedAt(run.state(), "1")).toBe("running");
		expect(told(interrupts(run), "1")).toEqual([{ say: "interrupt" }]);
		expect(eventNames(interrupts(run))).toEqual([]); // a second one adds nothing
		run.commandEnds("1", 1);
		expect(told(run.ask("1"), "1")).toEqual([CUT]);
		expect([run.calling(), stateOf(run)]).toEqual([[], "running"]);
	});

	test("of a call that waits for a slot, or in a pause, ends the wait", () => {
		const run = conversation();
		run.dispatch({ is: "pause_asked", agent: "1", from: null, isHard: false });
		run.ask("1");
		expect(interruptedAt(run.state(), "1")).toBe("queued");
		expect(told(interrupts(run), "1")).toEqual([{ say: "interrupt" }, CUT]);
		expect(run.state().asks.size).toBe(0);
	});

	test("in a hard pause gives the agent the answer that was kept back, of which it runs nothing", () => {
		const run = conversation();
		run.ask("1");
		run.dispatch({ is: "pause_asked", agent: "1", from: null, isHard: true });
		run.answer("1");
		expect(told(interrupts(run), "1").map(({ say }) => say)).toEqual(["interrupt", "answer"]);
	});

	test("changes nothing while the agent listens or has not begun with what was said", () => {
		const run = listening();
		expect([interruptedAt(run.state(), "1"), eventNames(interrupts(run))]).toEqual(["listening", []]);
		says(run);
		expect([interruptedAt(run.state(), "1"), eventNames(interrupts(run))]).toEqual(["queued", []]);
	});

	test("is refused for all but the root of a conversation", () => {
		const run = conversation();
		run.child("1");
		expect(interruptRefusal(run.state(), "1")).toBeUndefined();
		expect(interruptRefusal(run.state(), "1.1")).toBe(
			"only the root of a conversation can be interrupted; agent stop 1.1 ends agent 1.1 and all below it",
		);
		expect(interruptRefusal(run.state(), "1.2")).toMatch(/^this run has no agent 1\.2/);
		const task = startScenario();
		task.root();
		expect(interruptRefusal(task.state(), "1")).toMatch(/^only the root of a conversation/);
	});
});

describe("a message", () => {
	test("that is taken back before the agent asks lets it listen again", () => {
		const run = listening();
		says(run);
		expect(eventNames(withdraws(run))).toEqual(["message_withdrawn 1"]);
		expect(told(immediateRetry(run), "1")).toEqual([CUT]);
		expect(run.calling()).toEqual([]);
		expect(told(listens(run), "1")).toEqual([]);
		expect(told(says(run), "1")).toEqual([{ say: "go_on" }]);
	});

	test("that is taken back while its call waits lets the agent listen again, unless another one waits", () => {
		const run = listening();
		run.dispatch({ is: "pause_asked", agent: "1", from: null, isHard: false });
		says(run, "a");
		says(run, "b");
		immediateRetry(run);
		expect(told(withdraws(run), "1")).toEqual([]);
		expect(told(withdraws(run), "1")).toEqual([CUT]);
		expect(run.state().asks.size).toBe(0);
	});

	test("that was taken back before is no event", () => {
		const run = listening();
		expect(eventNames(withdraws(run))).toEqual([]);
	});
});

describe("a conversation", () => {
	test("is closed while its root listens, which then hears nothing more", () => {
		const run = listening();
		expect(closeRefusal(run.state())).toBeUndefined();
		expect(told(run.dispatch({ is: "close_asked", agent: "1" }), "1")).toEqual([{ say: "close" }]);
		expect(mayGetMessage(run.state(), "1")).toMatchObject({ is: "refused" });
	});

	test("is not closed while its root works, and another run not at all", () => {
		const run = conversation();
		run.ask("1");
		expect(closeRefusal(run.state())).toBe("agent 1 is working: interrupt it, or stop the run");
		const task = startScenario();
		task.root();
		expect(closeRefusal(task.state())).toBe("this run is not a conversation: it ends with its answer");
	});
});

describe("a change of a person", () => {
	test("of a limit that was reached lets the root go on, also with what waited", () => {
		const run = conversation({ maxTotalTurns: 1 });
		run.ask("1");
		says(run, "early");
		run.answer("1");
		listens(run);
		const limits = { ...DEFAULT_LIMITS, maxTotalTurns: 2 };
		const decision = run.dispatch({ is: "change_asked", agent: "1", limits });
		expect(decision.effects).toEqual([
			{ do: "change", agent: "1" },
			{ do: "tell", agent: "1", message: { say: "go_on" } },
		]);
		const { run: after } = run.state();
		expect([after.limits.maxTotalTurns, after.agents["1"]?.limits.maxTotalTurns]).toEqual([2, 2]);
	});

	test("of how many may be active at once counts at once", () => {
		const run = conversation({ maxConcurrency: 1 });
		run.runs("1", 1);
		run.child("1", 1);
		run.child("1", 1);
		for (const child of ["1.1", "1.2"]) run.ask(child);
		expect(run.calling()).toEqual(["1.1"]);
		run.dispatch({ is: "change_asked", agent: "1", limits: { ...DEFAULT_LIMITS, maxConcurrency: 2 } });
		expect(run.calling()).toEqual(["1.1", "1.2"]);
	});

	test("of the model is told as one, and the same model is none", () => {
		const run = listening();
		const changed = (model: string) => run.dispatch({ is: "change_asked", agent: "1", model }).effects;
		expect(changed("shell")).toEqual([{ do: "change", agent: "1" }]);
		expect(changed("other")).toEqual([{ do: "change", agent: "1", isOtherModel: true }]);
	});
});

test("while older rounds are replaced a message waits, an interruption ends that, and then the root goes on", () => {
	const run = listening();
	expect(compactRefusal(run.state(), "1")).toBeUndefined();
	expect(told(run.dispatch({ is: "compact_asked", agent: "1" }), "1")).toEqual([{ say: "compact" }]);
	expect(compactRefusal(run.state(), "1")).toMatch(/^agent 1 is working/);
	expect(told(says(run), "1")).toEqual([]);
	run.dispatch({ is: "asked", agent: "1", request: REQUEST, kind: "compaction" });
	expect(interrupts(run).effects).toContainEqual({ do: "cancel_call", agent: "1", keeps: true });
	run.dispatch({ is: "cancelled", agent: "1", turn: 1, usage: NO_USAGE, costUsd: 0, kept: [] });
	expect(told(listens(run), "1")).toEqual([{ say: "go_on" }]);
});

test("a question beside the conversation is charged when it is over, also when its agent is, and frees what was set aside", () => {
	const run = listening();
	const reservation = { agent: "1", promptTokens: 5, maxTokens: 5 };
	run.dispatch({ is: "aside_asked", agent: "1", request: REQUEST, reservation });
	expect(run.state().ledger.unsettled).toEqual([reservation]);
	run.finish("1");
	const usage = { ...NO_USAGE, output: 7 };
	const ended = run.dispatch({ is: "aside_ended", agent: "1", usage, costUsd: 0.5, reservation });
	expect([eventNames(ended), run.state().ledger.unsettled]).toEqual([["aside_ended 1"], []]);
	expect(run.state().run.agents["1"]).toMatchObject({ usage: { output: 7 }, costUsd: 0.5 });
});
