/**
 * The models of Anthropic that are known: prices in dollars per million tokens, sizes, and what they accept, from the
 * vendor's documentation of November 2026.
 */
import { isDatedName } from "../provider/dated-name.ts";
import { MAX_ANSWER_TOKENS, type ModelFacts, unknownModel } from "../provider/model-facts.ts";
import type { PriceTier } from "../provider/price.ts";

export interface AnthropicModel {
	readonly id: string;
	readonly contextTokens: number;
	readonly maxOutputTokens: number;
	/** The model decides by itself how much to think. Other models are asked without thinking. */
	readonly isThinkingAdaptive: boolean;
	readonly tiers: readonly PriceTier[];
}

const LARGE = { contextTokens: 1_000_000, maxOutputTokens: 128_000, isThinkingAdaptive: true };
const SMALL = { contextTokens: 200_000, maxOutputTokens: 64_000, isThinkingAdaptive: false };

export const MODEL_TABLE: readonly AnthropicModel[] = [
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

/** The model's row of the table; undefined for a model that the table does not have. */
export function knownModel(name: string): AnthropicModel | undefined {
	return MODEL_TABLE.find(({ id }) => isDatedName(name, id));
}

export function factsOfClaude(name: string): ModelFacts {
	const known = knownModel(name);
	if (known === undefined) return unknownModel(name);
	const { contextTokens, maxOutputTokens, tiers } = known;
	const maxAnswerTokens = Math.min(MAX_ANSWER_TOKENS, maxOutputTokens);
	return { ...unknownModel(name), contextTokens, maxAnswerTokens, price: { is: "per_million", tiers } };
}

/** True for models that think adaptively. A model that the table does not have counts as new, unless its name is from before 4.6. */
export function thinksAdaptively(name: string): boolean {
	return (
		knownModel(name)?.isThinkingAdaptive ?? !/claude-(?:[23]|instant|(?:opus|sonnet|haiku)-4(?!-[6-9]))/.test(name)
	);
}
