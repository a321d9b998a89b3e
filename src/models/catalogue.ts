/** What is known of each model, in one place: the user's own prices and sizes before those that its provider knows. */
import { isDatedName } from "./provider/dated-name.ts";
import { MAX_ANSWER_TOKENS, type ModelFacts, unknownModel } from "./provider/model-facts.ts";
import type { PriceTier } from "./provider/price.ts";
import { providerOf } from "./providers.ts";

/** A model as the user's configuration file describes it. */
export interface PricedModel {
	readonly id: string;
	readonly contextTokens: number;
	readonly maxOutputTokens: number;
	readonly tiers: readonly PriceTier[];
}

/** Also of a name that is no model's: an old run may have one. What asks nobody stays free, whatever the user says. */
export function factsOf(name: string, own: readonly PricedModel[] = []): ModelFacts {
	const facts = providerOf(name)?.facts(name) ?? unknownModel(name);
	const priced = own.find(({ id }) => isDatedName(name, id));
	if (priced === undefined) return facts;
	const { contextTokens, maxOutputTokens, tiers } = priced;
	const maxAnswerTokens = Math.min(MAX_ANSWER_TOKENS, maxOutputTokens);
	const price = facts.price.is === "free" ? facts.price : ({ is: "per_million", tiers } as const);
	return { ...facts, contextTokens, maxAnswerTokens, price };
}
