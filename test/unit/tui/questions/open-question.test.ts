import { describe, expect, test } from "vitest";
import type { Asked, Question } from "../../../../src/core/run/questions.ts";
import type { TypedKey } from "../../../../src/tui/keys/key.ts";
import {
	type OpenQuestion,
	overNow,
	pressOpenQuestion,
	questionBeside,
	turnedTo,
} from "../../../../src/tui/questions/open-question.ts";
import { keyed } from "../../../fixtures/keyed.ts";

const SCROLLING = { top: 0, most: 10, page: 4 };
const PUSH: Asked = { is: "command", command: "git push", directory: "/p", because: "the rule git push" };

function question(what: Asked, number = 3): Question {
	return { number, agent: "1.2", at: 0, what };
}

/** What the keys make of it; `y` is a letter, `<enter>` a key, `"text"` a paste. */
function press(open: OpenQuestion, ...keys: readonly string[]) {
	let last: ReturnType<typeof pressOpenQuestion> = { is: "stay", open };
	for (const key of keys) {
		if (last.is !== "stay") throw new Error(`${key} came after the end: ${last.is}`);
		last = pressOpenQuestion(last.open, keyOf(key), SCROLLING);
	}
	return last;
}

function keyOf(key: string): TypedKey {
	if (key.startsWith("<")) return keyed(key.slice(1, -1));
	return key.startsWith('"') ? { is: "paste", text: key.slice(1, -1) } : { is: "text", text: key };
}

const give = (answer: object, number = 3) => ({ is: "give", question: number, answer });

describe("a question about a command", () => {
	const asked = turnedTo(question({ ...PUSH, rule: "Bash(git push *)" }));

	test.each([
		[["y"], { is: "allow" }],
		[["Y"], { is: "allow" }],
		[["a"], { is: "always" }],
		[["n", "<enter>"], { is: "no" }],
		[["n", "n", "o", "t", " ", "y", "<enter>"], { is: "no", words: "not y" }],
		[["n", '"two\nlines"', "<enter>"], { is: "no", words: "two\nlines" }],
		[["s", "<enter>"], { is: "stop" }],
		[["s", "x", "<backspace>", "o", "k", "<enter>"], { is: "stop", words: "ok" }],
	])("is answered by %s", (keys, answer) => {
		expect(press(asked, ...keys)).toEqual(give(answer));
	});

	test.each([["<enter>"], ["1"], ["x"], ["p"], ["w"], ['"y"'], ["yes"], ["<space>"], ["n", "<escape>"], ["<f1>"]])(
		"is not answered by %s",
		(...keys) => {
			expect(press(asked, ...keys)).toMatchObject({ is: "stay" });
		},
	);

	test.each([["<escape>"], ["<ctrl-c>"], ["q"]])("waits on after %s", (key) => {
		expect(press(asked, key)).toEqual({ is: "back" });
	});

	test("is scrolled within what there is", () => {
		const top = (...keys: string[]) => press(asked, ...keys);
		expect(top("<down>")).toMatchObject({ open: { top: 1 } });
		expect(top("<up>")).toMatchObject({ open: { top: 0 } });
		expect(top("<pagedown>")).toMatchObject({ open: { top: 4 } });
		expect(top("<end>")).toMatchObject({ open: { top: 10 } });
	});

	test("takes words that are too long for no answer, and says so", () => {
		const written = press(asked, "n", `"${"x".repeat(10_001)}"`, "<enter>");
		expect(written).toMatchObject({
			is: "stay",
			open: { writing: { trouble: expect.stringContaining("10000") } },
		});
		expect(written).toMatchObject({ open: { writing: { entry: { text: "x".repeat(10_001) } } } });
	});
});

describe("a question with choices", () => {
	const asked = turnedTo(question({ is: "words", text: "which?", choices: ["no", "80", "8080"] }));

	test.each([
		[["2"], { is: "words", text: "80" }],
		[["1"], { is: "words", text: "no" }],
		[["<down>", "<down>", "<enter>"], { is: "words", text: "80" }],
		[["<up>", "<enter>"], { is: "words", text: "8080" }],
		[["n", "<enter>"], { is: "no" }],
	])("is answered by %s", (keys, answer) => {
		expect(press(asked, ...keys)).toEqual(give(answer));
	});

	test.each([["<enter>"], ["y"], ["4"], ["w"], ["0"]])("is not answered by %s", (key) => {
		expect(press(asked, key)).toMatchObject({ is: "stay" });
	});
});

describe("a question in words", () => {
	const asked = turnedTo(question({ is: "words", text: "how?" }));

	test.each([
		[["w", "s", "o", "<enter>"], { is: "words", text: "so" }],
		[["<enter>", "n", "o", "<enter>"], { is: "words", text: "no" }],
		[["w", "a", "<ctrl-j>", "b", "<enter>"], { is: "words", text: "a\nb" }],
		[["y"], { is: "allow" }],
	])("is answered by %s", (keys, answer) => {
		expect(press(asked, ...keys)).toEqual(give(answer));
	});
});

describe("a question that is over", () => {
	const asked = turnedTo(question(PUSH));
	const answered = { event: "question_answered", at: 1, agent: "1.2", question: 3, answer: { is: "no" } } as const;
	const over = overNow(asked, { questions: [question(PUSH, 4)] }, answered);

	test("says what came of it, and takes no key for the next one", () => {
		expect(over.outcome).toBe("Answered elsewhere: no");
		for (const key of ["y", "a", "n", "s", "q", "1", "<down>"]) expect(press(over, key)).toMatchObject({ is: "stay" });
		expect(press(over, "y")).toEqual({ is: "stay", open: over });
		for (const key of ["<enter>", "<escape>"]) expect(press(over, key)).toEqual({ is: "back" });
		expect(press(over, "<tab>")).toEqual({ is: "turn", isForward: true });
	});

	test("takes the words that were being written for no answer", () => {
		const writing = press(asked, "n", "x");
		if (writing.is !== "stay") throw new Error(writing.is);
		const gone = overNow(writing.open, { questions: [] });
		expect(gone).toMatchObject({ outcome: "No longer waiting for an answer" });
		expect(press(gone, "<enter>")).toEqual({ is: "back" });
	});
});

test("one turns from a question to the next one, and behind the last comes the first", () => {
	const questions = [question(PUSH, 1), question(PUSH, 3), question(PUSH, 7)];
	expect([1, 2, 3, 7].map((number) => questionBeside({ questions }, number)?.number)).toEqual([3, 3, 7, 1]);
	expect([1, 2, 3, 7].map((number) => questionBeside({ questions }, number, false)?.number)).toEqual([7, 1, 1, 3]);
	expect(questionBeside({ questions: [question(PUSH, 1)] }, 1)).toBeUndefined();
});
