import { expect, test } from "vitest";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { WaitingNotices } from "../../../../src/faces/print/waiting-notices.ts";
import { handClock } from "../../hand-clock.ts";

const RUN = "20261127-200000-abcd";

function told() {
	const lines: string[] = [];
	const { pass, elapsed, after, timers } = handClock();
	const notices = new WaitingNotices({ now: elapsed, after }, (line) => lines.push(line));
	const say = (event: RunEvent) => notices.onEvent(event, RUN);
	const ask = (question: number, agent = "1", text = "which port?") =>
		say({ event: "question_asked", at: elapsed(), agent, question, what: { is: "words", text, choices: ["80"] } });
	const answer = (question: number, agent = "1") =>
		say({ event: "question_answered", at: elapsed(), agent, question, answer: { is: "words", text: "80" } });
	return { lines, pass, ask, answer, say, timers };
}

const ASKED = `agent: waiting for you: agent 1 asks you (question 1): which port? (80); answer with agent answer ${RUN}#1 80`;

test("a (question that waits is told at once, with what answers it, and again every two minutes", async () => {
	const { lines, pass, ask, answer, timers } = told();
	ask(1);
	await pass(0);
	expect(lines).toEqual([ASKED]);
	await pass(119_000);
	expect(lines).toHaveLength(1);
	await pass(121_000);
	expect(lines.slice(1)).toEqual([
		ASKED.replace("waiting for you", "still waiting for you after 2m00s"),
		ASKED.replace("waiting for you", "still waiting for you after 4m00s"),
	]);
	answer(1);
	await pass(600_000);
	expect(lines).toHaveLength(3);
	expect(timers()).toBe(0);
});

test("of several questions each is told once, and a reminder has the oldest and counts the others", async () => {
	const { lines, pass, ask, answer } = told();
	ask(1);
	await pass(60_000);
	ask(2, "1.1", "go on?");
	ask(3, "1.2", "and now?");
	await pass(0);
	expect(lines.map((line) => line.replace(/;.*/, ""))).toEqual([
		ASKED.replace(/;.*/, ""),
		"agent: waiting for you: agent 1.1 asks you (question 2): go on? (80)",
		"agent: waiting for you: agent 1.2 asks you (question 3): and now? (80)",
	]);
	answer(1);
	await pass(60_000);
	expect(lines.at(-1)).toBe(
		`agent: still waiting for you after 1m00s: agent 1.1 asks you (question 2): go on? (80); answer with agent answer ${RUN}#2 80; 1 more waits: agent questions ${RUN}`,
	);
});

test("what is answered before it could be told is not told, nor what ends with its agent or the run", async () => {
	const { lines, pass, ask, answer, say, timers } = told();
	ask(1);
	answer(1);
	ask(2, "1.1");
	say({ event: "agent_ended", at: 0, agent: "1.1", ending: { by: "answer" } });
	ask(3);
	say({ event: "run_ended", at: 0, ending: { by: "answer" }, exitCode: 0, survivors: [] });
	await pass(600_000);
	expect(lines).toEqual([]);
	expect(timers()).toBe(0);
});
