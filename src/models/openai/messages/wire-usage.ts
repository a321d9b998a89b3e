/** What services report of the tokens of an answer. The prompt's tokens have those of the cache in them, under one of several names. */
import type { Usage } from "../../../core/model/usage.ts";

/** Totals as they were reported, each the highest so far: some services send zeros at the end. */
export interface Reported {
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
