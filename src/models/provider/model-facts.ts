/** Prices of models, in dollars per million tokens, and what calls cost by them, in dollars. */

import type { Usage } from "../../core/model/usage.ts";

export type Price =
	| { readonly is: "free" }
	/** The tier is chosen by the length of the prompt; the last one has no bound. */
	| { readonly is: "per_million"; readonly tiers: readonly PriceTier[] }
	| { readonly is: "unknown" };

/**
 * Prices in dollars per million tokens. Where none is given for the cache, the general rule of the vendor of Claude applies: a
 * write (kept five minutes) costs 1.25 times the input, a read a tenth of it.
 */
export interface PriceTier {
	/** The longest prompt, cached tokens included, to which this tier applies; absent in the last tier. */
	readonly upToPromptTokens?: number;
	readonly input: number;
	readonly output: number;
	readonly cacheWrite?: number;
	readonly cacheRead?: number;
}

/** How long a service keeps a prompt in its cache, from its last use. */
export const CACHE_KEPT_MS = 300_000;
const TIER_MARGIN = 0.1; // of a tier's bound

/** What a call with this usage costs, in dollars; null when the price is not known, never a silent zero. */
export function costOf(price: Price, usage: Usage): number | null {
	if (price.is === "free") return 0;
	if (price.is === "unknown") return null;
	const promptTokens = usage.input + usage.cacheRead + usage.cacheWrite;
	const tier = price.tiers.find(
		({ upToPromptTokens }) => promptTokens <= (upToPromptTokens ?? Number.POSITIVE_INFINITY),
	);
	if (tier === undefined) return null;
	const { input, output, cacheWrite, cacheRead } = withCachePrices(tier);
	const dollars =
		usage.input * input + usage.output * output + usage.cacheWrite * cacheWrite + usage.cacheRead * cacheRead;
	return dollars / 1_000_000;
}

/** Whether a prompt of usual length, and its answer, cost no more with the one than with the other. */
export function costsNoMoreThan(one: Price, other: Price): "no_more" | "more" | "unknown" {
	if (one.is === "free") return "no_more";
	if (one.is === "unknown" || other.is === "unknown") return "unknown";
	if (other.is === "free") return "more";
	const [a, b] = [one.tiers[0], other.tiers[0]];
	if (a === undefined || b === undefined) return "unknown";
	return a.input <= b.input && a.output <= b.output ? "no_more" : "more";
}

/** The tokens of a call. `cached`: so many of the prompt's are read from the cache. */
export interface CallTokens {
	readonly prompt: number;
	readonly output: number;
	readonly cached?: number;
}

/**
 * The most that a call with so many tokens can cost, in dollars, however the service charges what is not read from the cache;
 * null when the price is not known. A prompt near the bound of a tier counts as above it: the service may count a little more
 * than we did.
 */
export function highestCostOf(price: Price, { prompt, output: answer, cached = 0 }: CallTokens): number | null {
	if (price.is === "free") return 0;
	if (price.is === "unknown") return null;
	let isReached = true;
	const costs = price.tiers.map((tier) => {
		if (!isReached) return 0;
		isReached = prompt > (1 - TIER_MARGIN) * (tier.upToPromptTokens ?? Number.POSITIVE_INFINITY);
		const { input, output, cacheWrite, cacheRead } = withCachePrices(tier);
		const read = Math.min(cached, prompt);
		return read * cacheRead + (prompt - read) * Math.max(input, cacheWrite, cacheRead) + answer * output;
	});
	return Math.max(...costs) / 1_000_000;
}

function withCachePrices(tier: PriceTier): Required<Omit<PriceTier, "upToPromptTokens">> {
	const { input, output, cacheWrite = input * 1.25, cacheRead = input * 0.1 } = tier;
	return { input, output, cacheWrite, cacheRead };
}

/** What the rest of the program may know of a model, whoever provides it. */

export interface ModelFacts {
	/** The name for narrow places. */
	readonly shortName: string;
	/** The context window in tokens; undefined when it is not known. */
	readonly contextTokens: number | undefined;
	/** The longest answer that is asked for, in tokens. */
	readonly maxAnswerTokens: number;
	/** How long its answers may be is not known, so none is asked for unless the request has a bound of its own. */
	readonly isUnbounded?: true;
	readonly price: Price;
	/** Its calls go to a service: each holds a connection, and its errors are the service's. */
	readonly isRemote: boolean;
	/** It reads the messages of a request, so they cost tokens, and a summary makes them shorter. */
	readonly readsMessages: boolean;
	/** Its answer is the output of a command, byte for byte, which may be empty. */
	readonly answersBytes: boolean;
}

/** The window that is assumed where it is not known: that of the newest models. */
const USUAL_CONTEXT_TOKENS = 1_000_000;
/** Answers of coding agents are far shorter; a longer one is better cut than paid for. */
export const MAX_ANSWER_TOKENS = 32_000;

/** The facts that are assumed of an unknown model of a service. */
export function unknownModel(name: string): ModelFacts {
	return {
		shortName: name,
		contextTokens: undefined,
		maxAnswerTokens: MAX_ANSWER_TOKENS,
		price: { is: "unknown" },
		isRemote: true,
		readsMessages: true,
		answersBytes: false,
	};
}

/** The context window in tokens, assumed where it is not known. */
export function windowTokens({ contextTokens = USUAL_CONTEXT_TOKENS }: Pick<ModelFacts, "contextTokens">): number {
	return contextTokens;
}
