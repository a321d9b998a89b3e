/** Slash commands about what agents ask the person. */
import type { Question } from "../../../core/run/questions.ts";
import { formatElapsed } from "../../../text/durations.ts";
import { oneLine } from "../../../text/safe/terminal-safe.ts";
import { answerHint, describeAsked } from "../../../view/words/question.ts";
import { givenAnswer } from "../../../wire/given-answer.ts";
import { type ChatState, type Next, next, type Told } from "../chat-state.ts";
import { decline, request } from "../requests.ts";
import type { SlashCommand } from "./slash-command.ts";

export const QUESTION_COMMANDS: readonly SlashCommand[] = [
	{
		...{ word: "questions", synonyms: ["asks"], needsRun: true },
		help: "list open questions from agents",
		act: (state) => next(state, { do: "tell", told: listed(state) }),
	},
	{
		...{ word: "answer", synonyms: ["approve"], argument: "<answer>", needsRun: true },
		help: "answer a question: its number if there are several, then yes, always, project, no and a reason, stop, a choice, or text",
		act: answer,
	},
];

function listed({ run, now }: ChatState): Told[] {
	const { questions = [] } = run ?? {};
	if (questions.length === 0) return [{ text: "no open questions", tone: "dim" }];
	return questions.flatMap((question): Told[] => [
		{
			text: `${question.number}  agent ${question.agent}, ${formatElapsed(now - question.at)}: ${describeAsked(question.what)}`,
			tone: "plain",
		},
		...(question.why === undefined ? [] : [{ text: `   reason: ${oneLine(question.why)}`, tone: "dim" } as const]),
		{ text: `   ${answerHint(question, "/answer")}`, tone: "dim" },
	]);
}

/** The number may be left out where one question is open. */
function answer(state: ChatState, given: string): Next {
	const { questions = [] } = state.run ?? {};
	const [, digits, rest = ""] = /^#?(\d{1,9})(?:\s+(.*))?$/s.exec(given) ?? [];
	const named = questions.find(({ number }) => number === Number(digits));
	const [only, ...others] = questions;
	if (only === undefined) return decline(state, "no open questions");
	if (named !== undefined && rest.trim() !== "") return answerTo(state, named, rest.trim());
	if (others.length > 0) return decline(state, "several questions are open: /answer NUMBER ANSWER; see /questions");
	return answerTo(state, only, given);
}

function answerTo(state: ChatState, question: Question, said: string): Next {
	const [, no, words] = /^(no|stop)[\s,:]+(.*)$/s.exec(said) ?? [];
	const isChoice = question.what.is === "words" && question.what.choices?.includes(said) === true;
	const written = no === undefined || isChoice ? { answer: said, words: undefined } : { answer: no, words };
	const given = givenAnswer(written, question.what);
	if (typeof given === "string") return decline(state, given);
	return request(state, { say: "answer", question: question.number, answer: given });
}
