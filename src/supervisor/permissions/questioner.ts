/**
 * Brings questions of agents to a person, and the answers back. A question waits as long as who asked is connected, without a
 * time of its own; the first answer of a person counts. Who asks is told in words that are for the agent's model.
 */

import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { type AgentId, isOver } from "../../core/model/agent.ts";
import { type Answer, type Asked, type Question, questionNumber } from "../../core/run/questions.ts";
import { formatDuration } from "../../text/durations.ts";
import { describeAnswer } from "../../view/words/question.ts";
import type { AnswerRequest, GivenAnswer, Watcher } from "../../wire/watcher-messages.ts";
import type { RequestOf } from "../clients/client-listener.ts";
import type { Input } from "../decide/input.ts";
import type { SupervisorState } from "../decide/supervisor-state.ts";
import type { RunTimers } from "../run/run-core.ts";

const MAX_OPEN = 256; // of a run: a person has to read them, and each is a connection
const MAX_OPEN_OF_AGENT = 32;
const MAX_REMEMBERED = 200;
const MAX_UNASKED = 100; // events of questions that nobody can be asked

/** What a person says reaches whoever waits for it. */
type Asker = Pick<Watcher, "send">;

export interface QuestionerDeps {
	/** A question waits for a person to come. */
	waits?: boolean;
	timeoutMs?: number;
	/** Writes what a person has allowed for the run's project. Throws AgentreeError. */
	keepGrant?: (rule: string, project: string) => void;
	timers: Pick<RunTimers, "after">;
	dispatch: (input: Input) => void;
	state: () => SupervisorState;
	/** A question waits. */
	onAsked?: () => void;
}

export class Questioner {
	private readonly deps: QuestionerDeps;
	private readonly askers = new Map<number, { asker: Asker; agent: AgentId }>();
	/** The newest answers, for who answers again. */
	private readonly answers = new Map<number, Answer>();
	private unasked = 0;

	constructor(deps: QuestionerDeps) {
		this.deps = deps;
	}

	ask(asker: Asker, { text, choices, why }: Omit<RequestOf<"question">, "by">, agent: AgentId): void {
		this.askAbout(asker, { agent, what: { is: "words", text, ...defined({ choices }) }, why });
	}

	/** As who asks hears it: `asked`, then `answered` or `unanswered`; or `refused`. */
	askAbout(asker: Asker, { agent, what, why }: { agent: AgentId; what: Asked; why?: string | undefined }): void {
		const refusal = this.refusal(agent);
		if (refusal !== undefined) return asker.send({ say: "refused", reason: refusal });
		const question = questionNumber(this.deps.state().run, agent, what);
		if (this.deps.waits !== true) {
			this.tellUnasked({ agent, what, why });
			return asker.send({ say: "unanswered", reason: `this run asks nobody. ${NOT_ANSWERED}` });
		}
		this.askers.set(question, { asker, agent });
		this.deps.dispatch({ is: "question_asked", agent, question, what, ...defined({ why }) });
		asker.send({ say: "asked", question });
		this.deps.onAsked?.();
		this.keepTime(question);
	}

	/** Has people told that an agent could not ask; of an agent that goes on and on, not each time. */
	tellUnasked({ agent, what, why }: { agent: AgentId; what: Asked; why?: string | undefined }): void {
		this.unasked += 1;
		if (this.unasked <= MAX_UNASKED) this.deps.dispatch({ is: "question_refused", agent, what, ...defined({ why }) });
	}

	/** Only of a person. */
	answer(watcher: Pick<Watcher, "send">, { question: number, answer: given }: AnswerRequest): void {
		const { run } = this.deps.state();
		const question = run.questions?.find((other) => other.number === number);
		if (question === undefined) return watcher.send({ say: "refused", reason: this.whyNotOpen(number) });
		const taken = takenAnswer(question, given);
		if (typeof taken === "string") return watcher.send({ say: "refused", reason: taken });
		const fault = this.keep(taken);
		if (fault !== undefined) return watcher.send({ say: "refused", reason: fault });
		const { agent } = question;
		this.remember(number, taken);
		const asker = this.askers.get(number)?.asker;
		this.askers.delete(number);
		// Who asked ends with an agent that is stopped. It hears nothing: what stands behind it in its command would begin.
		if (taken.is !== "stop") asker?.send({ say: "answered", question: number, answer: taken });
		this.deps.dispatch({ is: "question_answered", agent, question: number, answer: taken });
		watcher.send({ say: "answer_taken", question: number, agent, answer: taken });
	}

	isAsker(asker: Asker): boolean {
		return [...this.askers.values()].some((other) => other.asker === asker);
	}

	/** Why what lasts could not be written: the question stays open then. */
	private keep(answer: Answer): string | undefined {
		if (answer.is !== "project") return undefined;
		try {
			this.deps.keepGrant?.(answer.rule, answer.project);
			return undefined;
		} catch (error) {
			if (error instanceof AgentreeError) return `${error.message}; not answered. To allow it for this run: always`;
			throw error;
		}
	}

	/** Who asked is gone. */
	closed(asker: Asker): void {
		for (const [question, { asker: other, agent }] of [...this.askers]) {
			if (other !== asker) continue;
			this.askers.delete(question);
			this.deps.dispatch({ is: "question_withdrawn", agent, question, reason: "the command that asked has ended" });
		}
	}

	private refusal(id: AgentId): string | undefined {
		const { run, stops } = this.deps.state();
		const agent = run.agents[id];
		if (agent === undefined || isOver(agent) || stops.has(id))
			return `agent ${id} has ended or is ending, and can no longer ask`;
		const { questions = [] } = agent.asking ?? {};
		if (questions.length >= MAX_OPEN_OF_AGENT || (run.questions?.length ?? 0) >= MAX_OPEN)
			return "too many open questions: ask again when they are answered";
		return undefined;
	}

	private whyNotOpen(number: number): string {
		const { run } = this.deps.state();
		const before = this.answers.get(number);
		if (before !== undefined) return `question ${number} was already answered: ${describeAnswer(before)}`;
		if (run.lapsedQuestions?.some((other) => other.number === number))
			return `question ${number} is no longer waiting for an answer`;
		return `this run has no open question ${number}; see agent questions`;
	}

	private remember(number: number, answer: Answer): void {
		this.answers.set(number, answer);
		const [oldest] = this.answers.keys();
		if (this.answers.size > MAX_REMEMBERED && oldest !== undefined) this.answers.delete(oldest);
	}

	private keepTime(question: number): void {
		const { timeoutMs, timers, dispatch } = this.deps;
		const asked = this.askers.get(question);
		if (timeoutMs === undefined || asked === undefined) return;
		timers.after(timeoutMs, () => {
			if (this.askers.get(question) !== asked) return;
			this.askers.delete(question);
			const reason = `nobody answered within ${formatDuration(timeoutMs)}`;
			dispatch({ is: "question_withdrawn", agent: asked.agent, question, reason });
			asked.asker.send({ say: "unanswered", reason: `${reason}. ${NOT_ANSWERED}` });
		});
	}
}

const NOT_ANSWERED =
	"The question has no answer, and nothing was approved: do not claim that it was. Continue without it, or say in your answer what you would have asked";

const FITTING = ["allow", "always", "project", "no"];

/** A text: why it does not fit. */
function takenAnswer({ number, what }: Question, given: GivenAnswer): Answer | string {
	switch (given.is) {
		case "allow":
		case "no":
		case "stop":
			return given;
		case "always":
			if (what.is !== "words" && what.rule !== undefined) return { is: "always", rule: what.rule };
			return `question ${number} cannot be answered with always`;
		case "project":
			if (what.is === "command" && what.rule !== undefined && what.project !== undefined)
				return { is: "project", rule: what.rule, project: what.project };
			return `question ${number} cannot be answered for a project`;
		case "words":
			if (what.is !== "words") return `question ${number} is about a command; answer ${FITTING.join(", ")} or stop`;
			if (what.choices === undefined || what.choices.includes(given.text)) return given;
			return `question ${number} has these answers: ${what.choices.join(", ")}; or no "words"`;
	}
}
