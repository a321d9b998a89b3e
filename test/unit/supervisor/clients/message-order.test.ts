import { expect, test } from "vitest";
import { MessageOrder } from "../../../../src/supervisor/clients/message-order.ts";
import type { FromAgent, Join, ToAgent } from "../../../../src/wire/agent-messages.ts";

type Said = Exclude<FromAgent, Join>;

const ASK: Said = { say: "ask", messages: [{ role: "user", content: [] }] };
const RECORD: Said = { say: "record", entry: { role: "user", content: [] } };
const FINISH: Said = { say: "finish", ending: { by: "answer" } };
const started = (command: number): Said => ({ say: "command_started", command, text: "ls", pid: 7, startTime: "1" });
const ended = (command: number): Said => ({
	...{ say: "command_ended", command, outputBytes: 0, leftRunning: [] },
	end: { by: "exit", code: 0 },
});
const repeats = (command: number): Said => ({ say: "repeats", command, times: 5 });
const USAGE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const answer = (calls: number): ToAgent => ({
	say: "reply",
	answer: {
		usage: USAGE,
		content: Array.from({ length: calls }, (_, n) => ({ type: "tool_use", id: `${n}`, name: "bash", input: {} })),
	},
});
const STOP: ToAgent = { say: "stop", ending: { by: "stopped", reason: "r", signal: 15 } };
const REPLY: ToAgent = { say: "reply" };
const SUMMARY: ToAgent = { say: "summary", is: "none" };
const WAITS: ToAgent = { say: "reply", waits: true };
const JOINED = { say: "joined", waits: true } as ToAgent;

/** What is wrong, for each message of the agent. */
function wrongs(...messages: (Said | ToAgent)[]): (string | undefined)[] {
	const order = new MessageOrder();
	return messages.flatMap((message) => {
		if (isToAgent(message)) order.sent(message);
		else return [order.refusal(message)];
		return [];
	});
}

function isToAgent(message: Said | ToAgent): message is ToAgent {
	return ["reply", "summary", "stop", "joined"].includes(message.say);
}

test.each<{ title: string; messages: (Said | ToAgent)[] }>([
	{ title: "one turn", messages: [RECORD, ASK, answer(0), FINISH] },
	{
		title: "commands side by side, which start in any order, and one that cannot be started",
		messages: [RECORD, ASK, answer(3), started(2), started(1), ended(2), ended(3), ended(1), repeats(3), RECORD, ASK],
	},
	{
		title: "asks that no answer comes of, and one for a summary",
		messages: [ASK, REPLY, ASK, SUMMARY, RECORD, ASK, answer(0), FINISH],
	},
	{
		title: "an agent that waits",
		messages: [JOINED, REPLY, RECORD, ASK, WAITS, RECORD, REPLY, ASK, answer(0), FINISH],
	},
	{ title: "a stop in the middle of a call", messages: [ASK, STOP, FINISH] },
	{ title: "a stop in the middle of a command", messages: [ASK, answer(1), started(1), STOP, ended(1), FINISH] },
	{ title: "numbers that go on from an earlier life", messages: [ASK, answer(1), started(18), ended(18), RECORD, ASK] },
])("what an agent says comes in order: $title", ({ messages }) => {
	expect(new Set(wrongs(...messages))).toEqual(new Set([undefined]));
});

test.each<{ messages: (Said | ToAgent)[]; wrong: string }>([
	{ messages: [ASK, ASK], wrong: "a question while another one is open" },
	{ messages: [JOINED, ASK], wrong: "a question before the message that it waits for" },
	{ messages: [ASK, WAITS, ASK], wrong: "a question before the message that it waits for" },
	{ messages: [ASK, answer(1), started(1), ASK], wrong: "a question while commands are running" },
	{ messages: [started(1)], wrong: "a command that no answer asks for" },
	{ messages: [ASK, answer(1), started(1), ended(1), started(2)], wrong: "a command that no answer asks for" },
	{ messages: [ASK, answer(2), started(1), started(1)], wrong: "the start of command 1, which has started before" },
	{
		messages: [ASK, answer(1), started(5), ended(5), ASK, answer(1), started(5)],
		wrong: "the start of command 5, which has started before",
	},
	{ messages: [ended(1)], wrong: "the end of command 1, which is not running" },
	{ messages: [ASK, answer(1), ended(1), ended(1)], wrong: "the end of command 1, which is not running" },
	{ messages: [repeats(1)], wrong: "repeats of a command that has not run" },
	{ messages: [ASK, answer(1), ended(1), repeats(1), repeats(1)], wrong: "repeats of a command that has not run" },
	{ messages: Array.from({ length: 17 }, () => RECORD), wrong: "more than 16 entries between two questions" },
])("it is told what comes out of order: $wrong", ({ messages, wrong }) => {
	expect(wrongs(...messages).at(-1)).toBe(wrong);
});

test("after its end an agent is not heard any more", () => {
	const order = new MessageOrder();
	order.refusal(FINISH);
	expect(order.hasFinished).toBe(true);
});
