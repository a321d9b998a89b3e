/** Messages wait in the run's state for the next call of their agent. */
import { expect, test } from "vitest";
import type { UserMessage } from "../../../../src/core/model/message.ts";
import { EMPTY_RUN, reduce } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { mayGetMessage } from "../../../../src/supervisor/decide/messages.ts";
import { CRASH, eventNames, REQUEST, type Scenario, startScenario, told } from "./scenario.ts";

const send = (run: Scenario, agent: string, text: string, from: string | null = null) =>
	run.dispatch({ is: "message", agent, from, text });
const waiting = (run: Scenario, agent: string) => run.state().run.agents[agent]?.messages?.map(({ text }) => text);

test("the next call carries what waits behind the results, once, and the message takes no turn", () => {
	const run = startScenario();
	run.root();
	run.runs("1", 1);
	expect(eventNames(send(run, "1", "look at the tests"))).toEqual(["message_sent 1"]);
	send(run, "1", "and hurry", "1.2");
	run.commandEnds("1", 1);
	const results: UserMessage = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "ok" }] };
	const request = { ...REQUEST, messages: [results] };
	const asked = run.dispatch({ is: "asked", agent: "1", request, kind: "turn" });
	expect(eventNames(asked)).toEqual(["message_delivered 1", "turn_started 1"]);
	const texts = ["[Message from the person]\n\nlook at the tests", "[Message from agent 1.2]\n\nand hurry"];
	const content = [...results.content, ...texts.map((text) => ({ type: "text", text }))];
	expect(asked.effects).toMatchObject([
		{ do: "deliver", agent: "1", messages: [{ from: null }, { from: "1.2" }] },
		{ do: "call", turn: 2, request: { messages: [{ role: "user", content }] } },
	]);
	expect(waiting(run, "1")).toBeUndefined();
	run.answer("1");
	expect(run.ask("1").effects).toMatchObject([{ do: "call", request: REQUEST }]);
	expect(run.state().run.agents["1"]?.turns).toBe(3);
});

test("a summary is written without the messages, which stay for the turn after it", () => {
	const run = startScenario();
	run.root();
	send(run, "1", "look");
	const asked = run.dispatch({ is: "asked", agent: "1", request: REQUEST, kind: "compaction" });
	expect(asked.effects).toMatchObject([{ do: "call", kind: "compaction", request: REQUEST }]);
	expect(waiting(run, "1")).toEqual(["look"]);
});

test("an answer is held back for a message that came while it was given", () => {
	// Seen to fail without: the agent ends, and the message is lost.
	const run = startScenario();
	run.root();
	run.ask("1");
	expect(mayGetMessage(run.state(), "1")).toEqual({ is: "taken", arrives: "answer_end" });
	send(run, "1", "wait");
	expect(told(run.answer("1"), "1")).toMatchObject([{ say: "answer", isHeldBack: true }]);
	expect(eventNames(run.ask("1"))).toEqual(["message_delivered 1", "turn_started 1"]);
	expect(told(run.answer("1"), "1")).not.toMatchObject([{ isHeldBack: true }]);
});

test("a message is refused that its agent can get no more", () => {
	const run = startScenario({ maxTurns: 2 });
	run.root();
	run.runs("1", 1);
	for (let child = 1; child <= 4; child++) run.child("1", 1);
	run.finish("1.1");
	run.stop("1.2");
	run.ask("1.3");
	run.answer("1.3");
	run.runs("1.4", 1);
	run.commandEnds("1.4", 1);
	run.ask("1.4");
	const reasons = ["1.1", "1.2", "1.3", "1.4", "1.9"].map((agent) => mayGetMessage(run.state(), agent));
	expect(reasons).toEqual(
		[
			"agent 1.1 has ended: answer",
			"agent 1.2 is being stopped and reads no more messages",
			"agent 1.3 has just answered and reads no more messages",
			"agent 1.4 is making the last call that its limits allow and reads no more messages",
			"this run has no agent 1.9; see agent ps",
		].map((reason) => ({ is: "refused", reason })),
	);
});

test("twenty messages may wait for an agent", () => {
	const run = startScenario();
	run.root();
	for (let sent = 0; sent < 20; sent++) send(run, "1", "again");
	expect(mayGetMessage(run.state(), "1")).toMatchObject({
		is: "refused",
		reason: expect.stringMatching(/^20 messages/),
	});
	run.ask("1");
	expect(mayGetMessage(run.state(), "1")).toMatchObject({ is: "taken" });
});

test("the sender is told what the agent does first", () => {
	const run = startScenario();
	run.root();
	const arrival = (agent: string) => mayGetMessage(run.state(), agent);
	expect(arrival("1")).toEqual({ is: "taken", arrives: "next_call" });
	run.runs("1", 1);
	expect(arrival("1")).toEqual({ is: "taken", arrives: "command_end" });
	run.child("1", 1);
	expect(arrival("1")).toEqual({ is: "taken", arrives: "children_end" });
});

test("what an agent has not got is in the event log, and is the first that it gets when it goes on", () => {
	const run = startScenario();
	run.root();
	run.ask("1");
	send(run, "1", "for later", "1.1");
	run.dispatch({ is: "gone", agent: "1", ending: CRASH });
	const replayed = run.events.reduce<ReturnType<typeof reduce>>(reduce, EMPTY_RUN);
	expect(replayed.agents["1"]?.messages).toMatchObject([{ from: "1.1", text: "for later" }]);
	run.root();
	expect(eventNames(run.ask("1"))).toContain("message_delivered 1");
});

test("a message to an agent that is over changes nothing", () => {
	const run = startScenario();
	run.root();
	run.child("1");
	run.finish("1.1");
	const events: RunEvent[] = send(run, "1.1", "late").events;
	expect(events).toEqual([]);
});
