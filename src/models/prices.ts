/**
 * What is known about each model, in one table: prices, sizes and what it accepts. Dollars per million tokens, from the
 * vendor's documentation of November 2026. Where it gives no price for the cache the vendor's general rule holds: a
 * write (kept five minutes) costs 1.25 times the input, a read a tenth.
 */
import type { Usage } from "../core/model.ts";

interface Prices {
	/** Of the whole prompt, cached or not; absent in the last tier. */
	readonly upToPromptTokens?: number;
	readonly input: number;
	readonly output: number;
	readonly cacheWrite?: number;
	readonly cacheRead?: number;
}

export interface ModelFacts {
	readonly id: string;
	readonly contextTokens: number;
	readonly maxOutputTokens: number;
	/** Decides itself how much to think. The others are asked without thinking. */
	readonly isThinkingAdaptive: boolean;
	readonly tiers: readonly Prices[];
}

const LARGE = { contextTokens: 1_000_000, maxOutputTokens: 128_000, isThinkingAdaptive: true };
const SMALL = { contextTokens: 200_000, maxOutputTokens: 64_000, isThinkingAdaptive: false };

export const MODEL_TABLE: readonly ModelFacts[] = [
	{ id: "claude-fable-5-1", ...LARGE, tiers: [{ input: 10, output: 50 }] },
	{ id: "claude-opus-5-5", ...LARGE, tiers: [{ input: 4, output: 20, cacheWrite: 5, cacheRead: 0.2 }] },
	{ id: "claude-opus-5", ...LARGE, tiers: [{ input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 }] },
	{ id: "claude-sonnet-5-5", ...LARGE, tiers: [{ input: 2, output: 10, cacheWrite: 2.5, cacheRead: 0.2 }] },
	{ id: "claude-sonnet-5", ...LARGE, tiers: [{ input: 2, output: 10, cacheWrite: 2.5, cacheRead: 0.2 }] },
	{
		id: "claude-haiku-5-5",
		...LARGE,
		tiers: [
			{ upToPromptTokens: 100_000, input: 0.1, output: 0.5, cacheWrite: 0.125, cacheRead: 0.01 },
			{ input: 0.5, output: 2.5, cacheWrite: 0.625, cacheRead: 0.05 },
		],
	},
	{ id: "claude-haiku-4-5", ...SMALL, tiers: [{ input: 1, output: 5, cacheWrite: 1.25, cacheRead: 0.1 }] },
];

/** Also by a dated name: `claude-haiku-4-5-20251001`. Undefined for a model that the table does not know. */
export function factsOf(model: string): ModelFacts | undefined {
	return MODEL_TABLE.find(
		({ id }) => model.startsWith(id) && /^(?:[-@](?:\d{8}|latest))?$/.test(model.slice(id.length)),
	);
}

/** Of a model that the table does not know: as the newest ones have. */
export function contextTokensOf(model: string): number {
	return factsOf(model)?.contextTokens ?? LARGE.contextTokens;
}

/** Dollars; null when the price is not known, never a silent zero. The built-in models cost nothing. */
export function costOf(model: string, usage: Usage): number | null {
	if (model === "shell" || model.startsWith("script:")) return 0;
	const promptTokens = usage.input + usage.cacheRead + usage.cacheWrite;
	const prices = factsOf(model)?.tiers.find(
		(tier) => promptTokens <= (tier.upToPromptTokens ?? Number.POSITIVE_INFINITY),
	);
	if (prices === undefined) return null;
	const { input, output, cacheWrite = input * 1.25, cacheRead = input * 0.1 } = prices;
	const dollars =
		usage.input * input + usage.output * output + usage.cacheWrite * cacheWrite + usage.cacheRead * cacheRead;
	return dollars / 1_000_000;
}
