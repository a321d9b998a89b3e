import { expect, test } from "vitest";
import { type Answer, Answers } from "../../../../src/cli/stream/stream-conversation.ts";
import { EMPTY_RUN } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";

const of = { agent: "1" } as const;
const turn = (at: number): RunEvent => ({ event: "turn_started", at, ...of, turn: 1, isLast: false });
const listening = (at: number, reason?: string): RunEvent => ({
	...{ event: "agent_listening", at, ...of },
	...(reason !== undefined && { reason }),
});
const refused = (limit: string): RunEvent => ({
	event: "turn_refused",
	at: 1,
	...of,
	limit,
	reason: `${limit} is over`,
});

function answersAfter(...events: RunEvent[]) {
	const told: Answer[] = [];
	const answers = new Answers((answer) => told.push(answer));
	for (const event of events) answers.onEvent(event, EMPTY_RUN);
	return { endings: told.map(({ ending, durationMs }) => ({ ending, durationMs })), limit: answers.limit?.limit };
}

test("an answer ends when the root listens, with its own time", () => {
	expect(answersAfter(turn(10), turn(20), listening(40), turn(100), listening(101)).endings).toEqual([
		{ ending: { by: "answer" }, durationMs: 30 },
		{ ending: { by: "answer" }, durationMs: 1 },
	]);
});

test("an interruption and a failure are answers that are none", () => {
	const interrupted: RunEvent = { event: "agent_interrupted", at: 2, ...of, from: null };
	expect(answersAfter(turn(1), interrupted, listening(3), listening(4, "no key")).endings).toEqual([
		{ ending: { by: "failure", reason: "interrupted", exitCode: 1 }, durationMs: 2 },
		{ ending: { by: "failure", reason: "no key", exitCode: 1 }, durationMs: 0 },
	]);
});

test("a budget that is spent forbids all further answers, the turns of one message do not", () => {
	const spent = answersAfter(turn(1), refused("max-budget-usd"), listening(2, "spent"));
	expect(spent).toMatchObject({
		endings: [{ ending: { by: "limit", limit: "max-budget-usd" } }],
		limit: "max-budget-usd",
	});
	expect(answersAfter(turn(1), refused("max-turns"), listening(2, "over")).limit).toBeUndefined();
});
