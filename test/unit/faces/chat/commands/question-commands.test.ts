import { describe, expect, test } from "vitest";
import type { Asked } from "../../../../../src/core/run/questions.ts";
import type { RunEvent } from "../../../../../src/core/run/run-event.ts";
import { joined } from "../../../core/run-of.ts";
import { Chat, WORKING } from "../chat-of.ts";

const asked = (question: number, what: Asked): RunEvent => ({
	event: "question_asked",
	at: 1,
	agent: "1.1",
	question,
	what,
});
const PORT: Asked = { is: "words", text: "which port?", choices: ["80", "no", "8080"] };
const PUSH: Asked = {
	is: "command",
	command: "git push",
	directory: "/w",
	because: "a rule",
	rule: "Bash(git push *)",
};

function talk(...questions: RunEvent[]): Chat {
	return new Chat(...WORKING, joined("1.1"), ...questions);
}

const sent = (of: Chat) => of.effects.flatMap((effect) => (effect.do === "send" ? [effect.message] : []));

describe("/answer", () => {
	test.each([
		["/answer 1 80", PORT, { is: "words", text: "80" }],
		["/answer 8080", PORT, { is: "words", text: "8080" }],
		["/answer no", PORT, { is: "words", text: "no" }],
		["/answer yes", PUSH, { is: "allow" }],
		["/answer 1 always", PUSH, { is: "always" }],
		["/answer no", PUSH, { is: "no" }],
		["/answer no, run the tests first", PUSH, { is: "no", words: "run the tests first" }],
		["/answer #1 stop wrong way", PUSH, { is: "stop", words: "wrong way" }],
		[
			"/answer take the other one",
			{ is: "words", text: "which?" } as const,
			{ is: "words", text: "take the other one" },
		],
	])("%s", (text, what, answer) => {
		expect(sent(talk(asked(1, what)).say(text))).toEqual([{ say: "answer", question: 1, answer }]);
	});

	test("says which question where there are several, and that there is none", () => {
		expect(talk(asked(1, PORT), asked(2, PUSH)).say("/answer yes").told()).toMatch("several questions are open");
		expect(sent(talk(asked(1, PORT), asked(2, PUSH)).say("/answer 2 yes"))).toMatchObject([{ question: 2 }]);
		expect(talk().say("/answer yes").told()).toMatch("no open questions");
	});
});

test("/questions lists what is open, with how to answer", () => {
	const told = talk(asked(1, PORT), asked(2, PUSH)).say("/questions").told();
	expect(told).toMatch("agent 1.1");
	expect(told).toMatch("which port? (80, no, 8080)");
	expect(told).toMatch('/answer 2 allow, always (Bash(git push *)), no "words", or stop');
	expect(talk().say("/questions").told()).toMatch("no open questions");
});
