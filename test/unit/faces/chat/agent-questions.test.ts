/** Questions of agents in a conversation: no key answers another question than the one that the person has turned to. */
import { describe, expect, test } from "vitest";
import type { Asked } from "../../../../src/core/run/questions.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { chatRegion } from "../../../../src/faces/chat/conversation-view.ts";
import { LineInput } from "../../../../src/faces/chat/line-input.ts";
import type { Key } from "../../../../src/tui/keys/key.ts";
import type { Line } from "../../../../src/tui/text/line.ts";
import { joined } from "../../core/run-of.ts";
import { Chat, WORKING } from "./chat-of.ts";

const PUSH: Asked = { is: "command", command: "git push\n\tnow", directory: "/p", because: "the rule git push" };
const asks = (question: number, what = PUSH): RunEvent => ({
	...{ event: "question_asked", at: 9_000, agent: "1.1", question, what },
});
const answered = (question: number): RunEvent => ({
	...{ event: "question_answered", at: 9_500, agent: "1.1", question, answer: { is: "no" } },
});

/** A conversation with its line, as the terminal has them. */
class Person {
	readonly chat: Chat;
	readonly line: LineInput;

	constructor(...events: readonly RunEvent[]) {
		this.chat = new Chat(...WORKING, joined("1.1"), ...events);
		this.line = new LineInput({
			...{ history: [], columns: () => 60, onTerminal: () => {} },
			onInput: (input) => void this.chat.input(input),
		});
	}

	/** `<tab>` is a key, all else text of one read; what is drawn between is seen. */
	press(...keys: readonly string[]): this {
		for (const key of keys) {
			this.line.press(keyOf(key), this.chat.state);
			this.screen();
		}
		return this;
	}

	/** Of one read: nothing is drawn between them. */
	pressBlindly(...keys: readonly string[]): this {
		for (const key of keys) this.line.press(keyOf(key), this.chat.state);
		return this;
	}

	screen(columns = 60, rows = 26): string {
		const state = { ...this.chat.state, now: 12_000 };
		const shown = chatRegion(
			{ state, line: this.line, hint: "", branch: undefined },
			{ live: () => [] },
			{ columns: columns + 1, rows },
		);
		return shown.rows.map(textOf).join("\n");
	}
}

function keyOf(key: string): Key {
	return key.startsWith("<") ? { is: "key", name: key.slice(1, -1) } : { is: "text", text: key };
}

const textOf = (line: Line) => line.map(({ text }) => text).join("");
const answer = (question: number, given: object) => ({ say: "answer", question, answer: given });

test("the band is above the line, Tab on an empty line turns to the question, and y answers it", () => {
	const person = new Person(asks(1));
	expect(person.screen()).toContain("Tab to answer");
	expect(person.screen()).toContain("   $ git push ⏎ now  (the rule git push)");
	person.press("<tab>");
	expect(person.screen()).toContain("Question 1 of agent 1.1, waiting 3s");
	expect(person.screen()).toContain("$ git push\n      now");
	expect(person.press("y").chat.sent()).toEqual([answer(1, { is: "allow" })]);
	expect(person.chat.state.question).toBeUndefined();
});

test("what is typed before the person has turned to the question is text", () => {
	const person = new Person().press("y");
	person.chat.happens(asks(1));
	person.press("a", "n", "<tab>", "y", "<enter>");
	expect(person.chat.sent()).toEqual([{ say: "send", agent: "1", text: "yany" }]);
	expect(person.screen()).toContain("Tab to answer");
});

test("Tab with something in the line completes, and the band says so", () => {
	const person = new Person(asks(1)).press("x");
	expect(person.screen()).toContain("Tab on an empty line to answer");
	expect(person.press("<tab>").chat.state.question).toBeUndefined();
});

test("keys of the read that turns to a question answer nothing, as they came before it was on the screen", () => {
	const person = new Person(asks(1), asks(2));
	person.pressBlindly("<tab>", "y", "n", "<enter>", "s", "<enter>");
	expect(person.chat.sent()).toEqual([]);
	person.screen();
	person.pressBlindly("<tab>", "y");
	expect(person.chat.sent()).toEqual([]);
	expect(person.chat.state.question).toMatchObject({ open: { question: { number: 2 } } });
	person.screen();
	expect(person.press("y").chat.sent()).toEqual([answer(2, { is: "allow" })]);
});

test("a key does not answer a question that comes in the place of the one that it was meant for", () => {
	const person = new Person(asks(1), asks(2)).press("<tab>");
	person.chat.happens(answered(1));
	person.press("y", "s", "q");
	expect(person.chat.sent()).toEqual([]);
	expect(person.screen()).toContain("Answered elsewhere: no");
	expect(person.press("<tab>", "y").chat.sent()).toEqual([answer(2, { is: "allow" })]);
});

test("words that are typed while their question is answered elsewhere are no message to anybody", () => {
	const person = new Person(asks(1)).press("<tab>", "n", "quit");
	person.chat.happens(answered(1));
	person.press(" quite now", "<enter>");
	expect(person.chat.sent()).toEqual([]);
	expect(person.line.text).toBe("");
	expect(person.chat.state.question).toBeUndefined();
});

describe("turned to a question", () => {
	test.each([
		[["n", "run the tests", "<enter>"], { is: "no", words: "run the tests" }],
		[["s", "<enter>"], { is: "stop" }],
	])("%s answers it", (keys, given) => {
		expect(new Person(asks(1)).press("<tab>", ...keys).chat.sent()).toEqual([answer(1, given)]);
	});

	test.each([["<escape>"], ["q"]])("%s leaves it for later, and interrupts nothing", (key) => {
		const person = new Person(asks(1)).press("<tab>", key);
		expect(person.chat.sent()).toEqual([]);
		expect(person.screen()).toContain("? question 1");
	});

	test("it stays within the room that there is, and its keys are seen", () => {
		const long: Asked = { ...PUSH, command: "echo one more line\n".repeat(100) };
		const person = new Person(asks(1, long)).press("<tab>");
		expect(person.screen(60, 11).split("\n")).toHaveLength(9);
		expect(person.screen(60, 11)).toMatch(/↓ 100 more rows: ↑↓ PgUp PgDn\ny yes {2}n no {2}s stop {2}Esc later\n/);
		person.press("<end>");
		expect(person.screen(60, 26)).toContain("why asked the rule git push");
	});

	test("the end of the run takes it away", () => {
		const person = new Person(asks(1)).press("<tab>");
		person.chat.happens({
			event: "run_ended",
			at: 9_900,
			ending: { by: "answer" },
			survivors: [],
			exitCode: 0,
		} as never);
		expect(person.chat.state.question).toBeUndefined();
	});
});
