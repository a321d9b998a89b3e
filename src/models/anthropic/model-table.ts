/**
 * The models of Anthropic that are known: prices in dollars per million tokens, sizes, and what they accept, from the
 * vendor's documentation of November 2026.
 */
import { MAX_ANSWER_TOKENS, type ModelFacts, unknownModel } from "../provider/model-facts.ts";
import type { PriceTier } from "../provider/price.ts";
import { asksForLargeContext, LARGE_CONTEXT_TOKENS } from "./large-context.ts";

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

/**
 * The row of the model that the name clearly contains, with a date, or as another service writes it; undefined when the table
 * has none. A number after the id that is too short for a date makes it another model: `claude-opus-5-7` is no `claude-opus-5`.
 */
export function knownModel(name: string): AnthropicModel | undefined {
	const plain = name.toLowerCase().replace(/(\d)\.(?=\d)/g, "$1-");
	return PATTERNS.find(({ pattern }) => pattern.test(plain))?.row;
}

const PATTERNS = MODEL_TABLE.map((row) => ({
	row,
	pattern: new RegExp(`(?<![a-z0-9])${row.id}(?![a-z0-9]|-\\d{1,7}(?!\\d))`),
}));

export function factsOfClaude(name: string): ModelFacts {
	const known = knownModel(name);
	const unknown = { ...unknownModel(name), shortName: name.replace(/^arn:.*\//, "") };
	if (known === undefined)
		return asksForLargeContext(name) ? { ...unknown, contextTokens: LARGE_CONTEXT_TOKENS } : unknown;
	const { contextTokens, maxOutputTokens, tiers } = known;
	const maxAnswerTokens = Math.min(MAX_ANSWER_TOKENS, maxOutputTokens);
	return { ...unknown, contextTokens, maxAnswerTokens, price: { is: "per_million", tiers } };
}

/**
 * True for models that think adaptively. A model that the table does not have counts as new, unless its name is from before 4.6.
 * What an address of the user's own has under another name may be any model, and is asked without thinking.
 */
export function thinksAdaptively(name: string): boolean {
	const isOld = /claude-(?:[23]|instant|(?:opus|sonnet|haiku)-4(?!-[6-9]))/i.test(name);
	return knownModel(name)?.isThinkingAdaptive ?? (/claude/i.test(name) && !isOld);
}
