/**
 * Questions to a person. They stand in the run's state until a person answers, or the one that asked is gone; then another that
 * asks the same as the same agent gets the number of before. Nothing here knows of time: no question answers itself. Pure.
 */

export type { Answer, Asked, Question } from "../schemas/question.ts";

import { defined } from "../defined.ts";
import type { Agent, AgentId } from "../model/agent.ts";
import type { Answer, Asked, Question } from "../schemas/question.ts";
import type { RunEvent } from "../schemas/run-event.ts";
import type { RunState } from "../schemas/run-state.ts";
import type { Put } from "./agent-index.ts";

export type QuestionEvent = Extract<RunEvent, { event: `question_${string}` | "grant_given" | `outside_${string}` }>;

/** What is asked, and what comes of it. */
export function isQuestionEvent(event: RunEvent): event is QuestionEvent {
	return /^(question|outside)_|^grant_given$/.test(event.event);
}

const MAX_LAPSED = 50;

export function afterQuestionEvent(state: RunState, event: QuestionEvent, put: Put): RunState {
	switch (event.event) {
		case "question_asked": {
			const { at, agent, question: number, what, why } = event;
			const question: Question = { number, agent, at, what, ...(why !== undefined && { why }) };
			const lapsed = (state.lapsedQuestions ?? []).filter((other) => other.number !== number);
			const asked = Math.max(state.questionsAsked ?? 0, number);
			const next = { ...state, lapsedQuestions: lapsed, questionsAsked: asked };
			return withQuestions(next, [...without(state, number), question], { agent, put });
		}
		case "question_refused":
			return state;
		case "question_answered":
			return withQuestions(state, without(state, event.question), { agent: event.agent, put });
		case "question_withdrawn":
			return lapse(state, ({ number }) => number === event.question, { agent: event.agent, put });
		case "grant_given": {
			const { agent, rule, at, outsideIn } = event;
			return { ...state, grants: [...(state.grants ?? []), { agent, rule, at, ...defined({ outsideIn }) }] };
		}
		case "outside_started": {
			const { outside, at: since, text, directory, pid, log } = event;
			const next = { ...state, outsideRuns: Math.max(state.outsideRuns ?? 0, outside) };
			return withOutside(next, { agent: event.agent, put }, (running) => [
				...running,
				{ outside, since, text, directory, pid, log },
			]);
		}
		case "outside_ended":
			return withOutside(state, { agent: event.agent, put }, (running) =>
				running.filter(({ outside }) => outside !== event.outside),
			);
	}
}

/** Nobody waits any more for what the agent asked. */
export function withoutQuestionsOf(state: RunState, agent: AgentId, put: Put): RunState {
	const isOfIt = (question: Question) => question.agent === agent;
	return state.questions?.some(isOfIt) ? lapse(state, isOfIt, { agent, put }) : state;
}

/** The number for what the agent asks: that of before, if it had asked the same and nobody has answered. */
export function questionNumber(
	{ lapsedQuestions = [], questionsAsked = 0 }: RunState,
	agent: AgentId,
	what: Asked,
): number {
	const same = lapsedQuestions.find((other) => other.agent === agent && isSame(other.what, what));
	return same?.number ?? questionsAsked + 1;
}

/** Those that nobody has answered, whether or not anybody still waits for an answer. */
export function unansweredQuestions({
	questions = [],
	lapsedQuestions = [],
}: Pick<RunState, "questions" | "lapsedQuestions">): readonly Question[] {
	return [...lapsedQuestions, ...questions];
}

interface Changing {
	readonly agent: AgentId;
	readonly put: Put;
}

function lapse(state: RunState, isOver: (question: Question) => boolean, changing: Changing): RunState {
	const { questions = [], lapsedQuestions = [] } = state;
	const lapsed = [...lapsedQuestions, ...questions.filter(isOver)].slice(-MAX_LAPSED);
	const open = questions.filter((question) => !isOver(question));
	return withQuestions({ ...state, lapsedQuestions: lapsed }, open, changing);
}

function without({ questions = [] }: RunState, number: number): readonly Question[] {
	return questions.filter((question) => question.number !== number);
}

function withQuestions(state: RunState, questions: readonly Question[], { agent: id, put }: Changing): RunState {
	const next = { ...state, questions };
	const agent = state.agents[id];
	return agent === undefined ? next : put(next, asking(agent, questions));
}

type Running = NonNullable<Agent["outside"]>;

function withOutside(state: RunState, { agent: id, put }: Changing, change: (running: Running) => Running): RunState {
	const agent = state.agents[id];
	if (agent === undefined || agent.state.is === "ended") return state;
	const { outside = [], ...rest } = agent;
	const running = change(outside);
	return put(state, { ...rest, ...(running.length > 0 && { outside: running }) });
}

function asking({ asking: _, ...agent }: Agent, questions: readonly Question[]): Agent {
	const own = questions.filter((question) => question.agent === agent.id);
	const [first] = own;
	return first === undefined
		? agent
		: { ...agent, asking: { since: first.at, questions: own.map(({ number }) => number) } };
}

function isSame(one: Asked, other: Asked): boolean {
	if (one.is === "words") return other.is === "words" && one.text === other.text;
	if (other.is === "words" || one.command !== other.command || one.directory !== other.directory) return false;
	if (one.is === "command") return other.is === "command";
	return other.is === "outside" && isEqual(one.write, other.write) && isEqual(one.hosts, other.hosts);
}

function isEqual(some: readonly string[] = [], others: readonly string[] = []): boolean {
	return some.length === others.length && some.every((one, at) => one === others[at]);
}

/** Pure. */

/** The words of a no to who asked; undefined for any other answer. */
export function saidNo(answer: Answer): string | undefined {
	if (answer.is !== "no" && answer.is !== "stop") return undefined;
	return `the person said no${answer.words === undefined ? "" : `: ${answer.words}`}`;
}
