/** What agents ask a person, what comes of it, and what runs outside of a sandbox. */

import { describeCommandEnd } from "../../core/bash-call.ts";
import { formatBytes } from "../../core/bytes.ts";
import type { QuestionEvent } from "../../core/run/questions.ts";
import { shownCommand } from "../../text/safe/invisible.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { answerHint, describeAnswer, describeAsked, whereOf } from "../words/question.ts";
import type { MeaningOf, Meanings } from "./meaning.ts";

/** WaitingNotices tell those who follow the work what is asked. */
export const QUESTION_MEANINGS: Meanings<QuestionEvent["event"]> = {
	question_asked: ({ question, what, why }) => ({
		...news(
			`asks you (question ${question}): ${describeAsked(what)}${why === undefined ? "" : `; reason: ${oneLine(why)}`}`,
		),
		tone: "warn",
	}),
	question_refused: ({ what }) =>
		news(`asked a question that nobody can answer in this run (--ask-wait would wait for you): ${describeAsked(what)}`),
	question_answered: ({ question, answer }) => news(`got an answer to question ${question}: ${describeAnswer(answer)}`),
	question_withdrawn: ({ question, reason }) => news(`got no answer to question ${question}: ${oneLine(reason)}`),
	grant_given: ({ outsideIn, rule }) => {
		const where = outsideIn === undefined ? "" : `, OUTSIDE the sandbox, in ${oneLine(outsideIn)}`;
		return news(`and all agents below it may now run${where}: ${oneLine(rule)}`);
	},
	outside_started: (event) => {
		const why = event.question === undefined ? "always allowed" : `question ${event.question}`;
		return news(`runs ${whereOf(event)}, in ${oneLine(event.directory)} (${why}): ${shownCommand(event.text)}`);
	},
	outside_ended: ({ outside, end, outputBytes }) =>
		news(
			`ended its command outside the sandbox (${outside}): ${oneLine(describeCommandEnd(end))}, ${formatBytes(outputBytes)} printed`,
		),
};

function news(text: string) {
	return { text, news: "person", isInTranscript: true } as const;
}

/** To a person who can answer now. `command`: that with which they do; `run`: the run is named in it. */
export function questionNotice(event: QuestionEvent, how: AnswerHow = {}): string {
	const { text } = (QUESTION_MEANINGS[event.event] as MeaningOf<QuestionEvent["event"]>)(event, {});
	return `agent ${event.agent} ${text}${hintOf(event, how)}`;
}

interface AnswerHow {
	readonly command?: string;
	readonly run?: string;
}

function hintOf(event: QuestionEvent, { command, run }: AnswerHow): string {
	if (event.event !== "question_asked") return "";
	const { question, what } = event;
	return `; answer with ${answerHint({ number: run === undefined ? question : `${run}#${question}`, what }, command)}`;
}
