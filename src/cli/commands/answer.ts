/** `agent answer`: a person answers what an agent asks. The first answer counts. */
import type { Command } from "../../config/command-table.ts";
import { AgentreeError } from "../../core/errors.ts";
import { givenAnswer } from "../../protocol/given-answer.ts";
import { describeAnswer } from "../../text/question.ts";
import { safeJson } from "../../text/safe-json.ts";
import { askRun, findTarget, type Target } from "../act/ask-run.ts";
import { type OpenQuestion, openQuestions, questionsOf } from "../act/open-questions.ts";
import type { Io } from "../io/io.ts";
import { withProcessIo } from "../io/process-io.ts";

export const command: Command = ([question = "", answer = "", words], { json }) =>
	withProcessIo((io) => giveAnswer({ question, answer, words, json: json === true }, io));

export interface AnswerOptions {
	/** `3`, or `RUN#3`. */
	readonly question: string;
	readonly answer: string;
	/** What the agent is told behind a no. */
	readonly words: string | undefined;
	readonly json: boolean;
}

async function giveAnswer({ question: name, answer, words, json }: AnswerOptions, io: Io): Promise<number> {
	const { target, number, open } = findQuestion(name, io);
	const given = givenAnswer({ answer, words }, open?.question.what);
	if (typeof given === "string") throw usage(given);
	const request = { say: "answer", question: number, answer: given } as const;
	const taken = await askRun(target, { request, answer: "answer_taken" }, io);
	const { run } = target;
	if (json) io.stdout(`${safeJson({ run, question: number, agent: taken.agent, answer: taken.answer }, "\t")}\n`);
	else io.stdout(`answered question ${number} of agent ${taken.agent}: ${describeAnswer(taken.answer)}\n`);
	return 0;
}

interface FoundQuestion {
	readonly target: Target;
	readonly number: number;
	/** Absent: there is none of that number, or not any more. */
	readonly open: OpenQuestion | undefined;
}

/** A number alone is that of the one run that has such a question now, else of the newest run of this directory. */
function findQuestion(name: string, io: Io): FoundQuestion {
	const [, ref, digits] = /^(?:(.+)#|#)?([1-9]\d{0,8})$/.exec(name) ?? [];
	if (digits === undefined)
		throw usage(`"${name}" is no question: give its number, as in agent answer 3 allow; agent questions lists them`);
	const number = Number(digits);
	const isIt = ({ question }: OpenQuestion) => question.number === number;
	if (ref !== undefined) {
		const target = findTarget(io, ref);
		return { target, number, open: questionsOf(target, io).find(isIt) };
	}
	const found = openQuestions(io).filter(isIt);
	const here = found.filter(({ run }) => run.cwd === io.cwd);
	const [one, ...others] = here.length === 1 ? here : found;
	if (others.length > 0)
		throw usage(
			`several runs have a question ${number}: ${found.map((other) => `${other.found.run}#${number}`).join(", ")}`,
		);
	const target = one === undefined ? findTarget(io, undefined) : { ...one.found, agent: one.question.agent };
	return { target, number, open: one };
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}
