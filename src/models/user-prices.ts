/**
 * A user's own prices, from the configuration file: dollars per million tokens, by the model's name.
 *
 *   prices:
 *     claude-sonnet-5-5:
 *       input: 1.80
 *       output: 9
 *       cache_read: 0.18           # default: a tenth of `input`
 *       cache_write: 2.25          # default: 1.25 times `input`
 *       context_tokens: 500000     # default: as built in, or 1,000,000
 *       max_output_tokens: 16000
 *       above:                     # for a prompt of more tokens than this
 *         prompt_tokens: 200000
 *         input: 3.60
 *         output: 13.50
 */

import { defined } from "../core/defined.ts";
import { factsOf, type PricedModel } from "./catalogue.ts";
import { type PriceTier, windowTokens } from "./provider/model-facts.ts";
import type { Located } from "./user-files/located-yaml.ts";

const PRICE_KEYS = ["input", "output", "cache_read", "cache_write"] as const;

/**
 * The models that a mapping prices. `service`: the one whose own names they are, as before the slash; it charges nothing for
 * what it writes to its cache.
 */
export function pricedModels(prices: Located | undefined, service?: string): PricedModel[] {
	const models = prices?.entries().map(({ key, value }) => priced(wholeName(key, service), value)) ?? [];
	return service === undefined ? models : models.map(withFreeWrites);
}

/** The models of a service whose sizes alone are known: a mapping of names to tokens. */
export function sizedModels(windows: Located | undefined, service: string): PricedModel[] {
	const entries = windows?.entries() ?? [];
	return entries.map(({ key, value }) => {
		const id = wholeName(key, service);
		const contextTokens = size(value) ?? windowTokens(factsOf(id));
		return { id, contextTokens, maxOutputTokens: factsOf(id).maxAnswerTokens, tiers: [] };
	});
}

/** Its own name, or already the one with the service before it. */
function wholeName(name: string, service: string | undefined): string {
	return service === undefined || name.startsWith(`${service}/`) ? name : `${service}/${name}`;
}

function withFreeWrites({ tiers, ...model }: PricedModel): PricedModel {
	return { ...model, tiers: tiers.map((tier) => ({ cacheWrite: tier.input, ...tier })) };
}

function priced(id: string, written: Located): PricedModel {
	const values = written.map([...PRICE_KEYS, "context_tokens", "max_output_tokens", "above"]);
	const known = factsOf(id);
	const contextTokens = size(values.context_tokens) ?? windowTokens(known);
	const maxOutputTokens = size(values.max_output_tokens) ?? known.maxAnswerTokens;
	const base = tier(written, values);
	if (values.above === undefined) return { id, contextTokens, maxOutputTokens, tiers: [base] };
	const above = values.above.map(["prompt_tokens", ...PRICE_KEYS]);
	const upToPromptTokens = size(above.prompt_tokens) ?? values.above.fail("prompt_tokens is missing");
	const tiers = [{ ...base, upToPromptTokens }, tier(values.above, above)];
	return { id, contextTokens, maxOutputTokens, tiers };
}

function tier(written: Located, values: Record<string, Located | undefined>): PriceTier {
	const [cacheRead, cacheWrite] = [price(values.cache_read), price(values.cache_write)];
	return {
		input: price(values.input) ?? written.fail("input is missing"),
		output: price(values.output) ?? written.fail("output is missing"),
		...defined({ cacheRead, cacheWrite }),
	};
}

function price(written: Located | undefined): number | undefined {
	const dollars = written?.number();
	return dollars === undefined || (dollars >= 0 && dollars < 1_000_000)
		? dollars
		: written?.fail("dollars for a million tokens are expected");
}

function size(written: Located | undefined): number | undefined {
	const tokens = written?.count();
	return tokens === 0 ? written?.fail("1 or more is expected") : tokens;
}
