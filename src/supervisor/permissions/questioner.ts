/**
 * Brings questions of agents to a person, and the answers back. A question waits as long as the process that asked is connected,
 * without a time of its own; the first answer of a person counts. The words of an answer are for the agent's model.
 */
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { type AgentId, isOver } from "../../core/model/agent.ts";
import { type Answer, type Asked, type Question, questionNumber } from "../../core/run/questions.ts";
import { processKey } from "../../processes/table/belonging.ts";
import { addProjectGrant } from "../../record/project-answers.ts";
import { formatDuration } from "../../text/durations.ts";
import { describeAnswer } from "../../view/words/question.ts";
import type { AnswerRequest, GivenAnswer, Watcher } from "../../wire/watcher-messages.ts";
import type { RequestOf } from "../clients/client.ts";
import type { RunCore } from "../run/run-core.ts";

const MAX_OPEN = 256; // of a run: a person has to read them, and each is a connection
const MAX_OPEN_OF_AGENT = 32;
const MAX_REMEMBERED = 200;
const MAX_UNASKED = 100; // events of questions that nobody can be asked

/** What a person says reaches whoever waits for it. */
type Asker = Pick<Watcher, "send">;

export class Questioner {
	private readonly core: RunCore;
	private readonly watch: AskerWatch;
	private readonly askers = new Map<number, { asker: Asker; agent: AgentId }>();
	/** The newest answers: a second one is refused with the first. */
	private readonly answers = new Map<number, Answer>();
	private unasked = 0;

	constructor(core: RunCore) {
		this.core = core;
		this.watch = new AskerWatch(core);
	}

	ask(asker: Asker, { text, choices, why }: Omit<RequestOf<"question">, "by">, agent: AgentId): void {
		this.askAbout(asker, { agent, what: { is: "words", text, ...defined({ choices }) }, why });
	}

	/** The asker gets `asked`, then `answered` or `unanswered`; or `refused`. */
	askAbout(asker: Asker, { agent, what, why }: { agent: AgentId; what: Asked; why?: string | undefined }): void {
		const refusal = this.refusal(agent);
		if (refusal !== undefined) return asker.send({ say: "refused", reason: refusal });
		const question = questionNumber(this.core.run, agent, what);
		if (this.core.settings.asking?.waits !== true) {
			this.tellUnasked({ agent, what, why });
			return asker.send({ say: "unanswered", reason: `nobody can be asked in this run. ${NOT_ANSWERED}` });
		}
		this.askers.set(question, { asker, agent });
		this.core.dispatch({ is: "question_asked", agent, question, what, ...defined({ why }) });
		asker.send({ say: "asked", question });
		this.watch.begin();
		this.keepTime(question);
	}

	/** Records that an agent could not ask, the first times. */
	tellUnasked({ agent, what, why }: { agent: AgentId; what: Asked; why?: string | undefined }): void {
		this.unasked += 1;
		if (this.unasked <= MAX_UNASKED) this.core.dispatch({ is: "question_refused", agent, what, ...defined({ why }) });
	}

	/** Only of a person. */
	answer(watcher: Pick<Watcher, "send">, { question: number, answer: given }: AnswerRequest): void {
		const { run } = this.core.state;
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
		// The process that asked ends with an agent that is stopped. It gets no answer: what stands behind it in its command would begin.
		if (taken.is !== "stop") asker?.send({ say: "answered", question: number, answer: taken });
		this.core.dispatch({ is: "question_answered", agent, question: number, answer: taken });
		watcher.send({ say: "answer_taken", question: number, agent, answer: taken });
	}

	isAsker(asker: Asker): boolean {
		return [...this.askers.values()].some((other) => other.asker === asker);
	}

	/** Why what lasts could not be written: the question stays open then. */
	private keep(answer: Answer): string | undefined {
		if (answer.is !== "project") return undefined;
		const { settings, host } = this.core;
		const file = settings.asking?.project?.file;
		try {
			const { rule, project } = answer;
			if (file !== undefined) addProjectGrant(file, { project, rule, at: host.now(), run: settings.run });
			return undefined;
		} catch (error) {
			if (error instanceof AgentreeError) return `${error.message}; not answered. To allow it for this run: always`;
			throw error;
		}
	}

	/** The process that asked is gone. */
	closed(asker: Asker): void {
		for (const [question, { asker: other, agent }] of [...this.askers]) {
			if (other !== asker) continue;
			this.askers.delete(question);
			this.core.dispatch({ is: "question_withdrawn", agent, question, reason: "the command that asked has ended" });
		}
	}

	private refusal(id: AgentId): string | undefined {
		const { run, stops } = this.core.state;
		const agent = run.agents[id];
		if (agent === undefined || isOver(agent) || stops.has(id))
			return `agent ${id} has ended or is ending, and can no longer ask`;
		const { questions = [] } = agent.asking ?? {};
		if (questions.length >= MAX_OPEN_OF_AGENT || (run.questions?.length ?? 0) >= MAX_OPEN)
			return "too many open questions: ask again when they are answered";
		return undefined;
	}

	private whyNotOpen(number: number): string {
		const { run } = this.core.state;
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
		const { settings, timers, dispatch } = this.core;
		const timeoutMs = settings.asking?.timeoutMs;
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

/**
 * While a question waits, the watch looks whether the agent that asks computes all the same: what its commands have in the background, beside the
 * question or from before. It looks at processes, since only they tell: a server that waits, and a shell that waits for the answer, do nothing.
 */

const LOOK_MS = 2_000;
const MOST_IDLE_MS = 60; // of computing between two looks
const MOST_TO_ASK_MS = 1_000; // of processes that are new, where another question is

interface Seen {
	/** What was open at the look: a process that begins to ask computes for that. */
	readonly questions: string;
	readonly cpuMs: ReadonlyMap<string, number>;
}

class AskerWatch {
	private readonly core: RunCore;
	private seen = new Map<AgentId, Seen>();
	private isLooking = false;

	constructor(core: RunCore) {
		this.core = core;
	}

	/** A question waits. */
	begin(): void {
		if (this.isLooking) return;
		this.isLooking = true;
		this.later(1);
	}

	/** A look at many takes a while, so it comes the less often. */
	private later(asking: number): void {
		this.core.timers.after(LOOK_MS * Math.ceil(asking / 8), () => this.look());
	}

	private look(): void {
		const { run, state, dispatch } = this.core;
		const asking = new Set((run.questions ?? []).map(({ agent }) => agent));
		for (const id of this.seen.keys()) {
			const agent = run.agents[id];
			if (agent === undefined || isOver(agent)) this.seen.delete(id); // one may ask on and on, with gaps
		}
		for (const agent of asking) {
			const works = this.computes(agent);
			if (works !== state.working.has(agent)) dispatch({ is: "asker_works", agent, works });
		}
		this.isLooking = asking.size > 0;
		if (this.isLooking) this.later(asking.size);
	}

	/** The agents' own processes and those of child agents are none of its commands. */
	private computes(agent: AgentId): boolean {
		const { agents } = this.core.run;
		const own = new Set(Object.values(agents).map(({ pid }) => pid));
		const found = this.core.machine.processesOf(agent).filter(({ pid }) => !own.has(pid));
		const cpuMs = new Map(found.map((info) => [processKey(info), info.cpuMs ?? 0]));
		const questions = `${agents[agent]?.asking?.questions}`;
		const before = this.seen.get(agent);
		this.seen.set(agent, { questions, cpuMs });
		if (before === undefined) return false;
		let [ofOld, ofNew] = [0, 0];
		for (const [key, ms] of cpuMs) {
			const earlier = before.cpuMs.get(key);
			if (earlier === undefined) ofNew += ms;
			else ofOld += Math.max(0, ms - earlier);
		}
		if (before.questions === questions) return ofOld + ofNew > MOST_IDLE_MS;
		return ofOld > MOST_IDLE_MS || ofNew > MOST_TO_ASK_MS;
	}
}
