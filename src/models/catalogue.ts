/** The catalogue of models: what the provider of each knows, with the user's own prices and sizes in place of its. */

import { MAX_ANSWER_TOKENS, type ModelFacts, type PriceTier, unknownModel } from "./provider/model-facts.ts";
import { providerOf } from "./providers.ts";

/** A model as the user's configuration file describes it, with its sizes in tokens. Without tiers nothing is said of its price. */
export interface PricedModel {
	readonly id: string;
	readonly contextTokens: number;
	readonly maxOutputTokens: number;
	readonly tiers: readonly PriceTier[];
}

/**
 * The facts of the model with this name. An unknown name, as an old run may have, gets those of an unknown model. A model that
 * is free stays free, whatever price the user gives.
 */
export function factsOf(name: string, userPrices: readonly PricedModel[] = []): ModelFacts {
	const facts: ModelFacts = providerOf(name)?.facts(name) ?? { ...unknownModel(name), isUnbounded: true };
	const priced = userPrices.find(({ id }) => isDatedName(name, id));
	if (priced === undefined) return facts;
	const { contextTokens, maxOutputTokens, tiers } = priced;
	const maxAnswerTokens = Math.min(MAX_ANSWER_TOKENS, maxOutputTokens);
	const price = facts.price.is === "free" || tiers.length === 0 ? facts.price : ({ is: "per_million", tiers } as const);
	return { ...facts, contextTokens, maxAnswerTokens, price };
}

/** True for the name itself and for a dated one: `claude-haiku-4-5-20251001`, `…@20251001`, `…-2025-10-01`, `…-latest`; each also with `[1m]`. */
function isDatedName(name: string, id: string): boolean {
	return name.startsWith(id) && /^(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest))?(?:\[1m\])?$/i.test(name.slice(id.length));
}
