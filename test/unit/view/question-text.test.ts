import { expect, test } from "vitest";
import { questionNotice } from "../../../src/view/question-text.ts";

// Seen to fail: the reason and the command ran together.
test("what an agent asks, why, and what answers it are told apart in one line", () => {
	const what = { is: "words", text: "which port?", choices: ["80", "8080"] } as const;
	const asked = { event: "question_asked", at: 0, agent: "1", question: 1, what, why: "both free" } as const;
	expect(questionNotice(asked, { command: "/answer" })).toBe(
		"agent 1 asks you, question 1: which port? (80, 8080), because: both free; answer with /answer 1 80",
	);
});
