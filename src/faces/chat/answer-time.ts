/** From when on a letter is the answer to a question: who types when it comes up has not read it. Pure. */

import type { Key } from "../../tui/keys/key.ts";
import type { ChatState, Question } from "./chat-state.ts";
import { type Next, next } from "./effect.ts";

/** Who goes on typing rests no longer between two letters. */
const REST_MS = 400;

/** The letter that the key is as an answer; undefined when it is none. */
export function answerOf({ now, question }: ChatState, key: Key): string | undefined {
	if (!isByLetter(question) || key.is !== "text") return undefined;
	return now < question.answeredFrom ? undefined : key.text.toLowerCase();
}

/** The question stays: the key was no answer. */
export function unanswered(state: ChatState, key: Key): Next {
	const { question, now } = state;
	if (!isByLetter(question) || key.is !== "text") return next(state);
	return next({ ...state, question: { ...question, answeredFrom: now + REST_MS } });
}

function isByLetter(question: ChatState["question"]): question is Extract<Question, { answeredFrom: number }> {
	return question !== undefined && "answeredFrom" in question;
}
