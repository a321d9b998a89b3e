/** The catalogue of models: what the provider of each knows, with the user's own prices and sizes in place of its. */

import type { Agent } from "../core/model/agent.ts";
import { formatTokens } from "../text/numbers.ts";
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

/** How full an agent's context is. */

type Context = Pick<Agent, "model" | "windowTokens" | "contextTokens">;

/** The used share of the context: 0 to 1, above 1 when it is exceeded; undefined when its tokens or the window are not known. */
export function contextShare(agent: Context): number | undefined {
	const { contextTokens } = agent;
	const window = windowOf(agent);
	return window === undefined || contextTokens === undefined ? undefined : contextTokens / window;
}

/** The use of the context in words: `621.0k of 1.0M tokens (62 %), compacted 2×`; undefined when nothing is known. */
export function describeContext(agent: Context & Pick<Agent, "compactions">): string | undefined {
	const { contextTokens, compactions } = agent;
	const window = windowOf(agent);
	const share = contextShare(agent);
	const tokens =
		window === undefined || contextTokens === undefined || share === undefined
			? []
			: [`${formatTokens(contextTokens)} of ${formatTokens(window)} tokens (${formatShare(share)})`];
	const facts = [...tokens, ...(compactions === undefined ? [] : [`compacted ${compactions}×`])];
	return facts.length === 0 ? undefined : facts.join(", ");
}

/** The agent's context window in tokens; undefined when it is not known. A run of an earlier version has not recorded it. */
export function windowOf({ model, windowTokens }: Context): number | undefined {
	return windowTokens ?? factsOf(model).contextTokens;
}

/** A share in percent: `62 %`. Rounded down, so that 100 % is full. */
export function formatShare(share: number): string {
	return `${Math.floor(share * 100)} %`;
}
