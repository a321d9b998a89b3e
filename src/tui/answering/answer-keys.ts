/** Which answers a question of an agent takes, and with which keys a person gives them, in every face. Pure. */
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import type { Question } from "../../core/run/questions.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { GivenAnswer } from "../../wire/watcher-messages.ts";

/** The answers that a person may put into words. */
export type Wording = "no" | "stop" | "words";

export interface AnswerKey {
	readonly key: string;
	/** What the key does, and for where room is short: then what is allowed may be out of sight. */
	readonly does: string;
	readonly short: string;
	readonly act: { readonly is: "give"; readonly answer: GivenAnswer } | { readonly is: "write"; readonly as: Wording };
}

export type AskingRun = Pick<RunState, "isConversation">;

/** In the order in which they are shown. What a question does not take has no key. */
export function answerKeys({ what, agent }: Question, run: AskingRun = {}): readonly AnswerKey[] {
	const no = write("n", "no", "no, with a reason", "no");
	const stop = write("s", "stop", `no, and ${stopWords(agent, run)}`, agent === ROOT ? "stop and end" : "stop");
	switch (what.is) {
		case "command":
		case "outside": {
			const once = give("y", { is: "allow" }, "yes, once", "yes");
			if (what.rule === undefined) return [once, no, stop];
			const always = give("a", { is: "always" }, "yes, always in this run", `always ${what.rule}`);
			if (what.is === "outside" || what.project === undefined) return [once, always, no, stop];
			return [once, always, give("p", { is: "project" }, "yes, always in this project", "project"), no, stop];
		}
		case "words":
			if (what.choices !== undefined) return [no, stop];
			return [write("w", "words", "write an answer", "words"), give("y", { is: "allow" }, "yes", "yes"), ...[no, stop]];
	}
}

/** With the root everything ends. */
export function stopWords(agent: AgentId, { isConversation }: AskingRun): string {
	if (agent !== ROOT) return `stop agent ${agent}`;
	return `stop agent ${agent} and end the ${isConversation ? "chat" : "run"}`;
}

/** The answers of which a person takes one. */
export function choicesOf({ what }: Question): readonly string[] {
	return (what.is === "words" ? what.choices : undefined) ?? [];
}

function give(key: string, answer: GivenAnswer, does: string, short: string): AnswerKey {
	return { key, does, short, act: { is: "give", answer } };
}

function write(key: string, as: Wording, does: string, short: string): AnswerKey {
	return { key, does, short, act: { is: "write", as } };
}
