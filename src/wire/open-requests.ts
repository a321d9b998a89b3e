/** What a watcher has asked its run for, and which of that an answer of the supervisor is to. Pure. */
import type { AgentId } from "../core/model/agent.ts";
import { MAX_MESSAGE_CHARS } from "../core/model/message-marks.ts";
import type { Asked } from "../core/run/questions.ts";
import type { RunState } from "../core/run/run-state.ts";
import type {
	ActRequest,
	AnswerRequest,
	Arrival,
	FromWatcher,
	GivenAnswer,
	TalkRequest,
	ToWatcher,
} from "./watcher-messages.ts";

/** To which request each answer is; `refused` is to any. */
const ANSWERS = {
	stopped: "stop_agent",
	paused: "pause",
	continued: "continue",
	sent: "send",
	interrupted: "interrupt",
	withdrawn: "withdraw",
	changed: "change",
	compacting: "compact",
	aside_answer: "aside",
	context: "context",
	answer_taken: "answer",
	named: "name",
} as const satisfies Partial<Record<ToWatcher["say"], FromWatcher["say"]>>;

export type Answer = Extract<ToWatcher, { say: "refused" | keyof typeof ANSWERS }>;

export function isAnswer(message: ToWatcher): message is Answer {
	return message.say === "refused" || Object.hasOwn(ANSWERS, message.say);
}

/** What takes its time. All else is answered at once, so a refusal is of that, if anything of it is open. */
const SLOW: ReadonlySet<FromWatcher["say"]> = new Set(["change", "aside"]);

/** The index of the request that the answer is to, the oldest first; -1 when it is to none of them. */
export function answeredAt(requests: readonly FromWatcher[], answer: Answer): number {
	const isIt = (request: FromWatcher) => isAnswerTo(answer, request);
	const prompt = requests.findIndex((request) => isIt(request) && !SLOW.has(request.say));
	return prompt >= 0 ? prompt : requests.findIndex(isIt);
}

/** A stop of the root is answered by the end of the run, and no stop is refused to a person. */
function isAnswerTo(answer: Answer, request: FromWatcher): boolean {
	if (answer.say === "refused") return request.say !== "stop_agent";
	return request.say === ANSWERS[answer.say] && subjectOf(request) === subjectOf(answer);
}

function subjectOf(message: FromWatcher | Answer): AgentId | number | string | undefined {
	if ("question" in message) return message.question;
	if ("agent" in message) return message.agent ?? undefined;
	return "name" in message ? message.name : undefined;
}

const OF_AGENTS = ["proof", "todo", "question", "run_outside", "outside_ready", "copy_record"] as const;
type OfAgent = Extract<FromWatcher, { say: (typeof OF_AGENTS)[number] }>;

/** What no face says. */
export function isOfAgent(message: FromWatcher): message is OfAgent {
	return OF_AGENTS.some((say) => say === message.say);
}

/**
 * What a watcher has asked its run for and has no answer to yet. When the connection breaks meanwhile, nobody knows
 * whether the run has heard it: what does no harm twice is asked once more, and of a message the next snapshot tells.
 */

type Request = ActRequest | AnswerRequest | TalkRequest;
/** What would do something else if it were said twice. */
type Once = Extract<Request, { say: "send" | "interrupt" | "withdraw" | "compact" | "aside" }>;

const ONCE: ReadonlySet<Request["say"]> = new Set<Once["say"]>(["send", "interrupt", "withdraw", "compact", "aside"]);

export class OpenRequests {
	private open: { readonly request: Request; isSaid: boolean }[] = [];
	/** What was said once over a connection that broke before it was answered. */
	private unsure: Once[] = [];

	/** `isSaid`: there is a connection, over which it is said. */
	add(request: Request, isSaid: boolean): void {
		this.open.push({ request, isSaid });
	}

	/** Takes away the request that the message answers, if it answers one. */
	hear(message: ToWatcher): void {
		if (!isAnswer(message)) return;
		const requests = this.open.map(({ request }) => request);
		const at = answeredAt(requests, message);
		if (at >= 0) this.open.splice(at, 1);
	}

	/** What has to be said on a new connection. */
	again(): readonly Request[] {
		this.unsure.push(...this.open.flatMap(({ request, isSaid }) => (isSaid && isOnce(request) ? [request] : [])));
		this.open = this.open
			.filter(({ request, isSaid }) => !isSaid || !isOnce(request))
			.map(({ request }) => ({ request, isSaid: true }));
		return this.open.map(({ request }) => request);
	}

	/** The answers to messages of which nobody knows whether they were heard: those that still wait in the state were. */
	answersBy({ agents }: RunState): readonly ToWatcher[] {
		return this.unsure.splice(0).map((request) => {
			const { agent } = request;
			if (request.say !== "send")
				return { say: "refused", reason: `the connection broke; send it again if ${agent} continues` };
			const { text } = request;
			const isWaiting = agents[agent]?.messages?.some((message) => message.from === null && message.text === text);
			if (isWaiting) return { say: "sent", agent, arrives: "next_call" };
			return {
				say: "refused",
				reason: `the connection broke; check in the transcript of ${agent} whether the message arrived`,
			};
		});
	}
}

function isOnce(request: Request): request is Once {
	return ONCE.has(request.say);
}

/** When an agent gets a message, in words. */
const ARRIVES: Record<Arrival, string> = {
	next_call: "it gets the message with its next call",
	answer_end: "it gets the message after the current call",
	command_end: "it gets the message when its command ends",
	pause_end: "it is paused, and gets the message when it continues",
	children_end: "it gets the message when its command ends, which is waiting for child agents",
};

export function describeArrival(arrival: Arrival): string {
	return ARRIVES[arrival];
}

export interface WrittenAnswer {
	readonly answer: string;
	/** Behind a no. */
	readonly words: string | undefined;
}

/** A text: what is wrong with it. `what`: the question, where it is known. A choice goes before a word of this program. */
export function givenAnswer({ answer, words }: WrittenAnswer, what: Asked | undefined): GivenAnswer | string {
	const said = words ?? answer;
	if (said.trim() === "") return "the answer is empty";
	if (said.length > MAX_MESSAGE_CHARS)
		return `the answer has ${said.length} characters, at most ${MAX_MESSAGE_CHARS}: put it in a file and give its path`;
	const isChoice = what?.is === "words" && what.choices?.includes(answer) === true;
	const isNo = !isChoice && (answer === "no" || answer === "stop");
	if (isNo) return { is: answer, ...(words !== undefined && { words }) };
	if (words !== undefined) return "text can follow no and stop; an answer in words is one argument";
	if (isChoice) return { is: "words", text: answer };
	if (answer === "allow" || answer === "yes") return { is: "allow" };
	return answer === "always" || answer === "project" ? { is: answer } : { is: "words", text: answer };
}
