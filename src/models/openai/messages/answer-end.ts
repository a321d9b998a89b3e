import type { Usage } from "../../../core/model/usage.ts";

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

type Finish = Stopped | { readonly is: "broken"; readonly word: string };

/** `word`: undefined when the service ended its answer without one. `hasCalls`: there are calls, which count whatever the word. */
export function finishOf(word: string | undefined, hasCalls: boolean): Finish {
	if (word !== undefined && BROKEN.test(word)) return { is: "broken", word };
	const stopReason = word === undefined ? "end_turn" : (REASONS[word.toLowerCase()] ?? word);
	if (stopReason === "refusal") return { is: "stopped", stopReason, stopWords: word === "refusal" ? "" : (word ?? "") };
	const asksForCalls = hasCalls && ["end_turn", "stop_sequence"].includes(stopReason);
	return { is: "stopped", stopReason: asksForCalls ? "tool_use" : stopReason };
}

/** What services report of the tokens of an answer. The prompt's tokens have those of the cache in them, under one of several names. */

/** Totals as they were reported, each the highest so far: some services send zeros at the end. */
interface Reported {
	readonly prompt: number;
	readonly output: number;
	readonly cached: number;
	readonly written: number;
}

export const NOTHING_REPORTED: Reported = { prompt: 0, output: 0, cached: 0, written: 0 };

export function reportedAfter(before: Reported, wire: unknown): Reported {
	const usage = Object(wire);
	const details = Object(usage.prompt_tokens_details ?? usage.input_tokens_details);
	const prompt = tokens(usage.prompt_tokens ?? usage.input_tokens);
	const output = tokens(usage.completion_tokens ?? usage.output_tokens);
	const most = (key: keyof Reported, ...values: unknown[]) => Math.max(before[key], ...values.map(tokens));
	return {
		prompt: most("prompt", prompt),
		// Some leave the tokens of thinking out of those of the answer, and have them in the total.
		output: most("output", output, prompt > 0 ? tokens(usage.total_tokens) - prompt : 0),
		cached: most("cached", details.cached_tokens, usage.prompt_cache_hit_tokens, usage.cached_tokens),
		written: most("written", details.cache_write_tokens, details.cache_creation_tokens),
	};
}

export function usageOf({ prompt, output, cached, written }: Reported): Usage {
	const cacheRead = Math.min(cached, prompt);
	const cacheWrite = Math.min(written, prompt - cacheRead);
	return { input: prompt - cacheRead - cacheWrite, output, cacheRead, cacheWrite };
}

const MAX_TOKENS = 1e9; // no call has used more: such a number is no count

function tokens(value: unknown): number {
	return typeof value === "number" && value >= 0 && value <= MAX_TOKENS ? Math.ceil(value) : 0;
}
