/** `agent answer`: a person answers what an agent asks. The first answer counts. */

import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { ROOT } from "../../core/model/agent.ts";
import type { Io } from "../../faces/print/io.ts";
import type { Command } from "../../project/config/command-table.ts";
import { safeJson } from "../../text/safe/invisible.ts";
import { describeAnswer, describeAsked } from "../../view/words/question.ts";
import { givenAnswer } from "../../wire/open-requests.ts";
import { askRun, findTarget, type Target } from "../act/ask-run.ts";
import { type OpenQuestion, questionsOf } from "../act/open-questions.ts";
import { livingRuns, stateDirectoryFor } from "../io/find-run.ts";
import { withProcessIo } from "../io/process-io.ts";

export const command: Command = ([question = "", answer = "", words], { json }) =>
	withProcessIo((io) => giveAnswer({ question, answer, words, json: json === true }, io));

export interface AnswerOptions {
	/** `RUN#3`; `3` while one run goes on. */
	readonly question: string;
	readonly answer: string;
	/** What the agent is told behind a no. */
	readonly words: string | undefined;
	readonly json: boolean;
}

async function giveAnswer({ question: name, answer, words, json }: AnswerOptions, io: Io): Promise<number> {
	const { target, number, open } = findQuestion(name, io);
	const asked = open?.question.what;
	const given = givenAnswer({ answer, words }, asked);
	if (typeof given === "string") throw usage(given);
	const request = { say: "answer", question: number, answer: given } as const;
	const taken = await askRun(target, { request, answer: "answer_taken" }, io);
	const { run } = target;
	const told = { run, question: number, agent: taken.agent, ...defined({ asked }), answer: taken.answer };
	const what = asked === undefined ? "" : ` ${describeAsked(asked)}`;
	if (json) io.stdout(`${safeJson(told, "\t")}\n`);
	else io.stdout(`answered ${run}#${number} of agent ${taken.agent}:${what}: ${describeAnswer(taken.answer)}\n`);
	return 0;
}

interface FoundQuestion {
	readonly target: Target;
	readonly number: number;
	/** Absent: there is none of that number, or not any more. */
	readonly open: OpenQuestion | undefined;
}

/** A number alone names a question while one run goes on: a person may not know that another one asks, too. */
function findQuestion(name: string, io: Io): FoundQuestion {
	const [, ref, digits] = /^(?:(.+)#|#)?([1-9]\d{0,8})$/.exec(name) ?? [];
	if (digits === undefined)
		throw usage(`"${name}" is not a question; give its run and number, as in RUN#3 (see agent questions)`);
	const number = Number(digits);
	const isIt = ({ question }: OpenQuestion) => question.number === number;
	const living = ref === undefined ? [...livingRuns(stateDirectoryFor(io))].reverse() : [];
	if (living.length > 1) throw severalRuns(number, living.flatMap((run) => questionsOf(run, io)).filter(isIt));
	const [only] = living;
	const target = only === undefined ? findTarget(io, ref) : { ...only, agent: ROOT };
	return { target, number, open: questionsOf(target, io).find(isIt) };
}

function severalRuns(number: number, meant: readonly OpenQuestion[]): AgentreeError {
	const names = meant.map(({ found, question: { agent, what } }) => {
		return `${found.run}#${number} (agent ${agent}: ${describeAsked(what)})`;
	});
	const which = names.length === 0 ? `no run has a question ${number}; see agent questions` : names.join(", ");
	return usage(`several runs are live, so name the run: ${which}`);
}

function usage(message: string): AgentreeError {
	return new AgentreeError("usage", message);
}
