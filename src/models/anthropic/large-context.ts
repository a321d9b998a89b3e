/** `[1m]` at the end of a model's name asks for a context of one million tokens. */
const SUFFIX = /\[1m\]$/i;

export const LARGE_CONTEXT_TOKENS = 1_000_000;
/** Older models have that context only for whoever asks for it so. Newer ones have it anyway, and are asked without. */
export const LARGE_CONTEXT_HEADERS = { "anthropic-beta": "context-1m-2025-08-07" };

export function asksForLargeContext(name: string): boolean {
	return SUFFIX.test(name);
}

/** The name as the service knows it. */
export function withoutContext(name: string): string {
	return name.replace(SUFFIX, "");
}
