/**
 * What a watcher has asked its run for and has no answer to yet. When the connection breaks meanwhile, nobody knows
 * whether the run has heard it: what does no harm twice is asked once more, and of a message the next snapshot tells.
 */
import type { RunState } from "../../core/run-state.ts";
import { answeredAt, isAnswer } from "../../protocol/answers.ts";
import type { ActRequest, AnswerRequest, TalkRequest, ToWatcher } from "../../protocol/watcher-messages.ts";

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
				return { say: "refused", reason: `the link broke: say it again, if ${agent} goes on` };
			const { text } = request;
			const isWaiting = agents[agent]?.messages?.some((message) => message.from === null && message.text === text);
			if (isWaiting) return { say: "sent", agent, arrives: "next_call" };
			return {
				say: "refused",
				reason: `the link broke: whether ${agent} gets the message is not known, see its history`,
			};
		});
	}
}

function isOnce(request: Request): request is Once {
	return ONCE.has(request.say);
}
