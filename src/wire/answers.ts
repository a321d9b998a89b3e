/** Which of a watcher's requests an answer of the supervisor is to: pure. */
import type { FromWatcher, ToWatcher } from "./watcher-messages.ts";

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
