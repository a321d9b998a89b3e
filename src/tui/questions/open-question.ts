/**
 * A question that a person has in front of them, and what their keys make of it. It is bound to one question: whatever else comes
 * or goes meanwhile, no key answers another one, and one that is over takes no answer any more. Pure.
 */
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import type { Question } from "../../core/run/questions.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { describeAnswer } from "../../view/words/question.ts";
import { givenAnswer } from "../../wire/open-requests.ts";
import type { GivenAnswer } from "../../wire/watcher-messages.ts";
import { typeInto } from "../editor/field-keys.ts";
import { EMPTY_FIELD, type TextField } from "../editor/text-field.ts";
import { nameOf, type TypedKey } from "../keys/key.ts";

export interface OpenQuestion {
	/** As it was when the person turned to it. */
	readonly question: Question;
	/** The first row that is shown of what is asked; undefined: the one with the marked choice, else the first. */
	readonly top: number | undefined;
	/** The choice that Enter takes; undefined: none is marked. */
	readonly at: number | undefined;
	/** What is being written. */
	readonly writing?: { readonly as: Wording; readonly entry: TextField; readonly trouble?: string };
	/** What came of the question without this person. */
	readonly outcome?: string;
}

/** How far what is asked can be scrolled. */
export interface Scrolling {
	/** The first row that is shown. */
	readonly top: number;
	readonly most: number;
	readonly page: number;
}

export type Pressed =
	| { readonly is: "stay"; readonly open: OpenQuestion }
	/** The question waits on. */
	| { readonly is: "back" }
	/** The person turns to the next question, or to the one before. */
	| { readonly is: "turn"; readonly isForward: boolean }
	| { readonly is: "give"; readonly question: number; readonly answer: GivenAnswer };

export function turnedTo(question: Question): OpenQuestion {
	return { question, top: undefined, at: undefined };
}

export function pressOpenQuestion(open: OpenQuestion, key: TypedKey, scrolling: Scrolling): Pressed {
	if (open.writing !== undefined) return write(open, open.writing, key);
	switch (key.is) {
		case "text":
			return pressLetter(open, key.text);
		case "key":
			return pressNamed(open, nameOf(key), scrolling);
		case "paste":
			return stay(open);
	}
}

/** The question that comes behind the one of that number, or before it; the first one follows the last. */
export function questionBeside(
	{ questions = [] }: Pick<RunState, "questions">,
	number: number,
	isForward = true,
): Question | undefined {
	const others = questions.filter((question) => question.number !== number);
	const sorted = [...others].sort((a, b) => (isForward ? a.number - b.number : b.number - a.number));
	return sorted.find((other) => (isForward ? other.number > number : other.number < number)) ?? sorted[0];
}

/** `event`: what has just happened in the run. Of a question that is over it says what came of it. */
export function overNow(
	open: OpenQuestion,
	{ questions = [] }: Pick<RunState, "questions">,
	event?: RunEvent,
): OpenQuestion {
	const { number } = open.question;
	if (open.outcome !== undefined || questions.some((one) => one.number === number)) return open;
	const { writing: _, ...rest } = open;
	return { ...rest, outcome: outcomeOf(number, event) };
}

function outcomeOf(number: number, event: RunEvent | undefined): string {
	if (event?.event === "question_answered" && event.question === number)
		return `Answered elsewhere: ${describeAnswer(event.answer)}`;
	if (event?.event === "question_withdrawn" && event.question === number)
		return `No longer waiting for an answer: ${event.reason}`;
	return "No longer waiting for an answer";
}

function stay(open: OpenQuestion): Pressed {
	return { is: "stay", open };
}

function pressLetter(open: OpenQuestion, letter: string): Pressed {
	const { question, outcome } = open;
	if (outcome !== undefined) return stay(open); // words that were being typed may still come
	const choice = /^[1-9]$/.test(letter) ? choicesOf(question)[Number(letter) - 1] : undefined;
	if (choice !== undefined) return give(open, choice);
	const act = answerKeys(question).find(({ key }) => key === letter.toLowerCase())?.act;
	if (act === undefined) return letter === "q" ? { is: "back" } : stay(open);
	if (act.is === "give") return { is: "give", question: question.number, answer: act.answer };
	return stay({ ...open, writing: { as: act.as, entry: EMPTY_FIELD } });
}

function pressNamed(open: OpenQuestion, name: string, { top, most, page }: Scrolling): Pressed {
	const goTo = (row: number) => stay({ ...open, top: Math.max(0, Math.min(most, row)) });
	switch (name) {
		case "escape":
		case "ctrl-c":
		case "ctrl-d":
			return { is: "back" };
		case "tab":
			return { is: "turn", isForward: true };
		case "shift-tab":
			return { is: "turn", isForward: false };
		case "enter":
			return enter(open);
		case "up":
		case "down":
			return move(open, name === "up" ? -1 : 1) ?? goTo(top + (name === "up" ? -1 : 1));
		case "pageup":
			return goTo(top - page);
		case "pagedown":
			return goTo(top + page);
		case "home":
			return goTo(0);
		case "end":
			return goTo(most);
		default:
			return stay(open);
	}
}

/** Takes the marked choice; a question in words is answered in words. */
function enter(open: OpenQuestion): Pressed {
	const { question, at, outcome } = open;
	if (outcome !== undefined) return { is: "back" };
	const choice = at === undefined ? undefined : choicesOf(question)[at];
	if (choice !== undefined) return give(open, choice);
	const isInWords = answerKeys(question).some(({ act }) => act.is === "write" && act.as === "words");
	return stay(isInWords ? { ...open, writing: { as: "words", entry: EMPTY_FIELD } } : open);
}

/** Marks another choice; undefined where there are none. */
function move(open: OpenQuestion, by: number): Pressed | undefined {
	const { length } = choicesOf(open.question);
	if (length === 0 || open.outcome !== undefined) return undefined;
	const { at } = open;
	const next = at === undefined ? (by > 0 ? 0 : length - 1) : (at + by + length) % length;
	return stay({ ...open, at: next, top: undefined });
}

function give({ question }: OpenQuestion, choice: string): Pressed {
	return { is: "give", question: question.number, answer: { is: "words", text: choice } };
}

type Writing = NonNullable<OpenQuestion["writing"]>;

function write(open: OpenQuestion, { as, entry }: Writing, key: TypedKey): Pressed {
	switch (key.is === "key" ? nameOf(key) : "") {
		case "escape":
		case "ctrl-c": {
			const { writing: _, ...rest } = open;
			return stay(rest);
		}
		case "enter":
			return submit(open, { as, entry });
		default:
			return stay({ ...open, writing: { as, entry: typeInto(entry, key, { hasLines: true }) } });
	}
}

/** A no needs no words. */
function submit(open: OpenQuestion, writing: Writing): Pressed {
	const { as, entry } = writing;
	const text = entry.text.trim();
	const { number } = open.question;
	if (as !== "words" && text === "") return { is: "give", question: number, answer: { is: as } };
	const trouble = givenAnswer({ answer: "no", words: text }, undefined); // what is wrong with any words
	if (typeof trouble === "string") return stay({ ...open, writing: { ...writing, trouble } });
	return { is: "give", question: number, answer: as === "words" ? { is: as, text } : { is: as, words: text } };
}

/** The answers that a person may put into words. */
export type Wording = "no" | "stop" | "words";

interface AnswerKey {
	readonly key: string;
	/** What the key does, and for where room is short: then what is allowed may be out of sight. */
	readonly does: string;
	readonly short: string;
	readonly act: { readonly is: "give"; readonly answer: GivenAnswer } | { readonly is: "write"; readonly as: Wording };
}

export type AskingRun = Pick<RunState, "isConversation">;

/** In the order in which they are shown. What a question does not take has no key. */
export function answerKeys({ what, agent }: Question, run: AskingRun = {}): readonly AnswerKey[] {
	const no = writeKey("n", "no", "no, with a reason", "no");
	const stop = writeKey("s", "stop", `no, and ${stopWords(agent, run)}`, agent === ROOT ? "stop and end" : "stop");
	switch (what.is) {
		case "command":
		case "outside": {
			const once = giveKey("y", { is: "allow" }, "yes, once", "yes");
			if (what.rule === undefined) return [once, no, stop];
			const always = giveKey("a", { is: "always" }, "yes, always in this run", `always ${what.rule}`);
			if (what.is === "outside" || what.project === undefined) return [once, always, no, stop];
			return [once, always, giveKey("p", { is: "project" }, "yes, always in this project", "project"), no, stop];
		}
		case "words":
			if (what.choices !== undefined) return [no, stop];
			return [
				writeKey("w", "words", "write an answer", "words"),
				giveKey("y", { is: "allow" }, "yes", "yes"),
				...[no, stop],
			];
	}
}

/** With the root everything ends. */
export function stopWords(agent: AgentId, { isConversation }: AskingRun): string {
	if (agent !== ROOT) return `stop agent ${agent}`;
	return `stop agent ${agent} and end the ${isConversation ? "chat" : "run"}`;
}

/** The answers of which a person takes one. */
export function choicesOf({ what }: Question): readonly string[] {
	return (what.is === "words" ? what.choices : undefined) ?? [];
}

function giveKey(key: string, answer: GivenAnswer, does: string, short: string): AnswerKey {
	return { key, does, short, act: { is: "give", answer } };
}

function writeKey(key: string, as: Wording, does: string, short: string): AnswerKey {
	return { key, does, short, act: { is: "write", as } };
}
