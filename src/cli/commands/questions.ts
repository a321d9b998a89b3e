/** `agent questions`: what agents ask a person, and nobody has answered, from the files of runs. `agent answer`: the first answer counts. */

import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { type Agent, isOver, ROOT } from "../../core/model/agent.ts";
import { isQuestionEvent, type Question, type QuestionEvent } from "../../core/run/questions.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { type Io, orWarn, warn } from "../../faces/print/io.ts";
import type { FoundRun } from "../../record/read-run.ts";
import { RecordedRun } from "../../record/run-source.ts";
import { formatElapsed } from "../../text/durations.ts";
import { safeJson } from "../../text/safe/invisible.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { questionNotice } from "../../view/events/question-meanings.ts";
import { answerHint, describeAnswer, describeAsked } from "../../view/words/question.ts";
import { givenAnswer } from "../../wire/open-requests.ts";
import { askRun, findTarget, type Target } from "../io/ask-run.ts";
import { livingRuns, stateDirectoryFor } from "../io/find-run.ts";
import { type PrintingCommand, printJson } from "../io/process-io.ts";

/** Without a ref: of all live runs; to follow, the newest of this directory. */
export const questions: PrintingCommand = async ([ref], { json, follow }, io) => {
	if (follow) return followQuestions(findTarget(io, ref), json === true, io);
	const runs = ref === undefined ? [...livingRuns(stateDirectoryFor(io))].reverse() : [findTarget(io, ref)];
	const open = runs.flatMap((run) => questionsOf(run, io));
	if (json) printJson(io, open.map(asJson));
	else for (const one of open) io.stdout(`${rowsOf(one, io).join("\n")}\n`);
	if (open.length === 0 && !json) io.stderr("agent: no open questions\n");
	return 0;
};

interface OpenQuestion {
	readonly found: FoundRun;
	readonly run: RunState;
	readonly question: Question;
}

/** The oldest first. */
function questionsOf(found: FoundRun, io: Io): OpenQuestion[] {
	const loaded = orWarn(io, () => new RecordedRun(found.directory).snapshot());
	if (loaded === undefined) return [];
	warn(io, loaded.damage);
	const { state: run } = loaded;
	const isAsking = ({ agent }: Question) => run.agents[agent] !== undefined && !isOver(run.agents[agent]);
	return (run.questions ?? []).filter(isAsking).map((question) => ({ found, run, question }));
}

/** `20261127-201530-k3f9#3  agent 1.2, 12s: which port? (80, 8080)`, then why, and how to answer. */
function rowsOf({ found, question }: OpenQuestion, io: Io): string[] {
	const { number, agent, at, what, why } = question;
	const age = formatElapsed(io.now() - at);
	return [
		`${found.run}#${number}  agent ${agent}, ${age}: ${describeAsked(what)}`,
		...(what.is === "command" ? [`  in ${oneLine(what.directory)}`] : []),
		...(why === undefined ? [] : [`  reason: ${oneLine(why)}`]),
		`  ${answerHint({ number: `${found.run}#${number}`, what })}`,
	];
}

type Asker = Pick<Agent, "role" | "task">;

function asJson({ found, run, question }: OpenQuestion): object {
	return questionJson(found.run, question, run.agents[question.agent]);
}

function questionJson(run: string, { number, agent, at, what, why }: Question, asker: Asker | undefined): object {
	return {
		...{ run, question: number, agent, role: asker?.role ?? null, task: asker?.task ?? null },
		...{ asked_at: at, ...what, ...defined({ why }) },
	};
}

/** Those that are open, then each question and what comes of it, until the run is over. */
async function followQuestions(found: FoundRun, json: boolean, io: Io): Promise<number> {
	const source = new RecordedRun(found.directory);
	const known = countQuestionEvents(source);
	for (const one of questionsOf(found, io))
		io.stdout(json ? `${safeJson({ event: "question_asked", ...asJson(one) })}\n` : `${rowsOf(one, io).join("\n")}\n`);
	const agents = new Map<string, Asker>();
	const jsonOf = (event: QuestionEvent) => {
		if (event.event !== "question_asked") return { run: found.run, ...event };
		const question = { ...event, number: event.question };
		return { event: event.event, ...questionJson(found.run, question, agents.get(event.agent)) };
	};
	let count = 0;
	const onEvent = (event: RunEvent) => {
		if (event.event === "agent_joined") agents.set(event.agent, event);
		if (!isQuestionEvent(event) || ++count <= known) return;
		io.stdout(json ? `${safeJson(jsonOf(event))}\n` : `${questionNotice(event, { run: found.run })}\n`);
	};
	await source.follow({ onEvent, damaged: (what) => warn(io, [what]), signal: io.signal });
	return 0;
}

function countQuestionEvents(source: RecordedRun): number {
	let count = 0;
	source.events((event) => {
		if (isQuestionEvent(event)) count += 1;
	});
	return count;
}

/** `name`: `RUN#3`, or `3` while only one run is live. `words`: what the agent is told with a no. */
export const answer: PrintingCommand = async ([name = "", text = "", words], { json }, io) => {
	const { target, number, open } = findQuestion(name, io);
	const asked = open?.question.what;
	const given = givenAnswer({ answer: text, words }, asked);
	if (typeof given === "string") throw usage(given);
	const request = { say: "answer", question: number, answer: given } as const;
	const taken = await askRun(target, { request, answer: "answer_taken" }, io);
	const { run } = target;
	const what = asked === undefined ? "" : ` ${describeAsked(asked)}`;
	if (json) printJson(io, { run, question: number, agent: taken.agent, ...defined({ asked }), answer: taken.answer });
	else io.stdout(`answered ${run}#${number} of agent ${taken.agent}:${what}: ${describeAnswer(taken.answer)}\n`);
	return 0;
};

interface FoundQuestion {
	readonly target: Target;
	readonly number: number;
	/** Absent: no open question has that number. */
	readonly open: OpenQuestion | undefined;
}

/** A number alone names a question while only one run is live: a person may not know that another one asks, too. */
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
