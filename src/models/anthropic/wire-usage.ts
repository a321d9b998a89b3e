/** What a service reports of the tokens of an answer, as events of its stream have it. */
import type { Usage } from "../../core/usage.ts";

export interface WireUsage {
	readonly input_tokens?: number | null;
	readonly output_tokens?: number | null;
	readonly cache_read_input_tokens?: number | null;
	readonly cache_creation_input_tokens?: number | null;
}

/** What was reported once was used: gateways send zeros at the end of an answer. */
export function withUsage(usage: Usage, wire: WireUsage): Usage {
	return {
		input: Math.max(tokens(wire.input_tokens), usage.input),
		output: Math.max(tokens(wire.output_tokens), usage.output),
		cacheRead: Math.max(tokens(wire.cache_read_input_tokens), usage.cacheRead),
		cacheWrite: Math.max(tokens(wire.cache_creation_input_tokens), usage.cacheWrite),
	};
}

const MAX_TOKENS = 1e9; // no call has used more: such a number is no count, and the sum of a few would be infinite

function tokens(value: unknown): number {
	return typeof value === "number" && value >= 0 && value <= MAX_TOKENS ? value : 0;
}
