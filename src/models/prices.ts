/**
 * What is known about each model, in one table: prices, sizes and what it accepts. Dollars per million tokens, from the
 * vendor's documentation of November 2026. Where it gives no price for the cache the vendor's general rule holds: a
 * write (kept five minutes) costs 1.25 times the input, a read a tenth. A user's own prices go before the table's.
 */
import type { Usage } from "../core/usage.ts";

export interface Prices {
	/** Of the whole prompt, cached or not; absent in the last tier. */
	readonly upToPromptTokens?: number;
	readonly input: number;
	readonly output: number;
	readonly cacheWrite?: number;
	readonly cacheRead?: number;
}

/** A model as a user's configuration may describe it, too. */
export interface PricedModel {
	readonly id: string;
	readonly contextTokens: number;
	readonly maxOutputTokens: number;
	readonly tiers: readonly Prices[];
}

export interface ModelFacts extends PricedModel {
	/** Decides itself how much to think. The others are asked without thinking. */
	readonly isThinkingAdaptive: boolean;
}

export const MAX_ANSWER_TOKENS = 32_000; // an answer of a coding agent is far below; a longer one is better cut than paid for
const TIER_MARGIN = 0.1;
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
	return MODEL_TABLE.find(({ id }) => isNamed(model, id));
}

type OwnPrices = readonly PricedModel[];

function isNamed(model: string, id: string): boolean {
	return model.startsWith(id) && /^(?:[-@](?:\d{8}|latest))?$/.test(model.slice(id.length));
}

function pricedModel(model: string, own: OwnPrices): PricedModel | undefined {
	return own.find(({ id }) => isNamed(model, id)) ?? factsOf(model);
}

/** Of a model that nobody knows: as the newest ones have. */
export function contextTokensOf(model: string, own: OwnPrices = []): number {
	return pricedModel(model, own)?.contextTokens ?? LARGE.contextTokens;
}

/** As above, where it is known: of a script it is what a model has that nobody knows, of another such model it may be anything. */
export function knownContextTokens(model: string, own: OwnPrices = []): number | undefined {
	return pricedModel(model, own)?.contextTokens ?? (model.startsWith("script:") ? LARGE.contextTokens : undefined);
}

/** How long an answer may be. */
export function maxAnswerTokensOf(model: string, own: OwnPrices = []): number {
	return Math.min(MAX_ANSWER_TOKENS, pricedModel(model, own)?.maxOutputTokens ?? MAX_ANSWER_TOKENS);
}

/** The built-in models make no call that anyone charges. */
function isFree(model: string): boolean {
	return model === "shell" || model.startsWith("script:");
}

export function hasPrice(model: string, own: OwnPrices = []): boolean {
	return isFree(model) || pricedModel(model, own) !== undefined;
}

/** Dollars; null when the price is not known, never a silent zero. */
export function costOf(model: string, usage: Usage, own: OwnPrices = []): number | null {
	if (isFree(model)) return 0;
	const promptTokens = usage.input + usage.cacheRead + usage.cacheWrite;
	const prices = pricedModel(model, own)?.tiers.find(
		(tier) => promptTokens <= (tier.upToPromptTokens ?? Number.POSITIVE_INFINITY),
	);
	if (prices === undefined) return null;
	const { input, output, cacheWrite, cacheRead } = withCachePrices(prices);
	const dollars =
		usage.input * input + usage.output * output + usage.cacheWrite * cacheWrite + usage.cacheRead * cacheRead;
	return dollars / 1_000_000;
}

/**
 * Dollars that a call with so many tokens costs at most, however the service charges its prompt; null as above. Who is
 * near the bound of a tier is taken for above it: the service may count a little more than we did.
 */
export function highestCostOf(
	model: string,
	tokens: { prompt: number; output: number },
	own: OwnPrices = [],
): number | null {
	if (isFree(model)) return 0;
	const known = pricedModel(model, own);
	if (known === undefined) return null;
	let isReached = true;
	const costs = known.tiers.map((tier) => {
		if (!isReached) return 0;
		isReached = tokens.prompt > (1 - TIER_MARGIN) * (tier.upToPromptTokens ?? Number.POSITIVE_INFINITY);
		const { input, output, cacheWrite, cacheRead } = withCachePrices(tier);
		return tokens.prompt * Math.max(input, cacheWrite, cacheRead) + tokens.output * output;
	});
	return Math.max(...costs) / 1_000_000;
}

function withCachePrices(prices: Prices): Required<Omit<Prices, "upToPromptTokens">> {
	const { input, output, cacheWrite = input * 1.25, cacheRead = input * 0.1 } = prices;
	return { input, output, cacheWrite, cacheRead };
}
