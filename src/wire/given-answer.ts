/** What a person writes as an answer, as the supervisor takes it. Pure. */

import { MAX_MESSAGE_CHARS } from "../core/model/told-message.ts";
import type { Asked } from "../core/run/questions.ts";
import type { GivenAnswer } from "./watcher-messages.ts";

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
