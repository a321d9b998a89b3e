/** What agents ask a person, and what comes of it, as sentences. Pure. */
import { formatBytes } from "../core/bytes.ts";
import { describeCommandEnd } from "../core/command.ts";
import type { QuestionEvent } from "../core/run/questions.ts";
import { oneLine } from "../text/safe/terminal-safe.ts";
import { shownCommand } from "../text/shown-command.ts";
import { answerHint, describeAnswer, describeAsked, whereOf } from "./words/question.ts";

export function describeQuestionEvent(event: QuestionEvent): string {
	switch (event.event) {
		case "question_asked": {
			const why = event.why === undefined ? "" : `, because: ${oneLine(event.why)}`;
			return `asks you, question ${event.question}: ${describeAsked(event.what)}${why}`;
		}
		case "question_refused":
			return `asks you, and nobody can be asked in this run (--ask-wait has it wait for you): ${describeAsked(event.what)}`;
		case "question_answered":
			return `gets an answer to question ${event.question}: ${describeAnswer(event.answer)}`;
		case "question_withdrawn":
			return `got no answer to question ${event.question}: ${oneLine(event.reason)}`;
		case "grant_given":
			if (event.outsideIn === undefined) return `may from now on, with all below it: ${oneLine(event.rule)}`;
			return `may from now on, with all below it, OUTSIDE the sandbox, in ${oneLine(event.outsideIn)}: ${oneLine(event.rule)}`;
		case "outside_started": {
			const why = event.question === undefined ? "always allowed" : `question ${event.question}`;
			return `runs ${whereOf(event)}, in ${oneLine(event.directory)} (${why}): ${shownCommand(event.text)}`;
		}
		case "outside_ended":
			return `has ended what it ran outside (${event.outside}): ${oneLine(describeCommandEnd(event.end))}, ${formatBytes(event.outputBytes)} printed`;
	}
}

/** To a person who can answer now. `command`: that with which they do; `run`: the run is named in it. */
export function questionNotice(
	event: QuestionEvent,
	{ command, run }: { readonly command?: string; readonly run?: string } = {},
): string {
	const hint =
		event.event === "question_asked"
			? `; answer with ${answerHint({ number: run === undefined ? event.question : `${run}#${event.question}`, what: event.what }, command)}`
			: "";
	return `agent ${event.agent} ${describeQuestionEvent(event)}${hint}`;
}
