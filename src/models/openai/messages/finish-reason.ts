/** Why an answer stopped, in the words of the Messages API, in which the rest of the program has them. */

/** What services write, each as the documentation of one has it. */
const REASONS: Readonly<Record<string, string>> = {
	...{ stop: "end_turn", end_turn: "end_turn", eos: "end_turn", eos_token: "end_turn", complete: "end_turn" },
	stop_sequence: "stop_sequence",
	...{ tool_calls: "tool_use", function_call: "tool_use", tool_use: "tool_use", tool_call: "tool_use" },
	...{ length: "max_tokens", max_tokens: "max_tokens", max_output_tokens: "max_tokens", model_length: "max_tokens" },
	...{ content_filter: "refusal", refusal: "refusal", safety: "refusal", recitation: "refusal", sensitive: "refusal" },
};

/** The service broke off, and says so in this place. */
const BROKEN = /^(?:error|abort(?:ed)?|cancel(?:led|ed)?|insufficient_system_resource|network_error|failed)$/i;

/** `stopWords`: what the service says about it. */
export interface Stopped {
	readonly is: "stopped";
	readonly stopReason: string;
	readonly stopWords?: string;
}

/** The word that stands of two: what cut an answer off is not undone by an end that is told behind it. */
export function lastWord(before: string | undefined, word: string | undefined): string | undefined {
	const isEnd = (one: string) => ["end_turn", "stop_sequence", "tool_use"].includes(REASONS[one.toLowerCase()] ?? one);
	return before !== undefined && !isEnd(before) && word !== undefined && isEnd(word) ? before : (word ?? before);
}

export type Finish = Stopped | { readonly is: "broken"; readonly word: string };

/** `word`: undefined when the service ended its answer without one. `hasCalls`: there are calls, which count whatever the word. */
export function finishOf(word: string | undefined, hasCalls: boolean): Finish {
	if (word !== undefined && BROKEN.test(word)) return { is: "broken", word };
	const stopReason = word === undefined ? "end_turn" : (REASONS[word.toLowerCase()] ?? word);
	if (stopReason === "refusal") return { is: "stopped", stopReason, stopWords: word === "refusal" ? "" : (word ?? "") };
	const asksForCalls = hasCalls && ["end_turn", "stop_sequence"].includes(stopReason);
	return { is: "stopped", stopReason: asksForCalls ? "tool_use" : stopReason };
}
