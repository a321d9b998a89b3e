/** What a watcher has asked its run for, and which of that an answer of the supervisor is to. Pure. */
import type { RunState } from "../core/run/run-state.ts";
import type { ActRequest, AnswerRequest, FromWatcher, TalkRequest, ToWatcher } from "./watcher-messages.ts";

export type Answer = Extract<
	ToWatcher,
	{
		say:
			| ("refused" | "stopped" | "paused" | "continued" | "sent" | "interrupted" | "withdrawn")
			| ("named" | "changed" | "compacting" | "aside_answer" | "context" | "answer_taken");
	}
>;

const ANSWERS: ReadonlySet<ToWatcher["say"]> = new Set<Answer["say"]>([
	...(["refused", "stopped", "paused", "continued", "sent", "interrupted", "withdrawn"] as const),
	...(["named", "changed", "compacting", "aside_answer", "context", "answer_taken"] as const),
]);

export function isAnswer(message: ToWatcher): message is Answer {
	return ANSWERS.has(message.say);
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
	switch (answer.say) {
		case "refused":
			return request.say !== "stop_agent";
		case "stopped":
			return request.say === "stop_agent" && request.agent === answer.agent;
		case "paused":
			return request.say === "pause" && request.agent === answer.agent;
		case "continued":
			return request.say === "continue" && request.agent === answer.agent;
		case "sent":
			return request.say === "send" && request.agent === answer.agent;
		case "interrupted":
			return request.say === "interrupt" && request.agent === answer.agent;
		case "withdrawn":
			return request.say === "withdraw" && request.agent === answer.agent;
		case "changed":
			return request.say === "change" && request.agent === answer.agent;
		case "compacting":
			return request.say === "compact" && request.agent === answer.agent;
		case "aside_answer":
			return request.say === "aside" && request.agent === answer.agent;
		case "context":
			return request.say === "context" && request.agent === answer.agent;
		case "answer_taken":
			return request.say === "answer" && request.question === answer.question;
		case "named":
			return request.say === "name" && request.name === answer.name;
	}
}

type OfAgent = Extract<
	FromWatcher,
	{ say: "proof" | "todo" | "question" | "run_outside" | "outside_ready" | "copy_record" }
>;
const OF_AGENTS: ReadonlySet<string> = new Set<OfAgent["say"]>([
	"proof",
	"todo",
	"question",
	"run_outside",
	"outside_ready",
	"copy_record",
]);

/** What no face says. */
export function isOfAgent(message: FromWatcher): message is OfAgent {
	return OF_AGENTS.has(message.say);
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

	/** What has to be said on a connection that was made anew. */
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
